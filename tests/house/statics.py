#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""statics.py: a static function carries its object, so that a backtrace can be read. Prints TAP, a case per rule:

  rule     this script finds the definitions in lines of its own
  names    a static function of userspace whose name has no underscore (run, find) is the only one of this name, but in tests:
           what is below tests/, and test_*.c in any folder
"""
import collections
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ('lib', 'firmware', 'ops', 'tools')
DEFINITION = re.compile(r'^static [\w \t*]*?\b(\w+)\([^;{]*?\)\s*\n\{', re.M)

SAMPLE = '''/* static int run(void)
{ */
static int run(void)
{
}
static inline struct a *find(struct b *b,
			     int c)
{
}
static int (*const table[])(void) = { run };
static int declared(void);
int exported(void)
{
}
'''


def definitions(text):
    return DEFINITION.findall(re.sub(r'/\*.*?\*/', '', text, flags=re.S))


def check_rule():
    found = definitions(SAMPLE)
    return [] if found == ['run', 'find'] else [f'found {found}']


def check_names():
    files = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard', *FOLDERS], text=True).split('\n')
    places = collections.defaultdict(set)
    for path in files:
        if path.endswith('.c') and not os.path.basename(path).startswith('test_') and os.path.exists(os.path.join(ROOT, path)):
            with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                for name in definitions(file.read()):
                    if '_' not in name:
                        places[name].add(path)
    return [f'{name}: {" ".join(sorted(paths))}' for name, paths in sorted(places.items()) if len(paths) > 1]


tap.run([('rule', check_rule), ('names', check_names)])
