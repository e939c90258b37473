# SPDX-License-Identifier: Apache-2.0
"""Memory of a model's inputs and outputs, and the execution that uses it."""
from __future__ import annotations

import mmap
import os
from ctypes import byref, c_uint64
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _native
from ._file import Argument, File, State
from ._handle import Handle

_ALIGNMENT = 64
_UNKNOWN = 0xffffffffffffffff
_ON_HARDWARE, _IN_DRIVER = 0, 1

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Timings:
    """Times of one call, in nanoseconds. total: from the arrays to the results. driver, device: with Model(measure=True), if the
    device reports them."""
    total: int
    driver: Optional[int] = None
    device: Optional[int] = None


class Buffers:
    """Memory that the device reads and writes, as numpy arrays; Model.run() computes in it without a copy.

    inputs, outputs: arrays of the tensors' shapes and types, in the order of the file. They stay valid while something refers to
        them. Those of INT64 tensors are in memory aside, because NNAPI has INT32: run() converts them.
    fd: the memory (memfd): another process can map it. It is closed with this object.
    Values that the model keeps between executions are here, too: each Buffers has its own. One thread at a time may use one.
    """

    def __init__(self, file: File, compilation: Handle, measure: bool):
        lib = _native.library()
        sizes = [a.size for a in file.inputs] + [s.size for s in file.states]
        places: list[int] = []
        self._file, end = file, 0

        def place(size: int) -> int:
            nonlocal end
            places.append(end)
            end += -(-size // _ALIGNMENT) * _ALIGNMENT
            return places[-1]

        in_places = [place(size) for size in sizes]
        changing = [s for s in file.states if s.output is not None]
        out_sizes = [a.size for a in file.outputs] + [s.size for s in changing]
        out_places = [place(size) for size in out_sizes]
        self.fd = os.memfd_create('nnaccel', os.MFD_CLOEXEC)
        try:
            os.ftruncate(self.fd, max(end, 1))
            self._map = mmap.mmap(self.fd, max(end, 1))
            # PROT_READ, PROT_WRITE
            memory = Handle(_native.create(lib.ANeuralNetworksMemory_createFromFd, max(end, 1), 3, self.fd, 0),
                            lib.ANeuralNetworksMemory_free)
        except BaseException:
            os.close(self.fd)
            raise
        self._fd_owner: Optional[Handle] = Handle(self.fd, os.close)
        self._execution: Optional[Handle] = Handle(
            _native.create(lib.ANeuralNetworksExecution_create, compilation.value), lib.ANeuralNetworksExecution_free,
            compilation, memory)
        execution = self.execution
        _native.check(lib.ANeuralNetworksExecution_setReusable(execution, True), 'setReusable')
        if measure:
            _native.check(lib.ANeuralNetworksExecution_setMeasureTiming(execution, True), 'setMeasureTiming')
        in_numbers = [*range(len(file.inputs)), *(s.input for s in file.states)]
        out_numbers = [*range(len(file.outputs)), *(s.output for s in changing)]
        for number, at, size in zip(in_numbers, in_places, sizes):
            _native.check(lib.ANeuralNetworksExecution_setInputFromMemory(execution, number, None, memory.value, at, size),
                          f'setInputFromMemory({number})')
        for number, at, size in zip(out_numbers, out_places, out_sizes):
            _native.check(lib.ANeuralNetworksExecution_setOutputFromMemory(execution, number, None, memory.value, at, size),
                          f'setOutputFromMemory({number})')
        self._in = [self._view(a, at) for a, at in zip(file.inputs, in_places)]
        self._out = [self._view(a, at) for a, at in zip(file.outputs, out_places)]
        self.inputs = [np.zeros(a.tensor.shape, np.int64) if a.narrow else v for a, v in zip(file.inputs, self._in)]
        self.outputs = [np.zeros(a.tensor.shape, np.int64) if a.narrow else v for a, v in zip(file.outputs, self._out)]
        state_places = dict(zip(map(id, changing), out_places[len(file.outputs):]))
        self._states: list[tuple[State, Array, Optional[Array]]] = []
        for state, at in zip(file.states, in_places[len(file.inputs):]):
            after = self._bytes(state_places[id(state)], state.size) if state.output is not None else None
            self._states.append((state, self._bytes(at, state.size), after))
        self.measure = measure
        self.reset()

    def _bytes(self, at: int, size: int) -> Array:
        return np.frombuffer(self._map, np.uint8, size, at)

    def _view(self, argument: Argument, at: int) -> Array:
        dtype = np.dtype(np.int32) if argument.narrow else argument.tensor.dtype
        return np.frombuffer(self._map, dtype, argument.size // dtype.itemsize, at).reshape(argument.tensor.shape)

    def reset(self) -> None:
        """Put the values that the model keeps to what they are before the first execution."""
        for state, before, _ in self._states:
            before[...] = state.fill

    def narrow(self) -> None:
        """INT64 inputs to the memory of the device."""
        limits = np.iinfo(np.int32)
        for argument, wide, memory in zip(self._file.inputs, self.inputs, self._in):
            if not argument.narrow:
                continue
            if wide.size and (wide.min() < limits.min or wide.max() > limits.max):
                raise ValueError(f'{argument.tensor}: a number needs more than 32 bits, which NNAPI lacks')
            memory[...] = wide

    def finish(self) -> None:
        """After an execution that succeeded: the values that the model keeps go on, INT64 outputs get their results."""
        for _, before, after in self._states:
            if after is not None:
                before[...] = after
        for argument, wide, memory in zip(self._file.outputs, self.outputs, self._out):
            if argument.narrow:
                wide[...] = memory

    @property
    def execution(self) -> int:
        if self._execution is None:
            raise ValueError('these buffers are closed')
        return self._execution.value

    def times(self, total: int) -> Timings:
        if not self.measure:
            return Timings(total)
        return Timings(total, self._duration(_IN_DRIVER), self._duration(_ON_HARDWARE))

    def _duration(self, code: int) -> Optional[int]:
        duration = c_uint64()
        if _native.library().ANeuralNetworksExecution_getDuration(self.execution, code, byref(duration)):
            return None
        return None if duration.value == _UNKNOWN else duration.value

    def close(self) -> None:
        """Free what the device has of it. The arrays stay valid."""
        self._execution = self._fd_owner = None
        self.fd = -1

    def __enter__(self) -> 'Buffers':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
