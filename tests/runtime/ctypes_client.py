#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of the NNAPI runtime in another language, which shares no header with it.

Usage: ctypes_client.py LIBRARY [DEVICE]

Numbers and layouts are those of the NDK, written down here once more. Prints a line per check; the last one is
"N passed, N failed".
"""
import ctypes as c
import os
import sys

NO_ERROR, UNEXPECTED_NULL, BAD_DATA, BAD_STATE, INSUFFICIENT = 0, 3, 4, 6, 8
INT32, TENSOR_FLOAT32 = 1, 3
ADD, MUL = 0, 18
U32P = c.POINTER(c.c_uint32)


class OperandType(c.Structure):
    """ANeuralNetworksOperandType."""
    _fields_ = [("type", c.c_int32), ("dimensionCount", c.c_uint32), ("dimensions", U32P),
                ("scale", c.c_float), ("zeroPoint", c.c_int32)]


def prototypes(nn):
    """Argument types: without them ctypes would cut pointers and sizes to int."""
    p, i, u, z = c.c_void_p, c.c_int32, c.c_uint32, c.c_size_t
    opp, typep = c.POINTER(c.c_void_p), c.POINTER(OperandType)
    for name, arguments in {
            "_getDeviceCount": [U32P], "_getDevice": [u, opp],
            "Device_getName": [p, c.POINTER(c.c_char_p)], "Device_getType": [p, c.POINTER(i)],
            "Device_getFeatureLevel": [p, c.POINTER(c.c_int64)],
            "Model_create": [opp], "Model_free": [p], "Model_finish": [p], "Model_addOperand": [p, typep],
            "Model_setOperandValue": [p, i, p, z], "Model_addOperation": [p, i, u, U32P, u, U32P],
            "Model_setOperandValueFromMemory": [p, i, p, z, z],
            "Model_identifyInputsAndOutputs": [p, u, U32P, u, U32P],
            "Model_getSupportedOperationsForDevices": [p, opp, u, c.POINTER(c.c_bool)],
            "Compilation_create": [p, opp], "Compilation_createForDevices": [p, opp, u, opp],
            "Compilation_setPreference": [p, i], "Compilation_finish": [p], "Compilation_free": [p],
            "Execution_create": [p, opp], "Execution_free": [p],
            "Execution_setInput": [p, i, typep, p, z], "Execution_setOutput": [p, i, typep, p, z],
            "Execution_setInputFromMemory": [p, i, typep, p, z, z],
            "Execution_setOutputFromMemory": [p, i, typep, p, z, z],
            "Execution_compute": [p], "Execution_startCompute": [p, opp], "Execution_burstCompute": [p, p],
            "Execution_setReusable": [p, c.c_bool], "Execution_setMeasureTiming": [p, c.c_bool],
            "Execution_getDuration": [p, i, c.POINTER(c.c_uint64)],
            "Execution_getOutputOperandRank": [p, i, U32P],
            "Execution_getOutputOperandDimensions": [p, i, U32P],
            "Event_wait": [p], "Event_free": [p], "Burst_create": [p, opp], "Burst_free": [p],
            "Memory_createFromFd": [z, c.c_int, c.c_int, z, opp], "Memory_free": [p]}.items():
        function = getattr(nn, "ANeuralNetworks" + name)
        function.argtypes = arguments
        function.restype = None if name.endswith("_free") else c.c_int
    nn.ANeuralNetworks_getRuntimeFeatureLevel.restype = c.c_int64
    nn.ANeuralNetworks_getDefaultLoopTimeout.restype = c.c_uint64


class Checks:
    """Counts, and says what was wrong."""

    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, what, got, expected):
        good = got == expected
        self.passed += good
        self.failed += not good
        print(("ok      " if good else "FAILED  ") + what + ("" if good else f": {got}, not {expected}"))


def u32(*values):
    return (c.c_uint32 * len(values))(*values)


def floats(*values):
    return (c.c_float * len(values))(*values)


def tensor(*dims):
    """A float tensor; the array of dims must outlive it, so it goes along."""
    array = u32(*dims)
    return OperandType(TENSOR_FLOAT32, len(dims), c.cast(array, U32P), 0.0, 0), array


def make(function, *arguments):
    out = c.c_void_p()
    return function(*arguments, c.byref(out)), out


def add_model(nn, check, memory=None, dims=(2, 2)):
    """out = (a + b) * k; k from memory at offset 20, as clients that map a model file do, else by value."""
    result, model = make(nn.ANeuralNetworksModel_create)
    check.equal("Model_create", result, NO_ERROR)
    kinds = [tensor(*dims), tensor(*dims), (OperandType(INT32, 0, None, 0.0, 0), None), tensor(*dims),
             tensor(1), tensor(*dims)]
    for kind, _dims in kinds:
        check.equal("addOperand", nn.ANeuralNetworksModel_addOperand(model, c.byref(kind)), NO_ERROR)
    none = c.c_int32(0)
    nn.ANeuralNetworksModel_setOperandValue(model, 2, c.byref(none), 4)
    if memory:
        result = nn.ANeuralNetworksModel_setOperandValueFromMemory(model, 4, memory, 20, 4)
    else:
        result = nn.ANeuralNetworksModel_setOperandValue(model, 4, floats(10.0), 4)
    check.equal("constant", result, NO_ERROR)
    # in an order that cannot be executed: the runtime sorts
    check.equal("addOperation MUL", nn.ANeuralNetworksModel_addOperation(model, MUL, 3, u32(3, 4, 2), 1, u32(5)),
                NO_ERROR)
    check.equal("addOperation ADD", nn.ANeuralNetworksModel_addOperation(model, ADD, 3, u32(0, 1, 2), 1, u32(3)),
                NO_ERROR)
    check.equal("identifyInputsAndOutputs",
                nn.ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, u32(0, 1), 1, u32(5)), NO_ERROR)
    check.equal("Model_finish", nn.ANeuralNetworksModel_finish(model), NO_ERROR)
    check.equal("Model_finish again", nn.ANeuralNetworksModel_finish(model), BAD_STATE)
    return model


def devices(nn, check):
    """Handles by name, in order."""
    count = c.c_uint32()
    check.equal("getDeviceCount", nn.ANeuralNetworks_getDeviceCount(c.byref(count)), NO_ERROR)
    found = {}
    for i in range(count.value):
        _, device = make(nn.ANeuralNetworks_getDevice, i)
        name, level = c.c_char_p(), c.c_int64()
        nn.ANeuralNetworksDevice_getName(device, c.byref(name))
        nn.ANeuralNetworksDevice_getFeatureLevel(device, c.byref(level))
        check.equal(f"level of {name.value.decode()} is the runtime's at most",
                    level.value <= nn.ANeuralNetworks_getRuntimeFeatureLevel(), True)
        found[name.value.decode()] = device
    check.equal("names are unique", len(found), count.value)
    check.equal("the CPU is last", list(found)[-1], "nnapi-reference")
    check.equal("no such device", make(nn.ANeuralNetworks_getDevice, count.value)[0], BAD_DATA)
    check.equal("nowhere to put it", nn.ANeuralNetworks_getDevice(0, None), UNEXPECTED_NULL)
    return found


def compile_for(nn, check, model, device):
    if device:
        handles = (c.c_void_p * 1)(device)
        result, compilation = make(nn.ANeuralNetworksCompilation_createForDevices, model, handles, 1)
        supported = (c.c_bool * 2)()
        nn.ANeuralNetworksModel_getSupportedOperationsForDevices(model, handles, 1, supported)
        check.equal("supported", list(supported), [True, True])
    else:
        result, compilation = make(nn.ANeuralNetworksCompilation_create, model)
    check.equal("Compilation_create", result, NO_ERROR)
    check.equal("preference", nn.ANeuralNetworksCompilation_setPreference(compilation, 40), BAD_DATA)
    check.equal("Execution_create too early", make(nn.ANeuralNetworksExecution_create, compilation)[0], BAD_STATE)
    check.equal("Compilation_finish", nn.ANeuralNetworksCompilation_finish(compilation), NO_ERROR)
    return compilation


def run(nn, check, compilation, how):
    _, execution = make(nn.ANeuralNetworksExecution_create, compilation)
    a, b, out, dims = floats(1, 2, 3, 4), floats(10, 20, 30, 40), floats(0, 0, 0, 0), u32(0, 0)
    nn.ANeuralNetworksExecution_setInput(execution, 0, None, a, 16)
    check.equal("an input is missing", nn.ANeuralNetworksExecution_setInput(execution, 0, None, a, 16), BAD_STATE)
    nn.ANeuralNetworksExecution_setInput(execution, 1, None, b, 16)
    nn.ANeuralNetworksExecution_setOutput(execution, 0, None, out, 16)
    check.equal(how.__name__, how(nn, execution, compilation), NO_ERROR)
    check.equal("output", list(out), [110.0, 220.0, 330.0, 440.0])
    check.equal("dimensions", nn.ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dims), NO_ERROR)
    check.equal("[2, 2]", list(dims), [2, 2])
    nn.ANeuralNetworksExecution_free(execution)


def compute(nn, execution, _compilation):
    return nn.ANeuralNetworksExecution_compute(execution)


def start_and_wait(nn, execution, _compilation):
    result, event = make(nn.ANeuralNetworksExecution_startCompute, execution)
    if result == NO_ERROR:
        result = nn.ANeuralNetworksEvent_wait(event)
        nn.ANeuralNetworksEvent_free(event)
    return result


def burst(nn, execution, compilation):
    result, handle = make(nn.ANeuralNetworksBurst_create, compilation)
    if result == NO_ERROR:
        result = nn.ANeuralNetworksExecution_burstCompute(execution, handle)
        nn.ANeuralNetworksBurst_free(handle)
    return result


def from_shared_memory(nn, check, compilation):
    """Inputs and outputs in one file of /dev/shm, twice through one reusable execution."""
    fd = os.memfd_create("ctypes_client")
    os.ftruncate(fd, 4096)
    _, memory = make(nn.ANeuralNetworksMemory_createFromFd, 4096, 3, fd, 0)
    _, execution = make(nn.ANeuralNetworksExecution_create, compilation)
    nn.ANeuralNetworksExecution_setReusable(execution, True)
    nn.ANeuralNetworksExecution_setInputFromMemory(execution, 0, None, memory, 0, 16)
    nn.ANeuralNetworksExecution_setInputFromMemory(execution, 1, None, memory, 64, 16)
    nn.ANeuralNetworksExecution_setOutputFromMemory(execution, 0, None, memory, 128, 16)
    for first in (1.0, 5.0):
        os.pwrite(fd, bytes(floats(first, 2, 3, 4)), 0)
        os.pwrite(fd, bytes(floats(10, 20, 30, 40)), 64)
        check.equal("compute", nn.ANeuralNetworksExecution_compute(execution), NO_ERROR)
        out = floats(0, 0, 0, 0)
        c.memmove(out, os.pread(fd, 16, 128), 16)
        check.equal("output in memory", list(out), [(first + 10) * 10, 220.0, 330.0, 440.0])
    nn.ANeuralNetworksExecution_free(execution)
    nn.ANeuralNetworksMemory_free(memory)
    os.close(fd)


def main():
    nn = c.CDLL(sys.argv[1])
    check = Checks()
    prototypes(nn)
    check.equal("runtime feature level", nn.ANeuralNetworks_getRuntimeFeatureLevel(), 1000008)
    check.equal("default loop timeout", nn.ANeuralNetworks_getDefaultLoopTimeout(), 2000000000)
    found = devices(nn, check)
    fd = os.memfd_create("weights")
    os.pwrite(fd, bytes(floats(10.0)), 20)
    os.ftruncate(fd, 64)
    _, memory = make(nn.ANeuralNetworksMemory_createFromFd, 64, 1, fd, 0)
    os.close(fd)
    for device in [None] + [d for n, d in found.items() if len(sys.argv) < 3 or n == sys.argv[2]]:
        for constant in (None, memory):
            model = add_model(nn, check, constant)
            compilation = compile_for(nn, check, model, device)
            for how in (compute, start_and_wait, burst):
                run(nn, check, compilation, how)
            from_shared_memory(nn, check, compilation)
            nn.ANeuralNetworksCompilation_free(compilation)
            nn.ANeuralNetworksModel_free(model)
    nn.ANeuralNetworksMemory_free(memory)
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
