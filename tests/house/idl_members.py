#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The descriptions of interfaces between processes (*.idl) have all of the C structs that they name. Prints TAP, a case per rule:

  members   each member of a struct travels, or the description has it as "local"; and each member there is one of the struct
  methods   each function of a table is a method, or the description has it as "local"; and the other way round
"""
import os
import re
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'lib', 'idl'))
import idl # noqa: E402
import tap # noqa: E402

# description: headers with its structs
DESCRIPTIONS = {
    'lib/libnnhal/hal.idl': ('lib/libnnhal/nnhal.h', 'lib/libnnhal/nnhal_types.h', 'lib/libnnmodel/nnmodel.h',
                             'lib/libnnipc/messages/nnipc_messages.h'),
    'lib/libnnsensors/sensors.idl': ('lib/libnnsensors/nnsensors.h',),
}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)


def c_structs(paths):
    """{struct: names of its members}"""
    found = {}
    for path in paths:
        for name, body in re.findall(r'^struct (\w+) \{\n(.*?)^\};', read(path), re.M | re.S):
            members = []
            for line in body.split(';'):
                function = re.search(r'\(\*(\w+)\)', line)
                if function:
                    members.append(function.group(1))
                elif line.strip():
                    members += [re.search(r'(\w+)\s*(?:\[.*?\])?$', part.strip()).group(1) for part in line.split(',')]
            found[name] = members
    return found


def difference(what, described, declared):
    bad = [f'{what}: {name} does not travel and is not local' for name in declared if name not in described]
    return bad + [f'{what} has no {name}' for name in sorted(described) if name not in declared]


def check_members():
    bad = []
    for path, headers in DESCRIPTIONS.items():
        declared = c_structs(headers)
        for struct in idl.Idl(os.path.join(ROOT, path)).structs.values():
            if struct.c_name not in declared:
                bad.append(f'{path}: no struct {struct.c_name} in {", ".join(headers)}')
                continue
            described = set(struct.locals) | {m.name for m in struct.members} | {'size'} if struct.sized else \
                set(struct.locals) | {m.name for m in struct.members}
            described |= {m.count for m in struct.members if m.list or m.kind == 'blob'}
            bad += difference(f'struct {struct.c_name}', described, declared[struct.c_name])
    return bad


def check_methods():
    bad = []
    for path, headers in DESCRIPTIONS.items():
        declared = c_structs(headers)
        for interface in idl.Idl(os.path.join(ROOT, path)).interfaces:
            table = declared.get(f'nnhal_{interface.name}_ops')
            if table:
                described = set(interface.locals) | {m.op for m in interface.methods if m.form != 'other'} | {'size'}
                bad += difference(f'nnhal_{interface.name}_ops', described, table)
    return bad


def main():
    tap.run([('members', check_members), ('methods', check_methods)])


if __name__ == '__main__':
    main()
