#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts test results: tally.py tap FILE | meson TESTLOG.json | vm PLAN RESULTS_FOLDER | table FILE

Prints "PASSED FAILED" on stdout and one line for each failure on stderr. A planned test without a result counts as
failed, and so does a skipped one.

table prints check.sh's counts, lines "GROUP<tab>ROUTE<tab>WHAT<tab>PASSED<tab>FAILED", with a total for each kind; other
lines are notes.
"""
import json
import os
import re
import sys

RESULT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:-\s*)?([^#]*)(?:#\s*(\w+)\s*(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*SKIP\s*(.*))?\s*$", re.IGNORECASE)


class Tally:
    def __init__(self):
        self.passed = 0
        self.failures = []

    def fail(self, name, why):
        self.failures.append("%s: %s" % (name, why))


def count_tap(tally, name, text):
    """Counts the TAP lines of one program. Returns (whether there were any, how many failed)."""
    planned = None
    seen = failed = 0
    for line in text.splitlines():
        match = PLAN.match(line)
        if match:
            planned = int(match.group(1))
            if planned == 0:
                tally.fail(name, "skipped: %s" % (match.group(2) or "no reason given"))
                return True, 1
            continue
        match = RESULT.match(line)
        if not match:
            continue
        seen += 1
        title = match.group(3).strip() or "test %s" % (match.group(2) or seen)
        directive = (match.group(4) or "").upper()
        if match.group(1) and directive != "XFAIL":
            failed += 1
            tally.fail(name, title)
        elif directive == "SKIP":
            failed += 1
            tally.fail(name, "%s skipped: %s" % (title, match.group(5)))
        else:
            tally.passed += 1
    if planned is not None and seen < planned:
        failed += planned - seen
        for number in range(seen + 1, planned + 1):
            tally.fail(name, "test %d of %d gave no result" % (number, planned))
    return seen > 0 or planned is not None, failed


def count_program(tally, name, text, status):
    """One program's output and exit status: by its TAP lines, else by the status alone."""
    tap, failed = count_tap(tally, name, text)
    if status != "0" and not failed:
        if status in ("124", "137"):
            status = "timeout"
        tally.fail(name, "exit status %s" % status if status.isdigit() else status)
    elif not tap:
        tally.passed += 1


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def tally_vm(tally, plan, folder):
    results = {}
    for line in read(os.path.join(folder, "results.tsv")).splitlines():
        fields = line.split("\t")
        if len(fields) == 4:
            results[fields[0]] = fields
    planned = [line.split("\t")[0] for line in read(plan).splitlines()]
    outcome = read(os.path.join(folder, "outcome")).strip() or "no outcome"
    if not planned:
        tally.fail(os.path.basename(plan), "the plan is empty")
    faulty = False
    for name in planned:
        if name not in results:
            tally.fail(name, "no result (guest: %s)" % outcome)
            continue
        _, status, _, faults = results[name]
        base = os.path.join(folder, "tests", name)
        count_program(tally, name, read(base + ".log"), status)
        if faults != "0":
            faulty = True
            lines = read(base + ".faults").splitlines()
            tally.fail(name, "kernel log: %s" % (lines[0] if lines else "fault"))
    if outcome == "faults" and not faulty:
        lines = read(os.path.join(folder, "faults.txt")).splitlines()
        tally.fail("kernel log", lines[0] if lines else "the kernel is tainted by a warning")


CMOCKA = re.compile(r"^\[\s+(OK|FAILED|SKIPPED|ERROR)\s+\]\s+(\S+)$")


def tally_meson(tally, path):
    """meson's testlog.json: one JSON object a line. cmocka programs count by their cases."""
    any_test = False
    for line in read(path).splitlines():
        test = json.loads(line)
        any_test = True
        name = test["name"].split(" / ")[-1]
        output = (test.get("stdout") or "") + (test.get("stderr") or "")
        good = test["result"] in ("OK", "EXPECTEDFAIL")
        cases = [match for match in map(CMOCKA.match, output.splitlines()) if match]
        failed = set()
        for match in cases:
            if match.group(1) == "OK":
                tally.passed += 1
            elif match.group(2) not in failed and not match.group(2).isdigit():
                failed.add(match.group(2))
                tally.fail(name, "%s %s" % (match.group(2), match.group(1).lower()))
        if cases:
            if not good and not failed:
                tally.fail(name, test["result"].lower())
        else:
            count_program(tally, name, output, "0" if good else test["result"].lower())
    if not any_test:
        tally.fail("unit tests", "none were run")


def print_table(text):
    rows, notes = {}, []
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) != 5:
            notes.append(line)
            continue
        count = rows.setdefault(tuple(fields[:3]), [0, 0])
        count[0] += int(fields[3])
        count[1] += int(fields[4])
    head = ("group", "route", "counted", "passed", "failed")
    body = [(*key, "{:,}".format(good), "{:,}".format(bad)) for key, (good, bad) in rows.items()]
    for what in dict.fromkeys(key[2] for key in rows):
        mine = [(key[1], count) for key, count in rows.items() if key[2] == what]
        most = max(good + bad for _, (good, bad) in mine)
        where = "%d rows" % len(mine)
        if what == "vectors":
            where = "%s different, %d routes" % ("{:,}".format(most), len(mine))
        body.append(("total", where, what) + tuple("{:,}".format(sum(count[n] for _, count in mine)) for n in (0, 1)))
    width = [max(len(row[n]) for row in [head] + body) for n in range(5)]
    for row in [head] + body:
        print("  ".join([row[n].ljust(width[n]) for n in range(3)] + [row[n].rjust(width[n]) for n in (3, 4)]))
    for line in notes:
        print(line)


def main():
    tally = Tally()
    if len(sys.argv) == 3 and sys.argv[1] == "table":
        print_table(read(sys.argv[2]))
        return
    if len(sys.argv) == 3 and sys.argv[1] == "tap":
        if not count_tap(tally, os.path.basename(sys.argv[2]), read(sys.argv[2]))[0]:
            tally.fail(os.path.basename(sys.argv[2]), "no results")
    elif len(sys.argv) == 3 and sys.argv[1] == "meson":
        tally_meson(tally, sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "vm":
        tally_vm(tally, sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
    for failure in tally.failures:
        print("  FAILED %s" % failure, file=sys.stderr)
    print(tally.passed, len(tally.failures))


if __name__ == "__main__":
    main()
