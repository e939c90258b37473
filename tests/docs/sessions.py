#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sessions.py PAGE...: runs the sessions that pages of the documentation show, and compares what they print. Prints TAP.

A session is a "code-block:: console": lines that begin with "$ " are commands, which go on after "\\" at the end of a line and
on lines that begin with "> "; the lines below are what they print. A line "..." stands for any number of lines. All sessions of a page run in one shell, in a folder of
their own with links to models and examples, in the order of the page. The number of spaces does not matter; nor do numbers on
a line that measures: with a unit of time, rate or memory, with %, or below such a line without numbers (the head of a table). Programs are found in the folders of
NN_SESSION_PATH first; NN_BUILD is the folder "build". Commands that boot the virtual machine are left out, unless NN_SESSION_BOOTS is
1; lines in which the scripts of the project report what they wait for do not count."""
import os
import re
import subprocess
import sys
import tempfile

BOOTS = os.environ.get('NN_SESSION_BOOTS') == '1'
LIMIT = 1800 if BOOTS else 500 # seconds
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = '.. code-block:: console'
MEASURES = re.compile(r'\b(ms|us|Hz|GOP/s|GB/s|MiB|KiB)\b|%')
BOOT = 'tests/vm/vm.sh '
REPORT = re.compile(r'\[ *\d+\.\d s\] ')
NUMBER = re.compile(r'-?\d+(\.\d+)?(e-?\d+)?')


def sessions(text):
    """(command, lines that it prints) in the order of the page."""
    found, indent = [], None
    for line in text.splitlines() + ['end']:
        if line.strip() == BLOCK:
            indent = len(line) - len(line.lstrip()) + 3
        elif indent is not None and line.strip() and len(line) - len(line.lstrip()) < indent:
            indent = None
        elif indent is not None:
            inner = line[indent:]
            if found and not found[-1][1] and (found[-1][0].endswith('\\') or inner.startswith('> ')):
                found[-1] = (f'{found[-1][0]}\n{inner.removeprefix("> ")}', [])
            elif inner.startswith('$ '):
                found.append((inner[2:], []))
            elif inner.strip() and inner != ':force:':
                found[-1][1].append(inner)
    return found


def plain(line):
    return ' '.join(line.split())


def equal(expected, got, measured):
    if plain(expected) == plain(got):
        return True
    return measured and plain(NUMBER.sub('N', expected)) == plain(NUMBER.sub('N', got))


def agree(expected, got, table=False):
    """Whether the lines agree. @table: below a head with units."""
    if not expected:
        return not got
    line, measures = expected[0], bool(MEASURES.search(expected[0]))
    if line.strip() == '...':
        return any(agree(expected[1:], got[n:], table) for n in range(len(got) + 1))
    table = table or (measures and not re.search(r'\d', re.sub(r'\b\w*[a-z_]\d\w*', '', line)))
    return bool(got) and equal(line, got[0], measures or table) and agree(expected[1:], got[1:], table)


def run(commands, folder):
    """What each command printed, of one shell."""
    out = os.path.join(folder, '.out')
    os.mkdir(out)
    script = ['trap \'kill $(jobs -p) 2>/dev/null\' EXIT']
    for number, command in enumerate(commands):
        script.append(f'{{ {command}\n}} >"{out}/{number}" 2>&1 </dev/null')
    subprocess.run(['bash', '-c', '\n'.join(script)], cwd=folder, check=False, timeout=LIMIT)
    printed = []
    for number in range(len(commands)):
        path = f'{out}/{number}'
        text = open(path, encoding='utf-8').read() if os.path.exists(path) else 'the command did not run'
        printed.append([line for line in text.splitlines() if line.strip() and not REPORT.match(line)])
    return printed


def main():
    pages, number, bad = sys.argv[1:], 0, 0
    for page in pages:
        with open(page, encoding='utf-8') as file:
            found = [session for session in sessions(file.read()) if BOOTS or not session[0].startswith(BOOT)]
        with tempfile.TemporaryDirectory() as folder:
            for name in ('models', 'examples', 'python', 'tests'):
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
            os.symlink(os.environ.get('NN_BUILD', os.path.join(ROOT, 'build')), os.path.join(folder, 'build'))
            os.environ['PATH'] = os.environ.get('NN_SESSION_PATH', '') + ':' + os.environ['PATH']
            os.environ['HOME'] = os.environ['XDG_RUNTIME_DIR'] = folder
            printed = run([command for command, _ in found], folder)
        for (command, expected), got in zip(found, printed):
            number += 1
            good = agree(expected, got)
            bad += not good
            print(f'{"ok" if good else "not ok"} {number} {os.path.basename(page)}: {command.splitlines()[0]}')
            if not good:
                print(*(f'# the page: {line}' for line in expected), *(f'# printed: {line}' for line in got), sep='\n')
        if not found:
            number, bad = number + 1, bad + 1
            print(f'not ok {number} {os.path.basename(page)}: no session')
    print(f'1..{number}')
    sys.exit(bad > 0)


main()
