#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""door_streams.py DEVICE STREAMS: models that keep values from one run to the next by the installed package nnaccel, beside what
TensorFlow Lite gives for the same inputs (tests/delegate/door_delegate.py, whose seed is this one). Each element of each run is
within a step. Prints a line per model, and last "N passed, N failed"."""
import json
import os
import random
import sys

import numpy as np

import nnaccel
from door_report import report

SEED = 7


def try_stream(path, device, outputs):
    """Elements that differ, and the widest difference."""
    model, rng = nnaccel.Model(path, devices=device), random.Random(SEED)
    shape, differ, widest = model.inputs[0].shape, 0, 0
    for _, expected in outputs:
        data = np.frombuffer(rng.randbytes(int(np.prod(shape))), np.int8).reshape(shape)
        steps = np.abs(np.asarray(model(data)).ravel().astype(int) - np.array(expected))
        differ, widest = differ + int((steps > 0).sum()), max(widest, int(steps.max()))
    return widest <= 1, f'{len(outputs)} runs, {differ} elements differ, by {widest} at most'


def main():
    with open(sys.argv[2], encoding='utf-8') as file:
        streams = json.load(file)
    return report((os.path.basename(path), lambda path=path, outputs=outputs: try_stream(path, sys.argv[1], outputs))
                  for path, outputs in streams.items())


sys.exit(main())
