# SPDX-License-Identifier: Apache-2.0
"""A .tflite file: nnaccel_model.h."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Callable, Optional, Union

from . import _native
from ._errors import ModelError
from ._handle import Handle
from ._tensor import DTYPES, Tensor

RELAXED = 1


@dataclass(frozen=True)
class Argument:
    """A tensor of the file as an operand of NNAPI. narrow: it is INT64, and NNAPI gets INT32."""
    tensor: Tensor
    size: int
    narrow: bool


@dataclass(frozen=True)
class State:
    """struct nnaccel_model_state. output: None for a value that does not change."""
    input: int
    output: Optional[int]
    size: int
    fill: int


class File:
    def __init__(self, source: Union[str, 'os.PathLike[str]', bytes], relaxed: bool):
        lib, handle = _native.library(), c_void_p()
        message = ctypes.create_string_buffer(_native.MESSAGE_SIZE)
        flags = RELAXED if relaxed else 0
        rest = (flags, byref(handle), message, len(message))
        if isinstance(source, (bytes, bytearray, memoryview)):
            content = bytes(source)
            name, ret = 'the model', lib.nnaccel_model_read(content, len(content), *rest)
        else:
            name = os.fspath(source)
            ret = lib.nnaccel_model_open(os.fsencode(name), *rest)
        if ret:
            raise ModelError(f'{name}: {message.value.decode(errors="replace")}')
        assert handle.value is not None
        self.handle = Handle(handle.value, lib.nnaccel_model_free)
        self.nnapi: int = lib.nnaccel_model_nnapi(handle)
        self.note: str = lib.nnaccel_model_note(handle).decode(errors='replace')
        self.inputs = self._arguments(lib.nnaccel_model_input, lib.nnaccel_model_input_count(handle))
        self.outputs = self._arguments(lib.nnaccel_model_output, lib.nnaccel_model_output_count(handle))
        self.states = [self._state(i) for i in range(lib.nnaccel_model_state_count(handle))]

    def _arguments(self, get: Callable[..., int], count: int) -> list[Argument]:
        found = []
        for index in range(count):
            t = _native.ModelTensor()
            get(self.handle.value, index, byref(t), ctypes.sizeof(t))
            if t.type not in DTYPES:
                raise ModelError(f'tensor {t.name.decode(errors="replace")} has type {t.type}, which numpy lacks')
            tensor = Tensor(t.name.decode(errors='replace'), t.number, tuple(t.dims[:t.rank]), DTYPES[t.type], float(t.scale),
                            t.zero_point)
            found.append(Argument(tensor, t.operand_size, t.type != t.operand_type))
        return found

    def _state(self, index: int) -> State:
        s = _native.ModelState()
        _native.library().nnaccel_model_state(self.handle.value, index, byref(s), ctypes.sizeof(s))
        return State(s.input, None if s.output == _native.NO_NUMBER else s.output, s.size, s.fill)

    def operator(self, added: Optional[int]) -> tuple[Optional[str], Optional[int]]:
        """Name and position of the operator of the file behind an operation of the NNAPI model."""
        op = _native.ModelOperation()
        if added is None or _native.library().nnaccel_model_operation(self.handle.value, added, byref(op), ctypes.sizeof(op)):
            return None, None
        if op.operator_name is None:
            return None, None
        return op.operator_name.decode(errors='replace'), op.operator_number

    def token(self) -> bytes:
        """Of the contents, for a cache."""
        token = ctypes.create_string_buffer(32)
        if _native.library().nnaccel_model_token(self.handle.value, token):
            raise MemoryError
        return token.raw
