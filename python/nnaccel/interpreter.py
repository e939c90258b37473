# SPDX-License-Identifier: Apache-2.0
"""The interface of tflite_runtime.interpreter, on NNAPI devices:

    from nnaccel.interpreter import Interpreter     # instead of tflite_runtime.interpreter

The whole model runs on the devices of the runtime; it is refused if NNAPI cannot express it. TensorFlow Lite's own interpreter
with nnaccel's delegate (nnaccel.delegate_path()) runs the rest itself.

Differences: only inputs and outputs have details and values, not the tensors between; shapes cannot be resized; signatures are
not read. num_threads and the op resolver are accepted and have no effect.
"""
from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native
from ._buffers import Buffers
from ._errors import Error
from ._model import Model
from ._tensor import Tensor

__all__ = ['Delegate', 'Interpreter', 'load_delegate']

# Options of our delegate as arguments of Model; the rest only steers TensorFlow Lite.
_OPTIONS = {'device': 'devices', 'devices': 'devices', 'cache_dir': 'cache_dir', 'preference': 'preference', 'fp16': 'fp16',
            'isolation': 'isolation'}


class Delegate:
    """A delegate by the path of its library, and its options."""

    def __init__(self, library: str, options: Optional[Mapping[str, Any]] = None):
        self.library, self.options = library, {str(key): str(value) for key, value in (options or {}).items()}
        self.ours = os.path.basename(library) == _native.DELEGATE


def load_delegate(library: str, options: Optional[Mapping[str, Any]] = None) -> Delegate:
    """Options of nnaccel's delegate choose devices, cache and preference of the Interpreter. The library itself is not loaded."""
    return Delegate(library, options)


