#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of the runtime whose card goes away and comes back, while it keeps its handle.

Usage: ctypes_hotplug.py LIBRARY DEVICE DRIVER SLOT

As root: SLOT ("0000:00:05.0") is unbound from and bound to the driver in DRIVER (/sys/bus/pci/drivers/...). The last
line is "N passed, N failed".
"""
import ctypes as c
import sys

import ctypes_client as nnapi

UNAVAILABLE_DEVICE = 9


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def compute(nn, compilation):
    """Result code and output of one computation."""
    result, execution = nnapi.make(nn.ANeuralNetworksExecution_create, compilation)
    a, b, out = nnapi.floats(1, 2, 3, 4), nnapi.floats(10, 20, 30, 40), nnapi.floats(0, 0, 0, 0)
    nn.ANeuralNetworksExecution_setInput(execution, 0, None, a, 16)
    nn.ANeuralNetworksExecution_setInput(execution, 1, None, b, 16)
    nn.ANeuralNetworksExecution_setOutput(execution, 0, None, out, 16)
    if result == nnapi.NO_ERROR:
        result = nn.ANeuralNetworksExecution_compute(execution)
        nn.ANeuralNetworksExecution_free(execution)
    return result, list(out)


def main():
    library, name, driver, slot = sys.argv[1:]
    nn = c.CDLL(library)
    check = nnapi.Checks()
    nnapi.prototypes(nn)
    nn.ANeuralNetworksDevice_wait.argtypes = [c.c_void_p]
    device = nnapi.devices(nn, check)[name]
    model = nnapi.add_model(nn, check)
    expected = [110.0, 220.0, 330.0, 440.0]
    compilation = nnapi.compile_for(nn, check, model, device)
    check.equal("before", compute(nn, compilation), (nnapi.NO_ERROR, expected))
    write(driver + "/unbind", slot)
    check.equal("the card is gone", compute(nn, compilation)[0], UNAVAILABLE_DEVICE)
    nn.ANeuralNetworksCompilation_free(compilation)
    write(driver + "/bind", slot)
    check.equal("Device_wait", nn.ANeuralNetworksDevice_wait(device), nnapi.NO_ERROR)
    compilation = nnapi.compile_for(nn, check, model, device)
    check.equal("after, by the same handle", compute(nn, compilation), (nnapi.NO_ERROR, expected))
    nn.ANeuralNetworksCompilation_free(compilation)
    nn.ANeuralNetworksModel_free(model)
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
