#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""peer_python.py DEVICE MODEL: the Python package as a peer (serve.h): one call of nnaccel.Model a run, with its arrays. Its own
time is in each run, as an application has it."""
import json
import os
import statistics
import sys
import time

import numpy as np

import nnaccel

LEAST_BATCH_NS = 200000
MAX_BATCH = 4096


def now():
    return time.thread_time_ns(), time.process_time_ns(), time.perf_counter_ns()


def inputs(path, model):
    """From in0_I.bin beside the model, or a fixed sequence."""
    arrays = []
    for i, tensor in enumerate(model.inputs):
        name = os.path.join(os.path.dirname(path), f'in0_{i}.bin')
        wanted = int(np.prod(tensor.shape)) * np.dtype(tensor.dtype).itemsize
        if os.path.isfile(name) and os.path.getsize(name) == wanted:
            arrays.append(np.fromfile(name, tensor.dtype).reshape(tensor.shape))
        elif np.issubdtype(tensor.dtype, np.floating):
            arrays.append(np.linspace(-1, 1, int(np.prod(tensor.shape))).astype(tensor.dtype).reshape(tensor.shape))
        else:
            arrays.append(np.resize(np.arange(251), tensor.shape).astype(tensor.dtype))
    return arrays


def sample(model, arrays, batch):
    begin = now()
    for _ in range(batch):
        model(*arrays)
    return [(b - a) // batch for a, b in zip(begin, now())]


def first_batch(model, arrays):
    batch = 1
    while sample(model, arrays, batch)[1] * batch < LEAST_BATCH_NS and batch < MAX_BATCH:
        batch *= 2
    return batch


def play_round(model, arrays, budget, batch):
    samples, spent = [], 0
    while spent < budget or not samples:
        samples.append(sample(model, arrays, batch))
        spent += samples[-1][1] * batch
    thread, process, wall = (int(statistics.median_low(column)) for column in zip(*samples))
    return {'runs': len(samples) * batch, 'batch': batch, 'thread_ns': thread, 'process_ns': process, 'wall_ns': wall}


def peak_kib():
    with open('/proc/self/status', encoding='ascii') as status:
        return next(int(line.split()[1]) for line in status if line.startswith('VmHWM:'))


def main():
    begin = time.perf_counter_ns()
    try:
        model = nnaccel.Model(sys.argv[2], devices=sys.argv[1])
        arrays = inputs(sys.argv[2], model)
        model(*arrays)
    except nnaccel.Error as error:
        print(json.dumps({'error': str(error)}), flush=True)
        return 1
    nodes = len(model.explain().operations)
    print(json.dumps({'prepare_ns': time.perf_counter_ns() - begin, 'nodes': nodes, 'taken': nodes, 'pieces': 1}), flush=True)
    batch = 0
    for line in sys.stdin:
        if line.startswith('round '):
            batch = batch or first_batch(model, arrays)
            print(json.dumps(play_round(model, arrays, int(line.split()[1]), batch)), flush=True)
        else:
            print(json.dumps({'peak_kib': peak_kib()}), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
