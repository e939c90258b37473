#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""peer_onnxruntime.py [LIBRARY] MODEL: ONNX Runtime as a peer (serve.h), one thread: model.onnx beside MODEL, with its CPU provider, or
with ours of LIBRARY for the nodes that it takes. Python's own time, some 10 us, is in each run."""
import os
import sys
import time

import numpy as np
import onnxruntime as ort

from serve_python import fill, refuse, serve

TYPES = {'tensor(float)': np.float32, 'tensor(uint8)': np.uint8}


def add_provider(options, library):
    ort.register_execution_provider_library('nnaccel', library)
    devices = [device for device in ort.get_ep_devices() if device.ep_name == 'NnaccelExecutionProvider']
    options.add_provider_for_devices(devices, {'device': 'nnaccel-cpu', 'log': 'off'})


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(sys.argv[-1])), 'model.onnx')
    if not os.path.isfile(path):
        return refuse('there is no model.onnx beside it')
    begin, processor = time.perf_counter_ns(), time.process_time_ns()
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if sys.argv[2:]:
        add_provider(options, sys.argv[1])
    session = ort.InferenceSession(path, sess_options=options, enable_fallback=0)
    feeds = {tensor.name: fill(path, i, tensor.shape, TYPES[tensor.type]) for i, tensor in enumerate(session.get_inputs())}
    names = [tensor.name for tensor in session.get_outputs()]
    prepared = time.perf_counter_ns() - begin
    session.run(names, feeds)
    # without the start of Python
    return serve({'first_ns': time.process_time_ns() - processor, 'prepare_ns': prepared}, lambda: session.run(names, feeds))


if __name__ == '__main__':
    sys.exit(main())
