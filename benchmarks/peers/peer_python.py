#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""peer_python.py DEVICE MODEL: the Python package as a peer (serve.h): one call of nnaccel.Model a run, with its arrays. Its own
time is in each run, as an application has it."""
import sys
import time

import nnaccel
from serve_python import fill, refuse, serve


def main():
    begin = time.perf_counter_ns()
    try:
        model = nnaccel.Model(sys.argv[2], devices=sys.argv[1])
        arrays = [fill(sys.argv[2], i, tensor.shape, tensor.dtype) for i, tensor in enumerate(model.inputs)]
        model(*arrays)
    except nnaccel.Error as error:
        return refuse(error)
    nodes = len(model.explain().operations)
    ready = {'prepare_ns': time.perf_counter_ns() - begin, 'nodes': nodes, 'taken': nodes, 'pieces': 1}
    return serve(ready, lambda: model(*arrays))


if __name__ == '__main__':
    sys.exit(main())
