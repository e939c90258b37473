#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts test results: tally.py [failed] tap FILE | meson TESTLOG.json | vm PLAN RESULTS_FOLDER
                    tally.py table FILE

Prints "PASSED FAILED UNSTABLE" on stdout; on stderr a line for each failure, the last lines of the program and the command that
repeats it alone. A planned test without a result counts as failed, and so does a skipped one, unless it says why it cannot
tell: a line "skip host: REASON" (this machine lacks something) or "skip late: REASON" (the machine was too busy), printed
before the skipped case (tests/lib/skip.h), is a note below the table (the file that NN_CHECK_NOTES names), neither passed nor failed.
The same of a TAP line "# SKIP not on this device: REASON": what only devices of another kind have.

With failed it prints the names of the programs that failed. A program whose name stands in the file "unstable" beside the
results (scripts/check/again.sh) is unstable instead of failed.

table prints check.sh's counts, lines "GROUP<tab>ROUTE<tab>WHAT<tab>PASSED<tab>FAILED<tab>UNSTABLE", with a total for each kind.
"""
import json
import os
import re
import sys

RESULT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:-\s*)?([^#]*)(?:#\s*(\w+)\s*(.*))?$")
PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*SKIP\s*(.*))?\s*$", re.IGNORECASE)
NOT_HERE = re.compile(r"^not on this device: (.+)$")
UNTESTED = {"host": "NOT TESTED", "late": "TOO LATE TO TELL", "device": "NOT ON THIS DEVICE"}


class Tally:
    def __init__(self):
        self.passed = 0
        self.failures = []  # (program, why)
        self.notes = []
        self.unstable = {}  # program: whys
        self.may_be_unstable = set()

    def fail(self, name, why):
        if name in self.may_be_unstable:
            self.unstable.setdefault(name, []).append(why)
        else:
            self.failures.append((name, why))

    def read_unstable(self, path):
        self.may_be_unstable = set(read(path).split())

    def untested(self, kind, name, reason):
        """A test that cannot tell: a note, no result."""
        self.notes.append("%s, %s: %s" % (UNTESTED[kind], name, reason))


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
        elif directive == "SKIP" and NOT_HERE.match(match.group(5)):
            tally.untested("device", "%s %s" % (name, title), NOT_HERE.match(match.group(5)).group(1))
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


LAST_LINES = 15


def show(name, output, command):
    """The end of a failed program's output, and how to repeat it."""
    if "failed" in sys.argv[1:2]:
        return
    print("  %s:" % name, file=sys.stderr)
    for line in [line for line in output.splitlines() if line.strip()][-LAST_LINES:]:
        print("    | %s" % line[:200], file=sys.stderr)
    print("    again, alone: %s" % command, file=sys.stderr)


def tally_vm(tally, plan, folder):
    results = {}
    for line in read(os.path.join(folder, "results.tsv")).splitlines():
        fields = line.split("\t")
        if len(fields) == 4:
            results[fields[0]] = fields
    planned = [line.split("\t")[0] for line in read(plan).splitlines()]
    outcome = read(os.path.join(folder, "outcome")).strip() or "no outcome"
    tally.read_unstable(os.path.join(folder, "unstable"))
    if not planned:
        tally.fail(os.path.basename(plan), "the plan is empty")
    faulty = False
    # suite.sh ended because a card was dead: one failure, not one for each test that follows
    ended = read(os.path.join(folder, "ended")).split("\t")
    if len(ended) == 2:
        tally.fail(ended[0], "the card is dead after it (%s), and a reload of the driver does not help" % ended[1].strip())
    for name in planned:
        if name not in results:
            if len(ended) == 2:
                tally.untested("host", name, "boot %s ended at %s" % (os.path.basename(folder), ended[0]))
            else:
                tally.fail(name, "no result (guest: %s)" % outcome)
            continue
        _, status, _, faults = results[name]
        base = os.path.join(folder, "tests", name)
        before = len(tally.failures)
        count_program(tally, name, read(base + ".log"), status)
        if len(tally.failures) > before:
            show(name, read(base + ".log"), "tests/vm/boots.sh run %s %s" % (os.path.basename(folder), name))
        if faults != "0":
            faulty = True
            lines = read(base + ".faults").splitlines()
            tally.fail(name, "kernel log: %s" % (lines[0] if lines else "fault"))
    if outcome == "faults" and not faulty:
        lines = read(os.path.join(folder, "faults.txt")).splitlines()
        tally.fail("kernel log", lines[0] if lines else "the kernel is tainted by a warning")


