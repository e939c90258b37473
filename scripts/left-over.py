#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for processes that tests left: left-over.py BUILD PID

Those of BUILD's programs that run and started after process PID did: others are of another clone, or of an earlier run.
What is just ending has some seconds. Prints "1 0"; or "0 1", and one line for each process on stderr.
"""
import os
import sys
import time

SECONDS = 10


def read(pid, name):
    try:
        with open("/proc/%s/%s" % (pid, name), "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def state_and_start(pid):
    """The state's letter and the time of the start; None: it is gone."""
    # the name before it may have any character
    fields = read(pid, "stat").rpartition(")")[2].split()
    return (fields[0], int(fields[19])) if len(fields) > 19 else None


def is_of(build, pid):
    try:
        return os.readlink("/proc/%s/exe" % pid).startswith(build)
    except PermissionError:
        # a monitor's, for plain users; its arguments have the path of the vendor library
        return any(arg.startswith(build) for arg in read(pid, "cmdline").split("\0"))
    except OSError:
        return False


def left(build, since):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        facts = state_and_start(pid)
        # one that has ended waits for init, which adopted it
        if facts and facts[0] not in "ZX" and facts[1] >= since and is_of(build, pid):
            found.append("process %s %s (%s): %s" % (pid, read(pid, "comm").strip(), facts[0],
                                                     read(pid, "cmdline").replace("\0", " ").strip()))
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    # also as the link in /proc has it
    build = os.path.realpath(sys.argv[1]) + "/"
    since = state_and_start(sys.argv[2])
    if not since:
        sys.exit("left-over.py: there is no process %s" % sys.argv[2])
    end = time.monotonic() + SECONDS
    while True:
        found = left(build, since[1])
        if not found or time.monotonic() > end:
            break
        time.sleep(0.05)
    for line in found:
        print("  FAILED left over: %s" % line, file=sys.stderr)
    print("0 1" if found else "1 0")


if __name__ == "__main__":
    main()
