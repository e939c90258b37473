# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from ctypes import byref, c_char_p, c_int32, c_int64, c_uint32
from dataclasses import dataclass, field
from typing import Iterable, Union

from . import _native
from ._errors import Error

_TYPES = {1: 'other', 2: 'cpu', 3: 'gpu', 4: 'accelerator'}


@dataclass(frozen=True)
class Device:
    """A device of the runtime.

    name: unique in this process; what Model(devices=) takes
    type: 'cpu', 'gpu', 'accelerator', 'other' or 'unknown'
    version: of its driver
    feature_level: of NNAPI, 1000008 is the newest
    """
    name: str
    type: str
    version: str
    feature_level: int
    _handle: int = field(repr=False, compare=False, default=0)


def devices() -> list[Device]:
    """The devices of the runtime, in its order. A device that comes later is in the next list."""
    lib = _native.library()
    count = c_uint32()
    _native.check(lib.ANeuralNetworks_getDeviceCount(byref(count)), 'getDeviceCount')
    found = []
    for index in range(count.value):
        handle = _native.create(lib.ANeuralNetworks_getDevice, index)
        name, version, kind, level = c_char_p(), c_char_p(), c_int32(), c_int64()
        _native.check(lib.ANeuralNetworksDevice_getName(handle, byref(name)), 'getName')
        _native.check(lib.ANeuralNetworksDevice_getVersion(handle, byref(version)), 'getVersion')
        _native.check(lib.ANeuralNetworksDevice_getType(handle, byref(kind)), 'getType')
        _native.check(lib.ANeuralNetworksDevice_getFeatureLevel(handle, byref(level)), 'getFeatureLevel')
        found.append(Device((name.value or b'').decode(), _TYPES.get(kind.value, 'unknown'), (version.value or b'').decode(),
                            level.value, handle))
    return found


def find_devices(wanted: Union[str, Device, Iterable[Union[str, Device]]]) -> list[Device]:
    """Devices by their names (with commas, or in a list); an unknown name raises Error with the names there are."""
    names: list[str] = []
    for item in [wanted] if isinstance(wanted, (str, Device)) else wanted:
        names += item.split(',') if isinstance(item, str) else [item.name]
    here = {device.name: device for device in devices()}
    found = []
    for name in names:
        if name not in here:
            raise Error(f'the runtime has no device {name}; its devices are {", ".join(here) or "none"}')
        found.append(here[name])
    if not found:
        raise Error('the list of devices is empty')
    return found
