#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paths and sizes of the tracked files. Prints TAP, a case per rule:

  names   letters, digits and "._+@-" only, in appends of Yocto "%", and no name begins with "-": commands would take it for an option
  sizes   a file that is not text has at most 128 KB: large inputs are made by a script
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# bindings are VENDOR,DEVICE.yaml; RECIPE_%.bbappend is for all versions
NAME = re.compile(r'[A-Za-z0-9._][A-Za-z0-9._+@,-]*|[a-z0-9-]+_%\.bbappend')
LARGEST = 128 << 10


def tracked():
    listed = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard', '-z'])
    return [path for path in os.fsdecode(listed).split('\0') if path and os.path.lexists(os.path.join(ROOT, path))]


def check_names():
    return [path for path in tracked() if not all(NAME.fullmatch(name) for name in path.split('/'))]


def is_text(path):
    with open(path, 'rb') as file:
        return b'\0' not in file.read(4096)


def check_sizes():
    bad = []
    for path in tracked():
        full = os.path.join(ROOT, path)
        if os.path.isfile(full) and os.path.getsize(full) > LARGEST and not is_text(full):
            bad.append(f'{path}: {os.path.getsize(full)} bytes')
    return bad


def main():
    tap.run([('names', check_names), ('sizes', check_sizes)])


if __name__ == '__main__':
    main()
