#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kunit.py FOLDER: what scripts/kunit.sh left in FOLDER as TAP, one line for each case or parameter, and a line for the kernel's
log, in which a warning is a failure. Prints the coverage by file as comments."""
import os
import re
import shutil
import subprocess
import sys

RESULT = re.compile(r"^(\s*)(not )?ok \d+ ?-? ?(.*)$")
SUBTEST = re.compile(r"^(\s*)# Subtest: (.*)$")
# What the kernel prints when it finds a mistake.
WARNINGS = re.compile(r"WARNING:|BUG:|INFO: (possible|task|trying)|Call Trace|possible recursive|ODEBUG|UBSAN|Slab corruption")


def read(*parts):
    try:
        with open(os.path.join(*parts), errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def leaves(text):
    """(ok, name) of each case that has no parameters, and of each parameter; and whether all suites have ended."""
    parents = []
    found, ended = [], 0
    for line in text.splitlines():
        subtest, result = SUBTEST.match(line), RESULT.match(line)
        if subtest:
            parents.append(subtest.group(2))
        elif result:
            name = re.sub(r" # .*", "", result.group(3))
            if parents and parents[-1] == name:
                parents.pop()
                ended += not parents
            else:
                found.append((not result.group(2) and "# SKIP" not in line, ".".join(parents + [name])))
    return found, ended and not parents


# A mock device has no bus: the boots of the VM run these.
BUSES = ("nnaccel_pci.c", "nnaccel_dma.c", "nnaccel_irq.c", "nnaccel_platform.c")


def coverage(folder):
    """Lines of each file of the driver: (run, all), by gcov."""
    data = os.path.join(folder, "gcda")
    module = os.path.realpath(os.path.join(folder, "module", "kernel", "nnaccel"))
    files = {}
    for name in os.listdir(data):
        shutil.copyfile(os.path.join(data, name), os.path.join(module, name))
    objects = sorted(os.listdir(data))
    if not objects:
        return files
    run = subprocess.run(["gcov", "-n"] + objects, cwd=module, capture_output=True, text=True)
    for name, percent, lines in re.findall(r"File '([^']*)'\nLines executed:([\d.]+)% of (\d+)", run.stdout):
        if "/nnaccel_" in name and name.endswith(".c") and "/tests/" not in name:
            files[os.path.basename(name)] = (round(float(percent) * int(lines) / 100), int(lines))
    return files


def main():
    folder = sys.argv[1]
    found, ended = leaves(read(folder, "results"))
    log = read(folder, "dmesg") or read(folder, "console")
    found.append((read(folder, "status").strip() == "0" and bool(ended), "the module was loaded, and all suites ended"))
    # Before the module is there the kernel warns of the PCI devices that it has none of.
    _, loading, log = log.partition("nnaccel: loading")
    bad = [line for line in log.splitlines() if WARNINGS.search(line)]
    found.append((bool(loading) and not bad, "the kernel's log has no warning"))
    print("1..%d" % len(found))
    for number, (ok, name) in enumerate(found, 1):
        print("%sok %d %s" % ("" if ok else "not ", number, name))
    for line in bad[:20]:
        print("# " + line)
    files = coverage(folder)
    for name, (run, lines) in sorted(files.items(), key=lambda item: item[1][0] / item[1][1]):
        print("# coverage %5.1f %% of %4d lines: %s" % (100 * run / lines, lines, name))
    if files:
        run, lines = (sum(column) for column in zip(*files.values()))
        own, reached = (sum(column) for column in zip(*(files[name] for name in files if name not in BUSES)))
        print("# coverage %.1f %% of %d lines of the driver, %.1f %% without the backends of real buses" %
              (100 * run / lines, lines, 100 * own / reached))
    return not all(ok for ok, _ in found)


sys.exit(main())
