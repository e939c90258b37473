# SPDX-License-Identifier: Apache-2.0
"""A TFLite model as data: tensors and operators, nothing of the file format."""

from dataclasses import dataclass, field

import numpy as np

NUMPY_TYPES = {"FLOAT32": np.float32, "INT32": np.int32, "INT8": np.int8}


@dataclass
class Tensor:
    name: str
    dtype: str                                  # a key of NUMPY_TYPES
    shape: tuple
    data: np.ndarray = None                     # set: constant
    scale: tuple = ()                           # float32 values; more than one: per channel
    zero_point: int = 0                         # 0 for per-channel tensors
    channel_dim: int = 0                        # dimension that the scales run along


@dataclass
class Op:
    kind: str                                   # TFLite's name, for example CONV_2D
    inputs: list                                # indices into Graph.tensors
    outputs: list
    options: dict = field(default_factory=dict)  # activation, padding, stride (rows, columns), ...


@dataclass
class Graph:
    tensors: list = field(default_factory=list)
    ops: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    description: str = ""

    def add(self, tensor):
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def constant(self, name, dtype, data, **quantization):
        data = np.ascontiguousarray(data, NUMPY_TYPES[dtype])
        return self.add(Tensor(name, dtype, data.shape, data, **quantization))

    def operator(self, kind, inputs, outputs, options):
        self.ops.append(Op(kind, inputs, outputs, options))
