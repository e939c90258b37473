# SPDX-License-Identifier: Apache-2.0
"""Calls of libnnaccel_model.so and libneuralnetworks.so by ctypes. Names and arguments are those of nnaccel_model.h,
NeuralNetworks.h and nnaccel_runtime.h, which document them."""
from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, byref, c_bool, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

from ._errors import Error

SONAME = 'libnnaccel_model.so.0'
DELEGATE = 'libnnaccel_tflite.so'
ISOLATION = ('auto', 'none', 'worker', 'service')
PREFERENCES = {'low_power': 0, 'fast_single_answer': 1, 'sustained_speed': 2}
NO_NUMBER = 0xffffffff
MESSAGE_SIZE = 512

RESULTS = ('NO_ERROR', 'OUT_OF_MEMORY', 'INCOMPLETE', 'UNEXPECTED_NULL', 'BAD_DATA', 'OP_FAILED', 'BAD_STATE', 'UNMAPPABLE',
           'OUTPUT_INSUFFICIENT_SIZE', 'UNAVAILABLE_DEVICE', 'MISSED_DEADLINE_TRANSIENT', 'MISSED_DEADLINE_PERSISTENT',
           'RESOURCE_EXHAUSTED_TRANSIENT', 'RESOURCE_EXHAUSTED_PERSISTENT', 'DEAD_OBJECT')


class ModelTensor(ctypes.Structure):
    """struct nnaccel_model_tensor"""
    _fields_ = [('name', c_char_p), ('number', c_uint32), ('type', c_int32), ('operand_type', c_int32), ('rank', c_uint32),
                ('dims', POINTER(c_int32)), ('size', c_uint64), ('operand_size', c_uint64), ('scale', c_float),
                ('zero_point', c_int32)]


class ModelState(ctypes.Structure):
    """struct nnaccel_model_state"""
    _fields_ = [('input', c_uint32), ('output', c_uint32), ('size', c_uint64), ('fill', c_uint32), ('reserved', c_uint32)]


class ModelOperation(ctypes.Structure):
    """struct nnaccel_model_operation"""
    _fields_ = [('name', c_char_p), ('operator_name', c_char_p), ('operator_number', c_uint32), ('reserved', c_uint32)]


# name: arguments. The result is int, but for those of RETURNS.
FUNCTIONS: dict[str, list[Any]] = {
    'nnaccel_model_open': [c_char_p, c_uint32, POINTER(c_void_p), c_char_p, c_size_t],
    'nnaccel_model_read': [c_char_p, c_size_t, c_uint32, POINTER(c_void_p), c_char_p, c_size_t],
    'nnaccel_model_free': [c_void_p],
    'nnaccel_model_nnapi': [c_void_p],
    'nnaccel_model_note': [c_void_p],
    'nnaccel_model_token': [c_void_p, c_char_p],
    'nnaccel_model_input_count': [c_void_p],
    'nnaccel_model_output_count': [c_void_p],
    'nnaccel_model_state_count': [c_void_p],
    'nnaccel_model_operation_count': [c_void_p],
    'nnaccel_model_input': [c_void_p, c_uint32, POINTER(ModelTensor), c_size_t],
    'nnaccel_model_output': [c_void_p, c_uint32, POINTER(ModelTensor), c_size_t],
    'nnaccel_model_state': [c_void_p, c_uint32, POINTER(ModelState), c_size_t],
    'nnaccel_model_operation': [c_void_p, c_uint32, POINTER(ModelOperation), c_size_t],
    'nnaccelCompilation_explain': [c_void_p, POINTER(c_void_p)],
    'nnaccelRuntime_setIsolation': [c_char_p],
    'ANeuralNetworks_getDeviceCount': [POINTER(c_uint32)],
    'ANeuralNetworks_getDevice': [c_uint32, POINTER(c_void_p)],
    'ANeuralNetworksDevice_getName': [c_void_p, POINTER(c_char_p)],
    'ANeuralNetworksDevice_getType': [c_void_p, POINTER(c_int32)],
    'ANeuralNetworksDevice_getVersion': [c_void_p, POINTER(c_char_p)],
    'ANeuralNetworksDevice_getFeatureLevel': [c_void_p, POINTER(c_int64)],
    'ANeuralNetworksCompilation_create': [c_void_p, POINTER(c_void_p)],
    'ANeuralNetworksCompilation_createForDevices': [c_void_p, POINTER(c_void_p), c_uint32, POINTER(c_void_p)],
    'ANeuralNetworksCompilation_setPreference': [c_void_p, c_int32],
    'ANeuralNetworksCompilation_setCaching': [c_void_p, c_char_p, c_char_p],
    'ANeuralNetworksCompilation_finish': [c_void_p],
    'ANeuralNetworksCompilation_free': [c_void_p],
    'ANeuralNetworksMemory_createFromFd': [c_size_t, c_int, c_int, c_size_t, POINTER(c_void_p)],
    'ANeuralNetworksMemory_free': [c_void_p],
    'ANeuralNetworksExecution_create': [c_void_p, POINTER(c_void_p)],
    'ANeuralNetworksExecution_setInputFromMemory': [c_void_p, c_int32, c_void_p, c_void_p, c_size_t, c_size_t],
    'ANeuralNetworksExecution_setOutputFromMemory': [c_void_p, c_int32, c_void_p, c_void_p, c_size_t, c_size_t],
    'ANeuralNetworksExecution_setMeasureTiming': [c_void_p, c_bool],
    'ANeuralNetworksExecution_setReusable': [c_void_p, c_bool],
    'ANeuralNetworksExecution_getDuration': [c_void_p, c_int32, POINTER(c_uint64)],
    'ANeuralNetworksExecution_compute': [c_void_p],
    'ANeuralNetworksExecution_startComputeWithDependencies': [c_void_p, c_void_p, c_uint32, c_uint64, POINTER(c_void_p)],
    'ANeuralNetworksExecution_free': [c_void_p],
    'ANeuralNetworksEvent_wait': [c_void_p],
    'ANeuralNetworksEvent_getSyncFenceFd': [c_void_p, POINTER(c_int)],
    'ANeuralNetworksEvent_free': [c_void_p],
}
RETURNS: dict[str, Any] = {
    'nnaccel_model_free': None,
    'nnaccel_model_nnapi': c_void_p,
    'nnaccel_model_note': c_char_p,
    'nnaccel_model_input_count': c_uint32,
    'nnaccel_model_output_count': c_uint32,
    'nnaccel_model_state_count': c_uint32,
    'nnaccel_model_operation_count': c_uint32,
    'ANeuralNetworksCompilation_free': None,
    'ANeuralNetworksMemory_free': None,
    'ANeuralNetworksExecution_free': None,
    'ANeuralNetworksEvent_free': None,
}

