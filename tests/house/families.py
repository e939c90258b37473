#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""families.py: an operation is in the file of its family, in ops/ and three rooms, and nowhere else.

The table "Families" of Documentation/operations.rst lists the operation families. Prints TAP, a case per rule:

  table      every NNAPI operation and every device operation is in one row of the table
  ops        ops/FAMILY.toml describes the NNAPI operations of the table's row
  lower, libnnprog, firmware
             the files of the room's folder are the table's, and each operation's row is in its family's file
  branches   no other code compares an operation code: what differs by operation is a column of a row or
             descriptor. ALLOWED lists the exceptions
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, 'ops'))
import generate # noqa: E402
import tap # noqa: E402

TABLE = 'Documentation/operations.rst'

# (room, folder, what a row looks like, column of the table)
ROOMS = [
    ('lower', 'lib/libnnhal/lower/ops', r'\.opcode = NNMODEL_(\w+)', 1),
    ('libnnprog', 'lib/libnnprog/ops', r'\.opcode = NNPROG_OP_(\w+)', 2),
    ('firmware', 'firmware/ops', r'\.opcode = NNPROG_OP_(\w+)', 2),
]
# Files of these folders that are no family: the table of all of them.
TABLES = {'firmware/ops/nnfw_ops.c'}

# Code that distinguishes IF and WHILE: the operand that names the first subgraph, and the use of its result.
# {file name: {operation: why}}
ALLOWED = {
    'dump.c': {'IF': 'text of the two subgraphs'},
    'load.c': {'IF': 'IF has a condition before its inputs', 'WHILE': 'the operations that the interpreter runs'},
    'interp_control_flow.c': {'IF': 'the interpreter of both'},
    'cost.c': {'IF': 'one of two subgraphs runs, not both'},
    'partition_graph.c': {'IF': 'nodes of the plan'},
    'control_flow_graphs.c': {'IF': 'the inputs that name the subgraphs'},
    'specialize.c': {'IF': 'IF has a condition before its inputs'},
    'control_flow_models.c': {'IF': 'builds a model of either'},
    'sample_models.c': {'LESS': 'builds a model: the condition of its loop'},
    'by_op.c': {'ADD': 'most examples add a tensor to their subject', 'DENSIFY': 'its code is not in the range of the others'},
}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def families():
    """{family: (its NNAPI operations, its device operations)}, of the list-table "Families"."""
    found, row = {}, []
    text = read(TABLE).split('.. list-table:: Families', 1)
    for line in text[1].split('\n') if len(text) == 2 else ():
        if line and not line.startswith(' '):
            break
        start = re.match(r'\s+(\* -|-) (.*)', line)
        if start:
            if start.group(1) == '* -':
                row = []
                found[len(found)] = row
            row.append(start.group(2))
        elif line.strip() and row:
            row[-1] += ' ' + line.strip()
    rows = [cells for cells in found.values() if len(cells) == 3]
    return {cells[0].strip('`'): tuple(re.findall(r'\b[A-Z][A-Z0-9_]+\b', cell) for cell in cells[1:])
            for cells in rows[1:]}


def described():
    """{family: its NNAPI operations}, of ops/."""
    found = {}
    for operation in generate.load(glob.glob(os.path.join(ROOT, 'ops', '*.toml'))):
        found.setdefault(operation.family, []).append(operation.name)
    return found


def nnapi_operations():
    return re.findall(r'^\tNNMODEL_([A-Z0-9_]+) = \d+,?$', read('lib/libnnmodel/nnmodel.h').split('enum nnmodel_opcode {')[1].split('};')[0], re.M)


def device_operations():
    names = re.findall(r'^\tNNPROG_OP_(\w+) = ', read('lib/libnnprog/nnprog_opcode.h'), re.M)
    return [name for name in names if name not in ('NONE', 'EXTENSION')]


def check_table(table):
    bad = []
    for column, operations in ((0, nnapi_operations()), (1, device_operations())):
        listed = [name for row in table.values() for name in row[column]]
        bad += [f'{name}: in {listed.count(name)} families' for name in operations if listed.count(name) != 1]
        bad += [f'{name}: no such operation' for name in listed if name not in operations]
    return bad


def check_descriptions(table):
    found = described()
    return [f'ops/{family}.toml: {found.get(family, [])}; {TABLE}: {row[0]}' for family, row in table.items() if found.get(family, []) != row[0]] + \
           [f'ops/{family}.toml: no family of {TABLE}' for family in found if family not in table]


def check_room(table, folder, row, column):
    bad, rows = [], {}
    for name in sorted(os.listdir(os.path.join(ROOT, folder))):
        path = f'{folder}/{name}'
        if not name.endswith('.c') or path in TABLES or name.startswith('extension_'):
            continue
        family = name[:-2]
        if folder.startswith('firmware'):
            # the longest family that the name begins with: quantized_lstm_16bit.c is a part of quantized_lstm
            family = max((f for f in table if family == f or family.startswith(f + '_')), key=len, default=family)
        if family not in table:
            bad.append(f'{path}: no family of {TABLE}')
        for match in re.finditer(row, read(path)):
            rows.setdefault(next(g for g in match.groups() if g), []).append(family)
    for family, operations in table.items():
        for name in operations[column - 1]:
            if rows.get(name) != [family]:
                bad.append(f'{name}: rows in {rows.get(name, [])}, family {family}')
    return bad


def check_branches():
    names = '|'.join(nnapi_operations())
    code = rf'(?:NNPROG_OP_(?!COUNT|NONE|EXTENSION)(\w+)|NNMODEL_({names}))\b'
    compare = re.compile(rf'case {code}|[!=]= {code}|{code} [!=]= ')
    files = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard', 'lib', 'firmware', 'tools'],
                                    text=True).split('\n')
    bad = []
    for path in files:
        folder, name = os.path.split(path)
        if not path.endswith(('.c', '.h')) or not os.path.exists(os.path.join(ROOT, path)) or os.path.basename(folder) == 'ops':
            continue
        for number, line in enumerate(read(path).split('\n'), 1):
            for match in compare.finditer(line):
                operation = next(g for g in match.groups() if g)
                if operation not in ALLOWED.get(name, ()):
                    bad.append(f'{path}:{number}: {operation}')
    return bad


def main():
    table = families()
    checks = [('table', lambda: check_table(table)), ('ops', lambda: check_descriptions(table))]
    for room, folder, row, column in ROOMS:
        checks.append((room, lambda f=folder, r=row, c=column: check_room(table, f, r, c)))
    checks.append(('branches', check_branches))
    tap.run(checks)


if __name__ == '__main__':
    main()
