#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NNAPI in children that Python's multiprocessing forks, before and after the parent's first use.

Usage: ctypes_fork.py LIBRARY [DEVICE]

A pool of workers computes with a compilation that each makes itself, then with one that was made before the fork.
Prints a line per check; the last one is "N passed, N failed".
"""
import ctypes as c
import multiprocessing
import sys

import ctypes_client as client

WORKERS, TASKS, SECONDS = 3, 12, 60
nn = c.CDLL(sys.argv[1])
inherited = None


class Quiet(client.Checks):
    """Counts only."""

    def equal(self, what, got, expected):
        if got != expected:
            raise RuntimeError(f"{what}: {got}, not {expected}")


def handle(check):
    """Of the device that the command line names; None: as the runtime chooses."""
    return client.devices(nn, check)[sys.argv[2]] if len(sys.argv) > 2 else None


def compute(compilation, first):
    result, execution = client.make(nn.ANeuralNetworksExecution_create, compilation)
    if result:
        return f"Execution_create: {result}"
    a, b, out = client.floats(first, 2, 3, 4), client.floats(10, 20, 30, 40), client.floats(0, 0, 0, 0)
    nn.ANeuralNetworksExecution_setInput(execution, 0, None, a, 16)
    nn.ANeuralNetworksExecution_setInput(execution, 1, None, b, 16)
    nn.ANeuralNetworksExecution_setOutput(execution, 0, None, out, 16)
    result = client.start_and_wait(nn, execution, compilation)
    nn.ANeuralNetworksExecution_free(execution)
    return result if result else list(out)


def compile_anew():
    check = Quiet()
    model = client.add_model(nn, check)
    return client.compile_for(nn, check, model, handle(check))


def anew(first):
    compilation = compile_anew()
    out = compute(compilation, first)
    nn.ANeuralNetworksCompilation_free(compilation)
    return out


def with_the_parents(first):
    return compute(inherited, first)


def run_pool(check, what, task):
    context = multiprocessing.get_context("fork")
    with context.Pool(WORKERS) as pool:
        results = pool.map_async(task, range(TASKS))
        try:
            got = results.get(timeout=SECONDS)
        except multiprocessing.TimeoutError:
            got = "the workers hang"
    check.equal(what, got, [[(i + 10) * 10.0, 220.0, 330.0, 440.0] for i in range(TASKS)])


def main():
    global inherited
    check = client.Checks()
    client.prototypes(nn)
    run_pool(check, "workers compute before the parent's first use", anew)
    inherited = compile_anew()
    check.equal("the parent computes", compute(inherited, 1), [110.0, 220.0, 330.0, 440.0])
    run_pool(check, "workers compute after it", anew)
    run_pool(check, "workers compute with the parent's compilation", with_the_parents)
    check.equal("the parent computes still", compute(inherited, 1), [110.0, 220.0, 330.0, 440.0])
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
