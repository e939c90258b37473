#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of operators of Documentation/tflite.rst is that of lib/libnnimport/operations.c. Prints TAP, a case per rule:

  names    each operator of the schema is in the table once, in the schema's order
  rows     an operator with a row names its NNAPI operation and its types; one without says why
  codes    the name in the comment of a row, or that of its NNAPI operation, is the operator of its code
"""
import os
import re
import sys

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Operators that NNAPI names otherwise.
RENAMED = {'RELU_N1_TO_1': 'RELU1', 'TRANSPOSE_CONV': 'TRANSPOSE_CONV_2D', 'ARG_MAX': 'ARGMAX', 'ARG_MIN': 'ARGMIN', 'SUM': 'REDUCE_SUM',
           'PADV2': 'PAD_V2', 'REVERSE_V2': 'REVERSE'}
TYPES = {'REAL': 'as real', 'ANY': 'see there', 'Q8': '8 bits', 'IMPORT_Q8S': 'INT8', 'I32': 'INT32', 'B8': 'BOOL'}
NOTHING = '\u2014'
# Rows of no operation, and the word that says what is left.
NO_OPERATION = {'FOLDED': 'constant', 'STATE': 'variable'}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def operators():
    return re.findall(r'^\t"(\w+)",', read('lib/libnnimport/operator_names.c'), re.M)


def rows():
    """{code: (NNAPI operation, types, name in a comment)}"""
    found = {}
    for code, operation, types, name in re.findall(r'^\tROW\((\d+), (\w+), \w+, ([^,]+), .*?\),(?:\s+/\* (\w+) \*/)?$',
                                                   read('lib/libnnimport/operations.c'), re.M | re.S):
        found[int(code)] = (operation, ', '.join(TYPES[t] for t in types.split(' | ')), name)
    return found


def table():
    """[(operator, NNAPI operation, types, how)] of the simple table under "Operators"."""
    lines = read('Documentation/tflite.rst').split('\nOperators\n', 1)[-1].split('\n')
    rules = [i for i, line in enumerate(lines) if line.startswith('==== ') or re.fullmatch(r'(=+ ){3}=+', line)]
    if len(rules) != 3:
        return []
    starts = [m.start() for m in re.finditer(r'=+', lines[rules[0]])] + [None]
    return [tuple(line[a:b].strip() for a, b in zip(starts, starts[1:])) for line in lines[rules[1] + 1:rules[2]]]


def check_names():
    listed = [row[0] for row in table()]
    return [f'{a} in the table, {b} in the schema' for a, b in zip(listed + [None], operators() + [None]) if a != b]


def check_rows():
    bad, known = [], rows()
    for code, (name, operation, types, how) in enumerate(table()):
        row = known.get(code)
        if not row and (operation != NOTHING or types != NOTHING or not how):
            bad.append(f'{name} is not translated: {operation}, {types}, why: "{how}"')
        word = NO_OPERATION.get(row[0]) if row else None
        if word and (operation != NOTHING or word not in how):
            bad.append(f'{name} is a {word}: {operation}, {how}')
        if row and not word and operation != row[0]:
            bad.append(f'{name}: {operation} in the table, {row[0]} in the code')
        if row and types != row[1]:
            bad.append(f'{name}: {types} in the table, {row[1]} in the code')
    return bad


def check_codes():
    names = operators()
    return [f'the row of {code} is {name or operation}, the operator {names[code]}' for code, (operation, _, name) in rows().items()
            if (name or operation) not in (names[code], RENAMED.get(names[code]))]


def main():
    tap.run([('names', check_names), ('rows', check_rows), ('codes', check_codes)])


if __name__ == '__main__':
    main()
