# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib
import os
import threading
import time
from ctypes import c_void_p
from typing import Any, Iterable, Mapping, Optional, Union

import numpy as np

from . import _native
from ._buffers import Buffers, Timings
from ._devices import Device, find_devices
from ._errors import Error
from ._explain import Explanation, explanation, raw_explanation
from ._file import File
from ._handle import Handle
from ._result import Result
from ._tensor import Tensor

Array = np.ndarray[Any, Any]
_DEAD_OBJECT = 14


class Model:
    """A .tflite file, compiled for devices of NNAPI.

    model: path of the file, or its contents as bytes
    devices: a name, names with commas, a Device, or a list of these; None: the runtime chooses among all
    cache_dir: an existing folder for compiled models of this user; None: no cache
    isolation: 'auto', 'none', 'worker' or 'service': where vendor libraries run (Documentation/isolation.rst). It is a setting of
        the process: the first use of nnaccel decides it
    preference: 'low_power', 'fast_single_answer' or 'sustained_speed'
    fp16: float32 may be computed as float16
    measure: times of driver and device in timings; for exactly one device

    Raises ModelError: the file is invalid, or NNAPI cannot express it; Error: the devices cannot compile it; ValueError: an
    argument is invalid.

    Any number of threads may call one model at a time. A model that keeps values from one execution to the next (LSTM) computes
    one call after the other.
    """

    def __init__(self, model: Union[str, 'os.PathLike[str]', bytes],
                 devices: Union[None, str, Device, Iterable[Union[str, Device]]] = None, *, cache_dir: Optional[str] = None,
                 isolation: Optional[str] = None, preference: Optional[str] = None, fp16: bool = False, measure: bool = False):
        if isolation is not None:
            _native.set_isolation(isolation)
        if preference is not None and preference not in _native.PREFERENCES:
            raise ValueError(f'preference {preference!r} is unknown: it is one of {", ".join(_native.PREFERENCES)}')
        chosen = None if devices is None else find_devices(devices)
        if measure and (chosen is None or len(chosen) != 1):
            raise ValueError('measure needs exactly one device: name it with devices=')
        self._file = File(model, fp16)
        self._measure = measure
        self._compilation = self._create(chosen)
        self._compile(chosen, cache_dir, preference)
        self.inputs: list[Tensor] = [a.tensor for a in self._file.inputs]
        self.outputs: list[Tensor] = [a.tensor for a in self._file.outputs]
        self.timings: Optional[Timings] = None
        self._idle: list[Buffers] = []
        # one Buffers has the values that the model keeps
        self._one = threading.Lock() if self._file.states else None
        self._closed = False

    # ---- compiling ----

    def _create(self, chosen: Optional[list[Device]]) -> Handle:
        lib = _native.library()
        if chosen is None:
            value = _native.create(lib.ANeuralNetworksCompilation_create, self._file.nnapi)
        else:
            handles = (c_void_p * len(chosen))(*(device._handle for device in chosen))
            value = _native.create(lib.ANeuralNetworksCompilation_createForDevices, self._file.nnapi, handles, len(chosen))
        return Handle(value, lib.ANeuralNetworksCompilation_free, self._file.handle)

    def _compile(self, chosen: Optional[list[Device]], cache_dir: Optional[str], preference: Optional[str]) -> None:
        lib, compilation = _native.library(), self._compilation.value
        if preference is not None:
            number = _native.PREFERENCES[preference]
            _native.check(lib.ANeuralNetworksCompilation_setPreference(compilation, number), 'setPreference')
        if cache_dir is not None:
            if not os.path.isdir(cache_dir):
                raise ValueError(f'cache_dir {cache_dir} is no folder')
            names = ','.join(device.name for device in chosen or ())
            token = hashlib.sha256(self._file.token() + f'{preference} {names}'.encode()).digest()
            folder = os.path.join(os.path.abspath(cache_dir), '')
            _native.check(lib.ANeuralNetworksCompilation_setCaching(compilation, os.fsencode(folder), token), 'setCaching')
        code = lib.ANeuralNetworksCompilation_finish(compilation)
        if code:
            reason = raw_explanation(compilation)['reason'] or 'NNAPI_LOG=info has the reason'
            raise Error(f'the devices cannot compile the model: {_native.result_name(code)}: {reason}', code)

    def explain(self) -> Explanation:
        """Which device runs which operation, and why no other does."""
        return explanation(raw_explanation(self._compilation.value), self._file.operator)

    @property
    def note(self) -> str:
        """What is odd about the file, and what was made of it; mostly empty."""
        return self._file.note

    # ---- computing ----

    def __call__(self, *arrays: Any, **named: Any) -> Union[Array, tuple[Array, ...]]:
        """Compute. Arrays in the order of inputs, or one mapping of names to arrays, or by keywords. Floats are quantized for
        quantized inputs. Returns new arrays as they are stored (Tensor.dequantize): one, or a tuple in the order of outputs."""
        values = self._stored(arrays, named)
        buffers = self._acquire(True)
        try:
            self._fill(buffers, values)
            self.run(buffers)
            return self._copy_outputs(buffers)
        finally:
            self._release(buffers)

    def submit(self, *arrays: Any, **named: Any) -> Result:
        """Start computing, and return at once."""
        values = self._stored(arrays, named)
        buffers = self._acquire(False)
        try:
            self._fill(buffers, values)
            buffers.narrow()
            return Result(buffers, self._copy_outputs, self._failure, self._release)
        except BaseException:
            self._release(buffers)
            raise

    def buffers(self) -> Buffers:
        """Memory that the device reaches, for run()."""
        self._check_open()
        return Buffers(self._file, self._compilation, self._measure)

    def run(self, buffers: Buffers) -> None:
        """Compute with the contents of @buffers, which buffers() made."""
        began = time.perf_counter_ns()
        buffers.narrow()
        code = _native.library().ANeuralNetworksExecution_compute(buffers.execution)
        if code:
            raise self._failure(code)
        buffers.finish()
        self.timings = buffers.times(time.perf_counter_ns() - began)

    def reset(self) -> None:
        """Put the values that the model keeps to what they are before the first execution."""
        if self._one is None:
            return
        with self._one:
            for buffers in self._idle:
                buffers.reset()

    # ---- details ----

    def _stored(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> list[Array]:
        ordered = list(arrays)
        if len(ordered) == 1 and isinstance(ordered[0], Mapping) and not named:
            named = ordered.pop()
        if ordered and named:
            raise TypeError('inputs are given in order, or by name, not both')
        if named:
            names = [tensor.name for tensor in self.inputs]
            if sorted(named) != sorted(names):
                raise ValueError(f'the inputs are {", ".join(names)}; given are {", ".join(named)}')
            ordered = [named[name] for name in names]
        if len(ordered) != len(self.inputs):
            raise ValueError(f'the model has {len(self.inputs)} inputs, given are {len(ordered)}')
        return [tensor.stored(value) for tensor, value in zip(self.inputs, ordered)]

    def _acquire(self, wait: bool) -> Buffers:
        self._check_open()
        if self._one is not None and not self._one.acquire(blocking=wait):
            raise Error('this model keeps values, so it computes one call after the other: take the last result first')
        try:
            return self._idle.pop()
        except IndexError:
            pass
        try:
            return self.buffers()
        except BaseException:
            if self._one is not None:
                self._one.release()
            raise

    def _release(self, buffers: Buffers) -> None:
        if not self._closed:
            self._idle.append(buffers)
        if self._one is not None:
            self._one.release()

    @staticmethod
    def _fill(buffers: Buffers, values: list[Array]) -> None:
        for memory, value in zip(buffers.inputs, values):
            memory[...] = value

    @staticmethod
    def _copy_outputs(buffers: Buffers) -> Union[Array, tuple[Array, ...]]:
        outputs = tuple(output.copy() for output in buffers.outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def _failure(self, code: int) -> Error:
        """Of an execution. Some models compile though their executions fail, as on Android: the explanation has the reason."""
        text = f'the execution failed: {_native.result_name(code)}'
        remarks = [op for op in self.explain().operations if op.remark]
        if code == _DEAD_OBJECT:
            text += ': the device is gone; open the model again'
        elif remarks:
            place = f'operator {remarks[0].operator_number} ({remarks[0].operator}): ' if remarks[0].operator else ''
            text += f': {place}{remarks[0].remark}'
        else:
            text += ' (NNAPI_LOG=info has the reason)'
        return Error(text, code)

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError('this model is closed')

    def close(self) -> None:
        """Free the memory of calls. The compilation goes with the last object that needs it."""
        self._closed = True
        self._idle.clear()

    def __enter__(self) -> 'Model':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
