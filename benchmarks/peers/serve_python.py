# SPDX-License-Identifier: Apache-2.0
"""What peers in Python share (serve.h)."""
import json
import os
import statistics
import sys
import time

import numpy as np

LEAST_BATCH_NS = 200000
MAX_BATCH = 4096


def now():
    return time.thread_time_ns(), time.process_time_ns(), time.perf_counter_ns()


def fill(path, i, shape, dtype):
    """Input @i: from in0_I.bin beside the model, or a fixed sequence."""
    name = os.path.join(os.path.dirname(path), f'in0_{i}.bin')
    if os.path.isfile(name) and os.path.getsize(name) == int(np.prod(shape)) * np.dtype(dtype).itemsize:
        return np.fromfile(name, dtype).reshape(shape)
    if np.issubdtype(dtype, np.floating):
        return np.linspace(-1, 1, int(np.prod(shape))).astype(dtype).reshape(shape)
    return np.resize(np.arange(251), shape).astype(dtype)


def sample(run, batch):
    begin = now()
    for _ in range(batch):
        run()
    return [(b - a) // batch for a, b in zip(begin, now())]


def first_batch(run):
    batch = 1
    while sample(run, batch)[1] * batch < LEAST_BATCH_NS and batch < MAX_BATCH:
        batch *= 2
    return batch


def play_round(run, budget, batch):
    samples, spent = [], 0
    while spent < budget or not samples:
        samples.append(sample(run, batch))
        spent += samples[-1][1] * batch
    thread, process, wall = (int(statistics.median_low(column)) for column in zip(*samples))
    return {'runs': len(samples) * batch, 'batch': batch, 'thread_ns': thread, 'process_ns': process, 'wall_ns': wall}


def peak_kib():
    with open('/proc/self/status', encoding='ascii') as status:
        return next(int(line.split()[1]) for line in status if line.startswith('VmHWM:'))


def serve(ready, run):
    """Answer standard input to its end. @ready: the first line; @run: runs the model once."""
    print(json.dumps(ready), flush=True)
    batch = 0
    for line in sys.stdin:
        if line.startswith('round '):
            batch = batch or first_batch(run)
            print(json.dumps(play_round(run, int(line.split()[1]), batch)), flush=True)
        else:
            print(json.dumps({'peak_kib': peak_kib()}), flush=True)
    return 0


def refuse(why):
    print(json.dumps({'error': str(why)}), flush=True)
    return 1
