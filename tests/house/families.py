#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""families.py: an operation is in the folder of its family, and nowhere else.

The table "Families" of Documentation/operations.rst lists the operation families. Prints TAP, a case per rule:

  table      every NNAPI operation and every device operation is in one row of the table
  folders    the folders of ops/ are the table's, and extensions; test_ops_FAMILY.c is in its family's folder
  ops        FAMILY.toml describes the operations of the table's row
  lower, kernel
             each operation's row is in its family's files of this part
  rule       FAMILY_rule.c has the descriptors of its family
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

# (part, its files in ops/FAMILY/, what a row looks like, column of the table)
PARTS = [
    ('lower', r'_lower\.c$', r'\.opcode = NNMODEL_(\w+)', 1),
    ('kernel', r'/(?!test_)\w+(?<!_lower)(?<!_rule)\.c$', r'\.opcode = NNPROG_OP_(\w+)', 2),
]

# Code that distinguishes IF and WHILE: the operand that names the first subgraph, and the use of its result.
# {file name: {operation: why}}
ALLOWED = {
    'dump.c': {'IF': 'text of the two subgraphs'},
    'load.c': {'IF': 'IF has a condition before its inputs', 'WHILE': 'the operations that the interpreter runs'},
    'interp_control_flow.c': {'IF': 'the interpreter of both'},
    'cost.c': {'IF': 'one of two subgraphs runs, not both'},
    'partition_graph.c': {'IF': 'nodes of the plan'},
    'model_parts.c': {'IF': 'the inputs that name the subgraphs'},
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
    """{family: (its NNAPI operations, its device operations)}, of ops/."""
    found = generate.load(glob.glob(os.path.join(ROOT, 'ops', '*', '*.toml')))
    return {family: ([o.name for o in found.operations if o.family == family], [d.name for d in found.devices_of[family]])
            for family in found.families}


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
    return [f'{family}.toml: {found.get(family)}; {TABLE}: {row}' for family, row in table.items()
            if [sorted(names) for names in found.get(family, ((), ()))] != [sorted(names) for names in row]] + \
           [f'{family}.toml: no family of {TABLE}' for family in found if family not in table]


def check_folders(table):
    """Each file begins with its family's name, so that no two files share one."""
    bad = []
    for path in glob.glob(os.path.join(ROOT, 'ops', '*', '*')):
        family, name = path.split('/')[-2:]
        if family not in table and not family.startswith('extension_'):
            bad.append(f'ops/{family}: no family of {TABLE}')
        if not re.match(rf'{family}[_.]', name) and name != f'test_ops_{family}.c':
            bad.append(f'ops/{family}/{name}: the name does not begin with the family')
    return bad + [f'tests/unit/test_ops_{family}.c: must be in ops/{family}' for family in table
                  if os.path.exists(os.path.join(ROOT, 'tests', 'unit', f'test_ops_{family}.c'))]


def check_part(table, pattern, row, column):
    bad, rows = [], {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'ops', '*', '*.c'))):
        if re.search(pattern, path):
            for match in re.finditer(row, read(path)):
                rows.setdefault(match.group(1), []).append(os.path.basename(os.path.dirname(path)))
    for family, operations in table.items():
        for name in operations[column - 1]:
            if rows.get(name) != [family]:
                bad.append(f'{name}: rows in {rows.get(name, [])}, family {family}')
    return bad


def check_rules(table):
    bad = []
    for family, (_, devices) in table.items():
        path = f'ops/{family}/{family}_rule.c'
        if re.findall(r'^#define NNPROG_FAMILY_(\w+)$', read(path), re.M) != ([family.upper()] if devices else []):
            bad.append(f'{path}: must end with NNPROG_FAMILY_{family.upper()} and nnprog_described.h if the family has device operations')
    return bad


def check_branches():
    names = '|'.join(nnapi_operations())
    code = rf'(?:NNPROG_OP_(?!COUNT|NONE|EXTENSION)(\w+)|NNMODEL_({names}))\b'
    compare = re.compile(rf'case {code}|[!=]= {code}|{code} [!=]= ')
    files = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard', 'lib', 'firmware', 'tools'],
                                    text=True).split('\n')
    bad = []
    for path in files:
        name = os.path.basename(path)
        if not path.endswith(('.c', '.h')) or not os.path.exists(os.path.join(ROOT, path)):
            continue
        for number, line in enumerate(read(path).split('\n'), 1):
            for match in compare.finditer(line):
                operation = next(g for g in match.groups() if g)
                if operation not in ALLOWED.get(name, ()):
                    bad.append(f'{path}:{number}: {operation}')
    return bad


def main():
    table = families()
    checks = [('table', lambda: check_table(table)), ('folders', lambda: check_folders(table)),
              ('ops', lambda: check_descriptions(table))]
    for part, pattern, row, column in PARTS:
        checks.append((part, lambda p=pattern, r=row, c=column: check_part(table, p, r, c)))
    checks += [('rule', lambda: check_rules(table)), ('branches', check_branches)]
    tap.run(checks)


if __name__ == '__main__':
    main()
