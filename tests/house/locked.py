#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A function of the driver whose name ends in _locked names its locks by lockdep_assert_held(). Prints TAP, a case per rule:

  found    there are such functions
  named    each of them asserts a lock
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def functions():
    """[(file, name, body)]"""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, 'kernel/nnaccel/*.c'))):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        found += [(os.path.relpath(path, ROOT), name, body)
                  for name, body in re.findall(r'^\w[^\n;]*\b(\w+_locked)\([^;{]*\)\n\{\n(.*?)^\}', text, re.M | re.S)]
    return found


def unnamed():
    return [f'{path}: {name}() does not say by lockdep_assert_held() which lock' for path, name, body in functions()
            if 'lockdep_assert_held' not in body]


if __name__ == '__main__':
    tap.run([('found', lambda: [] if functions() else ['no function of kernel/nnaccel ends in _locked']),
             ('named', unnamed)])
