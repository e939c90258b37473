#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pictures.py: the arrows of Documentation/pictures/*.dot that show states of the driver are in its tables. Prints TAP."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def arrows(name):
    """Pairs of states; the nodes are named as the states are, in either case."""
    text = read(f'Documentation/pictures/{name}.dot')
    return {(a.upper(), b.upper()) for a, b in re.findall(r'^\s*(\w+) -> (\w+)', text, re.M)}


def device_states():
    rules = read('kernel/nnaccel/nnaccel_state.c')
    rules = rules[rules.index('nnaccel_state_rules[NNACCEL_NUM_STATES]'):]
    rules = rules[:rules.index('\n};')]
    found = set()
    for state, rule in re.findall(r'\[NNACCEL_STATE_(\w+)\] = \{(.*?)\n\t\}', rules, re.S):
        found |= {(state, to) for to in re.findall(r'NEXT\((\w+)\)', rule)}
    return found


def job_states():
    found = re.findall(r'^ \*   (\w+) +-> (\w+) ', read('kernel/nnaccel/nnaccel_job.h'), re.M)
    return {(a.replace('ON_CARD', 'CARD'), b.replace('ON_CARD', 'CARD')) for a, b in found}


bad = 0
for number, (name, table) in enumerate((('device-states', device_states()), ('job-states', job_states())), 1):
    drawn = arrows(name)
    unknown = sorted(drawn - table)
    good = bool(drawn) and len(table) > 5 and not unknown
    bad += not good
    print(f'{"ok" if good else "not ok"} {number} {name}: {len(drawn)} of {len(table)} transitions')
    for a, b in unknown:
        print(f'# the driver has no transition from {a} to {b}')
print('1..2')
sys.exit(bad > 0)
