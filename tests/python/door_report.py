# SPDX-License-Identifier: Apache-2.0
"""What the scripts of the doors print: a line per case, and last "N passed, N failed"."""


def report(cases):
    """cases: names, and functions without arguments whose results are whether it passed, and a text. The exit status."""
    passed, failed = 0, 0
    for name, case in cases:
        try:
            good, text = case()
        except Exception as error:  # a line for each case
            good, text = False, f'{type(error).__name__}: {error}'
        passed, failed = passed + bool(good), failed + (not good)
        print(f'{name:33} {text}{"" if good else " FAILED"}')
    print(f'{passed} passed, {failed} failed')
    return int(failed > 0 or passed == 0)
