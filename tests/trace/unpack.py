#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unpack.py FOLDER [STAMP DEPFILE]: writes each NAME.case of tests/trace as the files NAME.SUFFIX into FOLDER, which it replaces.

A line "@@@ SUFFIX" begins the text of a file, which is all lines up to the next such line. For a build, STAMP gets the number of the
files, and DEPFILE what they were made of. scripts/trace-check.sh has the suffixes."""
import os
import re
import shutil
import sys

MARK = re.compile(rb'^@@@ ([a-z.]+)\n', re.M)


def parts(path):
    """(suffix, text) of each file in a case."""
    with open(path, 'rb') as file:
        head, *rest = MARK.split(file.read())
    found = [(suffix.decode(), text) for suffix, text in zip(rest[::2], rest[1::2])]
    if head or not found or len(dict(found)) != len(found) or not all(text.endswith(b'\n') for _, text in found):
        sys.exit(f'{path}: must be texts with "@@@ SUFFIX" in front of each, a suffix only once, whole lines')
    return found


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    here, folder = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
    cases = sorted(os.path.join(here, name) for name in os.listdir(here) if name.endswith('.case'))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    count = 0
    for path in cases:
        for suffix, text in parts(path):
            name = os.path.basename(path)[:-len('case')] + suffix
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(text)
            count += 1
    if len(sys.argv) == 4:
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.write(f'{count} files\n')
        with open(sys.argv[3], 'w', encoding='utf-8') as file:
            file.write(' '.join([sys.argv[2] + ':', here] + cases) + '\n')


if __name__ == '__main__':
    main()
