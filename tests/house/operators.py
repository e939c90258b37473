#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of operators of Documentation/tflite.rst is that of the descriptions in ops/. Prints TAP, a case per rule:

  names    each operator of the schema is in the table once, in the schema's order
  rows     an operator with a translation names its NNAPI operation and its types; one without says why
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, 'ops'))
import generate # noqa: E402
import tap # noqa: E402

TYPES = {'': 'as real', 'ANY': 'see there', 'Q8': '8 bits', 'Q8S': 'INT8', 'I32': 'INT32', 'B8': 'BOOL'}
NOTHING = '\u2014'
# What is left of an operator that becomes no operation, and the word of the table for it.
LEFT = {'folded': 'constant', 'state': 'variable'}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def operators():
    return generate.load(glob.glob(os.path.join(ROOT, 'ops', '**', '*.toml'), recursive=True)).operators


def type_words(operator):
    types = [t.removeprefix('IMPORT_') for t in operator.types]
    both = {'Q8', 'Q8S'} <= set(types) # an operation that takes both
    return ', '.join(TYPES[t] for t in types or [''] if not (both and t == 'Q8S'))


def table():
    """[(operator, NNAPI operation, types, how)] of the simple table under "Operators"."""
    lines = read('Documentation/tflite.rst').split('\nOperators\n', 1)[-1].split('\n')
    rules = [i for i, line in enumerate(lines) if line.startswith('==== ') or re.fullmatch(r'(=+ ){3}=+', line)]
    if len(rules) != 3:
        return []
    starts = [m.start() for m in re.finditer(r'=+', lines[rules[0]])] + [None]
    return [tuple(line[a:b].strip() for a, b in zip(starts, starts[1:])) for line in lines[rules[1] + 1:rules[2]]]


def check_names():
    listed = [(code, row[0]) for code, row in enumerate(table())]
    known = [(o.code, o.name) for o in operators()]
    return [f'{a} in the table, {b} in the schema' for a, b in zip(listed + [None], known + [None]) if a != b]


def check_rows():
    bad = []
    for operator, (name, operation, types, how) in zip(operators(), table()):
        wanted = operator.operation.name if operator.operation else NOTHING
        word = LEFT.get(operator.left, '')
        if not operator.translation and (operation != NOTHING or types != NOTHING or not how):
            bad.append(f'{name} is not translated: {operation}, {types}, why: "{how}"')
        if operator.translation and (operation != wanted or word not in how):
            bad.append(f'{name}: {operation}, {how} in the table, {wanted} {word} in the description')
        if operator.translation and types != type_words(operator):
            bad.append(f'{name}: {types} in the table, {type_words(operator)} in the description')
    return bad


def main():
    tap.run([('names', check_names), ('rows', check_rows)])


if __name__ == '__main__':
    main()