def _arguments(delegates: Optional[Sequence[Delegate]]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for delegate in delegates or ():
        if not getattr(delegate, 'ours', False):
            warnings.warn(f'{getattr(delegate, "library", delegate)} is not used: nnaccel runs the whole model', stacklevel=3)
            continue
        for key, value in delegate.options.items():
            name = _OPTIONS.get(key)
            if name == 'fp16':
                arguments[name] = value in ('1', 'true', 'yes', 'on')
            elif name:
                arguments[name] = value
    return arguments


class Interpreter:
    def __init__(self, model_path: Optional[Union[str, 'os.PathLike[str]']] = None, model_content: Optional[bytes] = None,
                 experimental_delegates: Optional[Sequence[Delegate]] = None, num_threads: Optional[int] = None,
                 experimental_op_resolver_type: Any = None, experimental_preserve_all_tensors: bool = False,
                 experimental_disable_delegate_clustering: bool = False,
                 experimental_default_delegate_latest_features: bool = False, **arguments: Any):
        """Keywords beyond tflite_runtime's are those of nnaccel.Model: devices, cache_dir, isolation, preference, fp16."""
        if (model_path is None) == (model_content is None):
            raise ValueError('model_path or model_content is needed, and not both')
        if num_threads is not None and num_threads < 1:
            raise ValueError('num_threads should >= 1')
        if experimental_preserve_all_tensors:
            warnings.warn('tensors between operations stay on the device: get_tensor() has inputs and outputs', stacklevel=2)
        source = model_path if model_content is None else model_content
        assert source is not None
        self._model = Model(source, **{**_arguments(experimental_delegates), **arguments})
        self._buffers: Optional[Buffers] = None
        # a tensor may be input and output: the same index, and then it is the input that set_tensor() sets
        self._tensors: dict[int, Tensor] = {}
        for tensor in self._model.outputs + self._model.inputs:
            self._tensors[tensor.index] = tensor

    # ---- details ----

    @staticmethod
    def _details(tensor: Tensor) -> dict[str, Any]:
        quantized = bool(tensor.scale)
        return {
            'name': tensor.name,
            'index': tensor.index,
            'shape': np.array(tensor.shape, np.int32),
            'shape_signature': np.array(tensor.shape, np.int32),
            'dtype': tensor.dtype.type,
            'quantization': (tensor.scale, tensor.zero_point),
            'quantization_parameters': {
                'scales': np.array([tensor.scale] if quantized else [], np.float32),
                'zero_points': np.array([tensor.zero_point] if quantized else [], np.int32),
                'quantized_dimension': 0,
            },
            'sparsity_parameters': {},
        }

    def get_input_details(self) -> list[dict[str, Any]]:
        return [self._details(tensor) for tensor in self._model.inputs]

    def get_output_details(self) -> list[dict[str, Any]]:
        return [self._details(tensor) for tensor in self._model.outputs]

    def get_tensor_details(self) -> list[dict[str, Any]]:
        """Of inputs and outputs."""
        return [self._details(self._tensors[index]) for index in sorted(self._tensors)]

    def get_signature_list(self) -> dict[str, Any]:
        """Empty: signatures are not read."""
        return {}

    def get_signature_runner(self, signature_key: Optional[str] = None) -> Any:
        raise ValueError('signatures are not read: use set_tensor() and get_tensor() with the indices of the details')

    def _get_ops_details(self) -> list[dict[str, Any]]:
        """An entry for each operation that runs, in order. device: where; index: of the operator in the file."""
        return [{'index': op.operator_number, 'op_name': op.operator or op.name, 'inputs': [], 'outputs': [], 'device': op.device}
                for op in self._model.explain().operations]

    # ---- tensors ----

    def allocate_tensors(self) -> None:
        if self._buffers is None:
            self._buffers = self._model.buffers()

    def resize_tensor_input(self, input_index: int, tensor_size: Sequence[int], strict: bool = False) -> None:
        tensor = self._input(input_index)
        if tuple(int(n) for n in tensor_size) != tensor.shape:
            raise ValueError(f'{tensor} keeps its shape: convert the model with shape {tuple(tensor_size)}')

    def _input(self, index: int) -> Tensor:
        for tensor in self._model.inputs:
            if tensor.index == index:
                return tensor
        raise ValueError(f'tensor {index} is no input: they are {[tensor.index for tensor in self._model.inputs]}')

    def _memory(self, index: int) -> np.ndarray[Any, Any]:
        if index not in self._tensors:
            raise ValueError(f'tensor {index} is neither input nor output, which are {sorted(self._tensors)}')
        if self._buffers is None:
            raise ValueError('Tensor data is null. Run allocate_tensors() first')
        # after invoke() an input that is an output, too, has the same value in both
        for tensors, arrays in (self._model.inputs, self._buffers.inputs), (self._model.outputs, self._buffers.outputs):
            for tensor, array in zip(tensors, arrays):
                if tensor.index == index:
                    return array
        raise AssertionError

    def set_tensor(self, tensor_index: int, value: Any) -> None:
        tensor, array = self._input(tensor_index), np.asarray(value)
        memory = self._memory(tensor_index)
        if array.dtype != tensor.dtype:
            raise ValueError(f'Cannot set tensor: Got value of type {array.dtype.name.upper()} but expected type '
                             f'{tensor.dtype.name.upper()} for input {tensor_index}, name: {tensor.name} ')
        if array.ndim != len(tensor.shape):
            raise ValueError(f'Cannot set tensor: Dimension mismatch. Got {array.ndim} but expected {len(tensor.shape)} '
                             f'for input {tensor_index}.')
        for place, (got, expected) in enumerate(zip(array.shape, tensor.shape)):
            if got != expected:
                raise ValueError(f'Cannot set tensor: Dimension mismatch. Got {got} but expected {expected} for dimension '
                                 f'{place} of input {tensor_index}.')
        memory[...] = array

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> np.ndarray[Any, Any]:
        """A copy."""
        if subgraph_index:
            raise ValueError('only subgraph 0 has tensors here')
        return self._memory(tensor_index).copy()

    def tensor(self, tensor_index: int) -> Callable[[], np.ndarray[Any, Any]]:
        """A function that returns the tensor's memory as an array, without a copy."""
        if tensor_index not in self._tensors:
            raise ValueError(f'tensor {tensor_index} is neither input nor output, which are {sorted(self._tensors)}')
        return lambda: self._memory(tensor_index)

    # ---- computing ----

    def invoke(self) -> None:
        if self._buffers is None:
            raise RuntimeError('Invoke called on model that is not ready: run allocate_tensors() first')
        try:
            self._model.run(self._buffers)
        except Error as error:
            raise RuntimeError(str(error)) from error

    def reset_all_variables(self) -> None:
        if self._buffers is not None:
            self._buffers.reset()