_lock = threading.Lock()
_library: Optional[ctypes.CDLL] = None


def folders() -> Iterator[Path]:
    """Where our libraries may be: NNACCEL_LIBRARY_DIR, then the lib folders of the prefix that this package is in."""
    named = os.environ.get('NNACCEL_LIBRARY_DIR')
    if named:
        yield from map(Path, named.split(os.pathsep))
        return
    for parent in Path(__file__).resolve().parents:
        if parent.name == 'lib':
            yield parent
            yield from parent.glob('*-linux-gnu')
            return


def find(name: str) -> str:
    """Path of a library of ours, or @name for the loader's own search."""
    for folder in folders():
        if (folder / name).exists():
            return str(folder / name)
    return name


def _open() -> ctypes.CDLL:
    path = find(SONAME)
    try:
        opened = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f'cannot load {SONAME}: {error}. Install nnaccel, or set NNACCEL_LIBRARY_DIR to its folder') from error
    # the loader finds NNAPI's functions, too: in libneuralnetworks.so, which the library is linked with
    for name, arguments in FUNCTIONS.items():
        try:
            function = getattr(opened, name)
        except AttributeError as error:
            raise ImportError(f'{path} is not of this version of nnaccel: it lacks {name}') from error
        function.argtypes = arguments
        function.restype = RETURNS.get(name, c_int)
    return opened


def library() -> ctypes.CDLL:
    """The library, loaded at the first call. Calls of its functions release the GIL."""
    global _library
    with _lock:
        if _library is None:
            _library = _open()
        return _library


def set_isolation(value: str) -> None:
    """Where vendor libraries run: the setting NNAPI_ISOLATION. The runtime reads its settings once in a process."""
    if value not in ISOLATION:
        raise ValueError(f'isolation {value!r} is unknown: it is one of {", ".join(ISOLATION)}')
    if library().nnaccelRuntime_setIsolation(value.encode()):
        raise ValueError(f'isolation {value!r} comes too late: the first use of nnaccel in a process decides it')


def result_name(code: int) -> str:
    return RESULTS[code] if 0 <= code < len(RESULTS) else f'result {code}'


def check(code: int, what: str) -> None:
    """Raises Error unless an NNAPI call returned NO_ERROR."""
    if code:
        raise Error(f'{what}: {result_name(code)}', code)


def create(function: Callable[..., int], *arguments: Any) -> int:
    """The handle that a create function returns through its last argument."""
    handle = c_void_p()
    check(function(*arguments, byref(handle)), function.__name__)
    assert handle.value is not None
    return handle.value
