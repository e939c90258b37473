#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""table.py FILE [--rst|--doors|--costs|--throughput]: the table of make bench-peers, from what rounds.py measured (--json) to text, or for
Documentation/performance.rst; --doors: that of bench-peers.sh --doors; --costs: of first results and memory;
--throughput: of bench-peers.sh --processes.

A result is a dict of one model:
    {"model": name, "kinds": {"int8": n, ...} or {}, "peers": {peer: entry, ...}}
and an entry is {"error": why} or
    {"process_ns": [of one run, a round each], "thread_ns": [the asking thread's part of it], "nodes": n, "taken": n, "pieces": n, "peak_kib": n,
     "per_s": [inferences a second of all processes, a round each; only with --processes],
     "prepare_ns": n, "first_ns": processor time until the first result, "without": an operation that the delegate was not offered, or absent}
"""
import json
import math
import statistics
import sys

OURS = "nnaccel"
# Ours, where nnctl cannot translate the model and TensorFlow Lite runs what NNAPI does not have.
OURS_BELOW = "tflite-nnaccel"
PEERS = ("builtin", "xnnpack", "onnxruntime")
TITLES = {"builtin": "builtin", "xnnpack": "XNNPACK", "onnxruntime": "ONNX Runtime"}
INTEGERS = ("int8", "uint8")


def median_ms(entry):
    return statistics.median(entry["process_ns"]) / 1e6


def spread(values):
    """The lower and the upper quartile."""
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def in_workers(entry):
    """Whether much of the time was not of the calling thread."""
    return bool(entry.get("thread_ns")) and \
        statistics.median(entry["thread_ns"]) < 0.9 * statistics.median(entry["process_ns"])


def has(result, peer):
    return "process_ns" in result["peers"].get(peer, {})


def kind(result):
    """"int8", "uint8", "float32": what most results of operations are."""
    kinds = result["kinds"]
    return max(sorted(kinds), key=kinds.get) if kinds else "?"


def notes(result, ours, best):
    """What a reader must know: who runs only a part, and who nothing."""
    found = []
    for peer in (ours, best):
        entry = result["peers"].get(peer, {})
        if entry.get("taken", 0) < entry.get("nodes", 0):
            found.append("%s runs %d of %d" % (peer, entry["taken"], entry["nodes"]))
        if in_workers(entry):
            found.append("%s in other threads" % peer)
        if entry.get("without"):
            found.append("%s without %s" % (peer, entry["without"]))
    for peer, entry in result["peers"].items():
        if "error" in entry and peer in PEERS + (OURS,):
            found.append("%s: %s" % (peer, entry["error"]))
    return "; ".join(found)


def row(result):
    """A line of the table as a dict. Members that are not known are None."""
    ours = OURS if has(result, OURS) else OURS_BELOW if has(result, OURS_BELOW) else None
    peers = [p for p in PEERS if has(result, p)]
    best = min(peers, key=lambda p: median_ms(result["peers"][p])) if peers else None
    line = {"model": result["model"], "kind": kind(result), "ours": ours, "best": best,
            "ours_ms": median_ms(result["peers"][ours]) if ours else None,
            "best_ms": median_ms(result["peers"][best]) if best else None,
            "ratio": None, "low": None, "high": None, "notes": notes(result, ours, best)}
    if ours and best:
        # of rounds, not of medians: what disturbs a round disturbs both
        ratios = [b / o for b, o in zip(result["peers"][best]["process_ns"],
                                        result["peers"][ours]["process_ns"])]
        line["ratio"] = statistics.median(ratios)
        line["low"], line["high"] = spread(ratios)
    return line


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def means(rows):
    """Geometric means of the ratios: (of 8-bit models, how many), (of float models, how many)."""
    sums = []
    for integer in (True, False):
        ratios = [r["ratio"] for r in rows
                  if r["ratio"] and r["kind"] != "?" and (r["kind"] in INTEGERS) == integer]
        sums.append((geometric_mean(ratios), len(ratios)))
    return tuple(sums)


def number(value, form):
    return "-" if value is None else form % value


def memory(results):
    """Lines about the resident size of the processes that run MobileNetV2."""
    lines = []
    for result in results:
        sizes = ["%s %.1f" % (peer, entry["peak_kib"] / 1024)
                 for peer, entry in result["peers"].items() if entry.get("peak_kib")]
        if "mobilenet_v2" in result["model"] and sizes:
            lines.append("peak resident MiB, %s: %s" % (result["model"], ", ".join(sizes)))
    return lines


def text(results):
    rows = [row(r) for r in results]
    width = max([len(r["model"]) for r in rows] + [5])
    lines = ["%-*s %-8s %9s %9s %-11s %6s  %-13s %s" % (
        width, "model", "kind", "ours ms", "peer ms", "peer", "ratio", "quartiles", "notes")]
    for r in rows:
        quartiles = "-" if r["ratio"] is None else "%.2f .. %.2f" % (r["low"], r["high"])
        lines.append("%-*s %-8s %9s %9s %-11s %6s  %-13s %s" % (
            width, r["model"], r["kind"], number(r["ours_ms"], "%.4f"), number(r["best_ms"], "%.4f"),
            r["best"] or "-", number(r["ratio"], "%.2f"), quartiles, r["notes"]))
    lines = [line.rstrip() for line in lines + memory(results)]
    for name, (mean, count) in zip(("int8 and uint8", "float"), means(rows)):
        lines.append("geometric mean of the ratios, %s: %s (%d models)" % (
            name, number(mean, "%.2f"), count))
    return "\n".join(lines) + "\n"


def rates(results, products):
    """A line for each model with the time and the rate of each peer, and the fastest foreign one's time by our fastest. @products:
    multiply-adds of each model."""
    names, ratios = [], []
    for result in results:
        names += [peer for peer in result["peers"] if peer not in names]
    lines = [("layer", "MMAC") + tuple(cell for name in names for cell in ("%s us" % name, "GMAC/s")) + ("ratio",)]
    for result in results:
        count = products.get(result["model"])
        line = (result["model"], number(count and count / 1e6, "%.1f"))
        best = {}
        for peer in names:
            us = median_ms(result["peers"][peer]) * 1e3 if has(result, peer) else None
            line += number(us, "%.1f"), number(count and us and count / us / 1e3, "%.1f")
            if us:
                ours = peer.startswith((OURS, "nnhal"))
                best[ours] = min(us, best.get(ours, us))
        ratio = best[False] / best[True] if len(best) == 2 else None
        ratios += [ratio] if ratio else []
        lines.append(line + (number(ratio, "%.2f"),))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["  ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])])
            for line in lines]
    if ratios:
        text.append("geometric mean of the ratios: %.2f (%d layers)" % (geometric_mean(ratios), len(ratios)))
    for result in results:
        text += ["%s, %s: %s" % (result["model"], peer, entry["error"])
                 for peer, entry in result["peers"].items() if "error" in entry]
    return "\n".join(text) + "\n"


def costs(results):
    """A line for each model: the processor time of each peer until its first result, and its greatest resident size."""
    peers = [p for p in (OURS, "cached") + PEERS if any(has(result, p) for result in results)]
    lines = [("model",) + tuple("%s first ms" % p for p in peers) + tuple("%s MiB" % p for p in peers)]
    for result in results:
        entries = [result["peers"][p] if has(result, p) else {} for p in peers]
        lines.append((result["model"],) + tuple(number(e["first_ns"] / 1e6 if e.get("first_ns") else None, "%.1f") for e in entries) +
                     tuple(number(e["peak_kib"] / 1024 if e.get("peak_kib") else None, "%.0f") for e in entries))
    return simple_table(lines)


def throughput(results):
    """A line for each model: inferences a second of each peer, and the ratio to the fastest other one, with its quartiles."""
    peers = [p for p in (OURS,) + PEERS if any("per_s" in r["peers"].get(p, {}) for r in results)]
    lines = [("model",) + tuple("%s 1/s" % TITLES.get(p, "ours") for p in peers) + ("ratio", "quartiles")]
    for result in results:
        rates_of = {p: result["peers"].get(p, {}).get("per_s") for p in peers}
        others = {p: r for p, r in rates_of.items() if r and p != OURS}
        best = max(others, key=lambda p: statistics.median(others[p])) if others else None
        ratios = [a / b for a, b in zip(rates_of[OURS], others[best])] if best and rates_of.get(OURS) else None
        lines.append((result["model"],) + tuple(number(statistics.median(rates_of[p]) if rates_of[p] else None, "%.0f") for p in peers) +
                     (("%.2f" % statistics.median(ratios), "%.2f to %.2f" % spread(ratios)) if ratios else ("-", "-")))
    return simple_table(lines)


def doors(results):
    """A line for each model: the share of its nodes that the delegate runs, and the time of a run through each door."""
    names = ("nnaccel", "delegate", "python", "xnnpack")
    lines = [("model", "nodes delegated", "C us", "delegate us", "Python us", "XNNPACK us")]
    for result in results:
        peers = result["peers"]
        entry = peers.get("delegate", {})
        share = "%d of %d" % (entry["taken"], entry["nodes"]) if entry.get("nodes") else "-"
        lines.append((result["model"], share) + tuple(
            number(median_ms(peers[n]) * 1e3 if has(result, n) else None, "%.0f") for n in names))
    return simple_table(lines) + "".join(
        "%s, %s: %s\n" % (result["model"], peer, entry["error"])
        for result in results for peer, entry in result["peers"].items() if "error" in entry)


def rst(results):
    """Two simple tables: the ratios with their means, and the resident sizes."""
    peers = [p for p in PEERS if any(has(result, p) for result in results)]
    titles = tuple(TITLES[p] for p in peers)
    lines = [("model", "kind", "ours ms") + tuple(title + " ms" for title in titles) + ("ratio", "quartiles")]
    rows = [row(r) for r in results]
    for r, result in zip(rows, results):
        mark = "".join((" [#p]_" if r["ours"] == OURS_BELOW else "", " [#m]_" if result["peers"].get("xnnpack", {}).get("without") else ""))
        lines.append((r["model"] + mark, r["kind"], number(r["ours_ms"], "%.4f")) +
                     tuple(number(median_ms(result["peers"][p]) if has(result, p) else None, "%.4f") for p in peers) +
                     (number(r["ratio"], "%.2f"), "-" if r["ratio"] is None else "%.2f to %.2f" % (r["low"], r["high"])))
    for name, (mean, count) in zip(("int8 and uint8", "float"), means(rows)):
        lines.append(("geometric mean, %d models" % count, name, "") + ("",) * len(peers) + (number(mean, "%.2f"), ""))
    sizes = [("model, MiB", "ours") + titles]
    for result in results:
        if "mobilenet_v2" in result["model"]:
            sizes.append((result["model"],) + tuple(
                number(result["peers"][p]["peak_kib"] / 1024 if has(result, p) else None, "%.1f")
                for p in [OURS] + peers))
    return simple_table(lines) + "\n" + simple_table(sizes)


def simple_table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    rule = "  ".join("=" * w for w in widths)
    texts = ["  ".join("%-*s" % pair for pair in zip(widths, line)).rstrip() for line in lines]
    # An empty first cell would join a line to the one above; there is none.
    return "\n".join([rule, texts[0], rule] + texts[1:] + [rule]) + "\n"


if __name__ == "__main__":
    FORMS = {"--rst": rst, "--doors": doors, "--costs": costs, "--throughput": throughput}
    with open(sys.argv[1], encoding="utf-8") as file:
        MODELS = json.load(file)["models"]
    sys.stdout.write(FORMS[sys.argv[2]](MODELS) if sys.argv[2:] else text(MODELS))
