# SPDX-License-Identifier: Apache-2.0
"""Loads a .tflite file of this project as a Graph, with the independent reader."""

import numpy as np

import reader
from graph import NUMPY_TYPES, Graph, Op, Tensor

ACTIVATIONS = {0: "NONE", 1: "RELU", 3: "RELU6"}
PADDINGS = {0: "SAME", 1: "VALID"}


def _options(op, tensors):
    options = {}
    if "activation" in op:
        options["activation"] = ACTIVATIONS[op["activation"]]
    if "padding" in op:
        options["padding"] = PADDINGS[op["padding"]]
        options["stride"] = (op["stride_h"], op["stride_w"])
    if (op.get("dilation_h", 1), op.get("dilation_w", 1)) != (1, 1):
        raise ValueError(f"{op['kind']}: dilation is not used by these models")
    if "filter_h" in op:
        options["filter"] = (op["filter_h"], op["filter_w"])
    for name in ("multiplier", "beta"):
        if name in op:
            options[name] = op[name]
    if op["kind"] == "RESHAPE":
        options["shape"] = tensors[op["inputs"][1]]["data"]
    return options


def load(path):
    model = reader.read(path.read_bytes())
    graph = Graph(inputs=list(model["inputs"]), outputs=list(model["outputs"]),
                  description=model["description"])
    for tensor in model["tensors"]:
        points = set(tensor["zero_point"]) or {0}
        if len(points) != 1:
            raise ValueError(f"{tensor['name']}: several zero points")
        data = tensor["data"]
        if data is not None:
            data = np.array(data, NUMPY_TYPES[tensor["dtype"]]).reshape(tensor["shape"])
        graph.add(Tensor(tensor["name"], tensor["dtype"], tensor["shape"], data, tensor["scale"],
                         points.pop(), tensor["channel_dim"]))
    graph.ops = [Op(op["kind"], list(op["inputs"]), list(op["outputs"]),
                    _options(op, model["tensors"])) for op in model["ops"]]
    return graph
