#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""demo-table.py CPU_FOLDER CARD_FOLDER: the table that ends "make run", from what nnctl run --json wrote.

Files are MODEL.INPUT.json and pair by name. Exits 1 when one is missing or the two devices disagree: another top
class, or scores that differ by more than the last steps of an 8-bit output.
"""
import json
import os
import sys

# Softmax outputs have the step 1/256; correct devices may differ by a few of them.
TOLERANCE = 8 / 256


def load(folder):
    results = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                results[name[:-5]] = json.load(f)
    return results


def top(result):
    return result["outputs"][0]["top"]


def classes(result):
    return "  ".join("%s %.2f" % (entry.get("label", entry["index"]), entry["value"]) for entry in top(result))


def milliseconds(result, key):
    return "%.3f" % result[key] if key in result else "-"


def disagreement(cpu, card):
    """Why two results are not the same answer, or None."""
    if top(cpu)[0]["index"] != top(card)[0]["index"]:
        return "another top class"
    scores = {entry["index"]: entry["value"] for entry in top(cpu)}
    for entry in top(card):
        if entry["index"] in scores and abs(entry["value"] - scores[entry["index"]]) > TOLERANCE:
            return "class %d differs by %.4f" % (entry["index"], abs(entry["value"] - scores[entry["index"]]))
    return None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cpu, card = load(sys.argv[1]), load(sys.argv[2])
    header = ("model", "input", "card: top classes and scores", "in-process device", "device ms", "round trip ms",
              "in-process ms")
    rows = []
    bad = []
    alike = 0
    for name in sorted(set(cpu) | set(card)):
        model, _, picture = name.partition(".")
        if name not in cpu or name not in card:
            bad.append("%s: no result from the %s" % (name, "card" if name in cpu else "in-process device"))
            continue
        rows.append((model, picture, classes(card[name]), classes(cpu[name]), milliseconds(card[name], "device_ms"),
                     milliseconds(card[name], "round_trip_ms"), milliseconds(cpu[name], "round_trip_ms")))
        why = disagreement(cpu[name], card[name])
        if why:
            bad.append("%s: %s" % (name, why))
        else:
            alike += 1
    widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
    for row in [header, tuple("-" * width for width in widths)] + rows:
        # Text to the left, numbers to the right.
        print("  ".join(cell.rjust(width) if i > 3 else cell.ljust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    for line in bad:
        print("WRONG %s" % line)
    print("%d of %d inputs classified alike on the card and in process" % (alike, len(rows)))
    sys.exit(1 if bad or not rows else 0)


if __name__ == "__main__":
    main()
