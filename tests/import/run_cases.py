#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_cases.py NNCTL FILE [NAME...]: the cases of tests/import/FILE.py, each as a .tflite file of its own, on the in-process
device and through the runtime. Prints TAP. A case is a function whose name begins with case_ and that returns a Case."""
import importlib
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tflite_writer # noqa: E402

ROUTES = {'device': ['--device', 'cpu'], 'runtime': ['--runtime']}


class Case:
    """@model with @inputs, lists of (type, values), gives @outputs within @tolerance; or with @refused, a regular expression,
    is refused with such a message. @repeat: the outputs are those of the execution with that number."""

    def __init__(self, model, inputs=(), outputs=(), tolerance=0, refused=None, repeat=1):
        self.model, self.inputs, self.outputs = model, inputs, outputs
        self.tolerance, self.refused, self.repeat = tolerance, refused, repeat

    def refuse(self, words):
        """The same case, which is refused."""
        self.refused = words
        return self

    def check(self, text):
        """What is wrong with the outputs."""
        at = 0
        for number, (kind, values) in enumerate(self.outputs):
            code = f'<{len(values)}{tflite_writer.TYPES[kind][1]}'
            if at + struct.calcsize(code) > len(text):
                return f'output {number}: {len(text)} bytes in all'
            got = struct.unpack_from(code, text, at)
            at += struct.calcsize(code)
            if not all(abs(g - v) <= self.tolerance for g, v in zip(got, values)):
                return f'output {number}: got {list(got)}, expected {list(values)}'
        return '' if at == len(text) else f'{len(text)} bytes of outputs, expected {at}'

    def run(self, nnctl, route, folder):
        path, out = f'{folder}/model.tflite', f'{folder}/out'
        with open(path, 'wb') as file:
            file.write(self.model if isinstance(self.model, bytes) else self.model.bytes())
        command = [nnctl, 'run', path, *ROUTES[route], '--output', out, '--repeat', str(self.repeat)]
        for number, (kind, values) in enumerate(self.inputs):
            with open(f'{folder}/in{number}', 'wb') as file:
                file.write(tflite_writer.pack(kind, values))
            command += ['--input', f'{folder}/in{number}']
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if self.refused:
            # a message of one line, and the exit status of a refusal: 1
            if done.returncode != 1 or not re.search(self.refused, done.stderr):
                return f'ended with {done.returncode}, nothing like "{self.refused}" in: {done.stderr.strip()}'
            return '' if done.stderr.count('\n') == 1 else f'more than one line: {done.stderr.strip()}'
        if done.returncode:
            return f'ended with {done.returncode}: {done.stderr.strip()}'
        with open(out, 'rb') as file:
            return self.check(file.read())


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    module = importlib.import_module(sys.argv[2])
    names = [n for n in dir(module) if n.startswith('case_') and (not sys.argv[3:] or n[5:] in sys.argv[3:])]
    failed = 0
    print(f'1..{len(names) * len(ROUTES)}')
    for number, (name, route) in enumerate(((n, r) for n in names for r in ROUTES), 1):
        with tempfile.TemporaryDirectory() as folder:
            bad = getattr(module, name)().run(sys.argv[1], route, folder)
        failed += bool(bad)
        print(f'{"not ok" if bad else "ok"} {number} {name[5:]}, {route}', flush=True)
        if bad:
            print('# ' + bad.replace('\n', '\n# '))
    sys.exit(bool(failed or not names))


if __name__ == '__main__':
    sys.modules['run_cases'] = sys.modules['__main__']
    main()
