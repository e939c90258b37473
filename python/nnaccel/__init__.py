# SPDX-License-Identifier: Apache-2.0
"""Neural networks on NNAPI devices: .tflite files in, numpy arrays in and out.

    import nnaccel
    model = nnaccel.Model('model.tflite')
    y = model(x)

Documentation/python.rst. nnaccel.interpreter has the interface of tflite_runtime.
"""
from ._buffers import Buffers, Timings
from ._devices import Device, devices
from ._errors import Error, ModelError
from ._explain import Elsewhere, Explanation, Operation
from ._model import Model
from ._native import DELEGATE as _DELEGATE, find as _find
from ._result import Result
from ._tensor import Tensor
from ._version import __version__

__all__ = ['Buffers', 'Device', 'Elsewhere', 'Error', 'Explanation', 'Model', 'ModelError', 'Operation', 'Result', 'Tensor',
           'Timings', '__version__', 'delegate_path', 'devices']


def delegate_path() -> str:
    """Path of TensorFlow Lite's external delegate, for load_delegate() of tflite_runtime or ai_edge_litert."""
    return _find(_DELEGATE)
