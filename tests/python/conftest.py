# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: models, and a line of TAP for each test."""
import os
import sys

import numpy as np
import pytest

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, os.path.join(ROOT, 'tests/import'))
NUMBERS = {'FLOAT32': np.float32, 'INT8': np.int8, 'UINT8': np.uint8, 'INT32': np.int32}


class Samples:
    """A folder of models/: the file, and for each sample its inputs and outputs."""

    def __init__(self, name):
        self.folder = os.path.join(ROOT, 'models', name)
        self.path = os.path.join(self.folder, 'model.tflite')

    def load(self, prefix, number, tensor):
        path = os.path.join(self.folder, f'{prefix}{number}_0.bin')
        return np.fromfile(path, tensor.dtype).reshape(tensor.shape)


@pytest.fixture(params=['shapes_int8', 'shapes_fp32', 'motion'])
def samples(request):
    return Samples(request.param)


@pytest.fixture
def int8():
    return Samples('shapes_int8')


def case(module, name):
    """A model that a case of tests/import writes, as bytes."""
    return getattr(__import__(module), 'case_' + name)().model.bytes()


class Tap:
    """Prints a line for each test, as meson counts them, and why one failed."""

    def __init__(self):
        self.number = 0

    def pytest_runtest_logreport(self, report):
        if report.when != 'call' and report.passed:
            return
        self.number += 1
        end = ' # SKIP ' + str(report.longrepr[2]) if report.skipped else ''
        print(f'{"not ok" if report.failed else "ok"} {self.number} {report.nodeid.split("::")[-1]}{end}')
        if report.failed:
            print('\n'.join('# ' + line for line in report.longreprtext.splitlines()))

    def pytest_sessionfinish(self):
        print(f'1..{self.number}', flush=True)


def pytest_configure(config):
    if os.environ.get('NN_TAP'):
        config.pluginmanager.register(Tap())
