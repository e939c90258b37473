#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trace-compare.py json|tsv EXPECTED ACTUAL: what "nnctl trace report" printed against what it should have.

Times may differ by 0.001 ms, all else must be equal. Columns whose expected value is "-" in tab-separated
files are compared as text. Prints the first differences and exits 1 when there are any."""
import json
import math
import sys

TOLERANCE = 0.001
differences = []


def differ(where, expected, actual):
    differences.append(f"{where}: expected {expected!r}, got {actual!r}")


def compare(where, expected, actual):
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            if key not in expected or key not in actual:
                differ(f"{where}.{key}", key in expected, key in actual)
            else:
                compare(f"{where}.{key}", expected[key], actual[key])
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            differ(f"{where}: length", len(expected), len(actual))
        for i, (e, a) in enumerate(zip(expected, actual)):
            compare(f"{where}[{i}]", e, a)
    elif isinstance(expected, float) and isinstance(actual, (int, float)):
        if not abs(expected - actual) <= TOLERANCE:
            differ(where, expected, actual)
    elif expected != actual:
        differ(where, expected, actual)


def number(text):
    try:
        value = float(text)
    except ValueError:
        return text
    return None if math.isnan(value) else value


def rows(path, keys):
    """Of each row the key and the rest; comments only where they tell of a run."""
    table = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("#"):
                if fields[0] in ("#run", "#executions") and fields[2:3] != ["incomplete"]:
                    table[tuple(fields[:2])] = fields[2:]
                continue
            table[tuple(fields[:keys])] = [number(v) for v in fields[keys:]]
    return table


def main():
    kind, expected, actual = sys.argv[1:4]
    if kind == "json":
        with open(expected, encoding="utf-8") as e, open(actual, encoding="utf-8") as a:
            compare("", json.load(e), json.load(a))
    else:
        keys = 7 if kind == "tsv-threads" else 4
        e, a = rows(expected, keys), rows(actual, keys)
        for key in sorted(e.keys() | a.keys()):
            compare("/".join(key), e.get(key), a.get(key))
    for line in differences[:8]:
        print(line)
    if len(differences) > 8:
        print(f"{len(differences) - 8} more")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