CMOCKA = re.compile(r"^\[\s+(OK|FAILED|SKIPPED|ERROR)\s+\]\s+(\S+)$")
WHY_SKIPPED = re.compile(r"^skip (host|late): (.+)$")


def cmocka_cases(output):
    """(result, case, (kind, reason) of a skip or None) for each case in the order of the output."""
    why = None
    for line in output.splitlines():
        match = WHY_SKIPPED.match(line)
        if match:
            why = match.groups()
            continue
        match = CMOCKA.match(line)
        if match:
            yield match.group(1), match.group(2), why
            why = None


def tally_meson(tally, path):
    """meson's testlog.json: one JSON object a line. cmocka programs count by their cases."""
    any_test = False
    tally.read_unstable(os.path.join(os.path.dirname(path), "unstable"))
    for line in read(path).splitlines():
        test = json.loads(line)
        any_test = True
        name = test["name"].split(" / ")[-1]
        output = (test.get("stdout") or "") + (test.get("stderr") or "")
        good = test["result"] in ("OK", "EXPECTEDFAIL")
        before = len(tally.failures)
        any_case = False
        failed, skipped = set(), set()
        for result, case, why in cmocka_cases(output):
            any_case = True
            if result == "OK":
                tally.passed += 1
            elif result == "SKIPPED" and why:
                skipped.add(case)
                tally.untested(why[0], "%s %s" % (name, case), why[1])
            elif case not in failed | skipped and not case.isdigit():
                failed.add(case)
                tally.fail(name, "%s %s" % (case, result.lower()))
        if any_case:
            if not good and not failed:
                tally.fail(name, test["result"].lower())
        else:
            count_program(tally, name, output, "0" if good else test["result"].lower())
        if len(tally.failures) > before:
            folder = os.path.relpath(os.path.dirname(os.path.dirname(path)))
            show(name, output, "meson test -C %s --no-rebuild %s -v" % (folder, name))
    if not any_test:
        tally.fail("unit tests", "none were run")


def print_table(text):
    rows = {}
    for line in text.splitlines():
        fields = line.split("\t")
        count = rows.setdefault(tuple(fields[:3]), [0, 0, 0])
        for n, field in enumerate(fields[3:6]):
            count[n] += int(field)
    columns = 3 if any(count[2] for count in rows.values()) else 2
    head = ("group", "route", "counted", "passed", "failed", "unstable")[:3 + columns]
    body = [(*key, *("{:,}".format(number) for number in count[:columns])) for key, count in rows.items()]
    for what in dict.fromkeys(key[2] for key in rows):
        mine = [(key[1], count) for key, count in rows.items() if key[2] == what]
        most = max(sum(count) for _, count in mine)
        where = "%d rows" % len(mine)
        if what == "vectors":
            where = "%s different, %d routes" % ("{:,}".format(most), len(mine))
        body.append(("total", where, what) + tuple("{:,}".format(sum(count[n] for _, count in mine)) for n in range(columns)))
    width = [max(len(row[n]) for row in [head] + body) for n in range(len(head))]
    for row in [head] + body:
        print("  ".join([row[n].ljust(width[n]) for n in range(3)] + [row[n].rjust(width[n]) for n in range(3, len(head))]))


def main():
    tally = Tally()
    args = sys.argv[1:]
    only_names = args[:1] == ["failed"]
    if only_names:
        del args[0]
    if len(args) == 2 and args[0] == "table":
        print_table(read(args[1]))
        return
    if len(args) == 2 and args[0] == "tap":
        if not count_tap(tally, os.path.basename(args[1]), read(args[1]))[0]:
            tally.fail(os.path.basename(args[1]), "no results")
    elif len(args) == 2 and args[0] == "meson":
        tally_meson(tally, args[1])
    elif len(args) == 3 and args[0] == "vm":
        tally_vm(tally, args[1], args[2])
    else:
        sys.exit(__doc__)
    if only_names:
        print("".join(name + "\n" for name in dict.fromkeys(name for name, _ in tally.failures)), end="")
        return
    for failure in tally.failures:
        print("  FAILED %s: %s" % failure, file=sys.stderr)
    for name, whys in tally.unstable.items():
        tally.notes.append("UNSTABLE, %s: it failed once (%s) and passed three times alone" % (name, "; ".join(whys)))
    if tally.notes and os.environ.get("NN_CHECK_NOTES"):
        with open(os.environ["NN_CHECK_NOTES"], "a", encoding="utf-8") as file:
            file.write("".join(note + "\n" for note in tally.notes))
    print(tally.passed, len(tally.failures), len(tally.unstable))


if __name__ == "__main__":
    main()
