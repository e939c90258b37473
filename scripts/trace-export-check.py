#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trace-export-check.py FILE [--flows]: whether a trace event file is one that a viewer can make sense of.

Valid JSON; every event has the fields of its kind; begins and ends nest by thread; every arrow has a start and an
end, in this order. With --flows there must be arrows. Prints what is in it."""
import collections
import json
import sys

FIELDS = {"B": ("name", "ts", "pid", "tid"), "E": ("ts", "pid", "tid"), "X": ("name", "ts", "dur", "pid", "tid"),
          "M": ("name", "pid", "args"), "s": ("id", "ts", "pid", "tid"), "t": ("id", "ts", "pid", "tid"),
          "f": ("id", "ts", "pid", "tid"), "i": ("name", "ts", "pid", "tid"), "C": ("name", "ts", "pid", "args"),
          "b": ("name", "id", "ts", "pid"), "e": ("name", "id", "ts", "pid")}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    depth = collections.Counter()
    flows = collections.defaultdict(list)
    kinds = collections.Counter()
    for e in events:
        kinds[e["ph"]] += 1
        for field in FIELDS[e["ph"]]:
            if field not in e:
                sys.exit(f"no {field}: {e}")
        if e["ph"] == "X" and e["dur"] < 0:
            sys.exit(f"negative: {e}")
        if e["ph"] in "BE":
            depth[e["pid"], e["tid"]] += 1 if e["ph"] == "B" else -1
            if depth[e["pid"], e["tid"]] < 0:
                sys.exit(f"an end without a begin: {e}")
        if e["ph"] in "stf":
            flows[e["id"]].append((e["ts"], e["ph"]))
    for thread, n in depth.items():
        if n:
            sys.exit(f"{n} scopes open on {thread}")
    for number, steps in flows.items():
        kind = "".join(ph for _, ph in steps)
        if kind not in ("sf", "stf") or steps != sorted(steps, key=lambda s: s[0]):
            sys.exit(f"arrow {number}: {steps}")
    if "--flows" in sys.argv and not flows:
        sys.exit("no arrows")
    print(", ".join(f"{n} {k}" for k, n in sorted(kinds.items())))


if __name__ == "__main__":
    main()
