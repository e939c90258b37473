#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py COUNT SEED: random .tflite files to the standard output, the same ones for a SEED: for each valid model one with a
broken rule behind it, and at last some that want to be large. A file has a header in front of it: its size and what has to become
of it (uint32; broken_models.py), the length of its name (uint32), and the name.

generate.py COUNT SEED FOLDER: the same as files of a folder.
generate.py --cases FOLDER STAMP NAME...: the models of the cases in NAME.py, in FOLDER/right and FOLDER/refused."""
import importlib
import os
import random
import shutil
import struct
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import broken_models # noqa: E402
import random_models # noqa: E402


def broken(rng, model):
    """Bytes of @model with a broken rule, what has to become of it, and the name of the rule."""
    while True:
        rule = rng.choice(broken_models.RULES + broken_models.BYTE_RULES)
        if rule in broken_models.RULES:
            end = rule(rng, model)
            if end is None:
                continue
            return model.bytes(), end, rule.__name__
        writer = model.written()
        rule(rng, writer)
        return bytes(writer.out), broken_models.EITHER, rule.__name__


def files(count, seed):
    """(name, what has to become of it, bytes)"""
    for i in range(0, count, 2):
        rng = random.Random(f'{seed} {i}')
        model = random_models.model(rng)
        yield f'{seed}-{i} valid', broken_models.RIGHT, model.bytes()
        data, end, rule = broken(rng, model)
        yield f'{seed}-{i} {rule}', end, data
    for make in broken_models.LARGE:
        yield make.__name__, broken_models.EITHER, make().bytes()


def write_folder(folder, entries):
    os.makedirs(folder, exist_ok=True)
    for name, data in entries:
        with open(os.path.join(folder, name.replace(' ', '-') + '.tflite'), 'wb') as file:
            file.write(data)


def cases(names):
    """(whether it is refused, name, bytes)"""
    for module in map(importlib.import_module, names):
        for name in [n for n in dir(module) if n.startswith('case_')]:
            case = getattr(module, name)()
            data = case.model if isinstance(case.model, bytes) else case.model.bytes()
            yield bool(case.refused), f'{module.__name__}-{name[5:]}', data


def write_cases(folder, stamp, *names):
    found = list(cases(names))
    shutil.rmtree(folder, ignore_errors=True)
    for refused, name in [(False, 'right'), (True, 'refused')]:
        write_folder(os.path.join(folder, name), [(n, data) for r, n, data in found if r == refused])
    with open(stamp, 'w', encoding='utf-8') as file:
        file.write(f'{len(found)} files\n')


def main():
    if len(sys.argv) > 4 and sys.argv[1] == '--cases':
        write_cases(*sys.argv[2:])
    elif len(sys.argv) == 4:
        write_folder(sys.argv[3], [(name, data) for name, _, data in files(int(sys.argv[1]), sys.argv[2])])
    elif len(sys.argv) == 3:
        for name, end, data in files(int(sys.argv[1]), sys.argv[2]):
            sys.stdout.buffer.write(struct.pack('<3I', len(data), end, len(name.encode())) + name.encode() + data)
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main()
