# SPDX-License-Identifier: Apache-2.0
"""TAP of the house rules; imported, never run."""
import sys


def run(checks):
    """Prints a result for each (name, function that returns the findings), and exits: 1 if there are findings."""
    print(f'1..{len(checks)}')
    failed = 0
    for number, (name, check) in enumerate(checks, 1):
        bad = check()
        failed += bool(bad)
        print(f'{"not ok" if bad else "ok"} {number} {name}')
        for line in bad:
            print('# ' + line)
    sys.exit(bool(failed))
