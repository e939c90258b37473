#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ledger of the suites that the gate leaves out (tests/ledger.tsv): ledger.py state | append SUITE TABLE

A row is one run of `make check-full` or `make check-long`: suite, commit, date, passed, failed, unstable, the groups that
failed. append adds one for this run, from check.sh's table; who ran it commits the file. state prints one line for each
suite: how many commits ago it ran, and what was red. A run of a tree with changes that are not committed is not recorded.
"""
import datetime
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEDGER = os.environ.get("NN_LEDGER") or os.path.join(ROOT, "tests", "ledger.tsv")
SUITES = ("full", "long")
HEAD = "suite\tcommit\tdate\tpassed\tfailed\tunstable\tred groups"


def git(*args):
    """git's output, or None: no git here, or no such commit."""
    result = subprocess.run(["git", "-C", ROOT, *args], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else None


def rows():
    try:
        with open(LEDGER, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return []
    return [fields for fields in (line.split("\t") for line in lines[1:]) if len(fields) == 7]


def age(commit):
    """How many commits ago, as text."""
    count = git("rev-list", "--count", commit + "..HEAD")
    if count is None:
        return "at commit %s, which this clone does not have" % commit
    if count == "0":
        return "at this commit"
    return "%s commit%s ago (%s)" % (count, "" if count == "1" else "s", commit)


def state():
    known = rows()
    for suite in SUITES:
        mine = [row for row in known if row[0] == suite]
        if not mine:
            print("make check-%s: no run is recorded" % suite)
            continue
        last = mine[-1]
        text = "make check-%s ran %s: %s passed, %s failed, %s unstable" % (suite, age(last[1]), *last[3:6])
        if last[4] == "0":
            print(text)
            continue
        green = [row for row in mine if row[4] == "0"]
        print("%s; RED: %s; %s" % (text, last[6], "green " + age(green[-1][1]) if green else "no green run is recorded"))


def append(suite, table):
    if git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!tests/ledger.tsv") != "":
        print("this run is not recorded in tests/ledger.tsv: the tree has changes that are not committed")
        return
    passed = failed = unstable = 0
    red = []
    with open(table, encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            passed += int(fields[3])
            failed += int(fields[4])
            unstable += int(fields[5])
            if int(fields[4]):
                red.append("%s: %s" % (fields[0], fields[1]))
    row = (suite, git("rev-parse", "--short=12", "HEAD"), datetime.date.today().isoformat(), str(passed), str(failed),
           str(unstable), ", ".join(dict.fromkeys(red)) or "-")
    new = not os.path.exists(LEDGER)
    with open(LEDGER, "a", encoding="utf-8") as file:
        file.write((HEAD + "\n" if new else "") + "\t".join(row) + "\n")
    print("recorded in tests/ledger.tsv: commit it")


if __name__ == "__main__":
    if sys.argv[1:] == ["state"]:
        state()
    elif len(sys.argv) == 4 and sys.argv[1] == "append" and sys.argv[2] in SUITES:
        append(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
