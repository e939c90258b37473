#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many inferences a machine does in a second in several processes of one peer at the same time: rounds.py --processes N."""
import time


def in_turns(items, i):
    """The items with another one first in each round i."""
    return items[i % len(items):] + items[:i % len(items)] if items else []


def round_rate(group, budget_ns):
    """Inferences a second of all processes, which begin together."""
    begin = time.monotonic()
    for process in group:
        process.send("round %d" % budget_ns)
    runs = sum(process.answer()["runs"] for process in group)
    return runs / (time.monotonic() - begin)


def measure(start, gone_type, model, peers, count, rounds, budget_ns):
    """The entries of a model (table.py), with "per_s": @count processes of a peer run at the same time, and the peers take turns.
    start(peer, command, model) returns a process and its entry, or raises @gone_type."""
    groups, entries = {}, {}

    def leave_out(peer, why):
        entries[peer] = {"error": str(why)}
        for process in groups.pop(peer):
            process.close()

    for peer, command in peers:
        groups[peer] = []
        try:
            for _ in range(count):
                process, entries[peer] = start(peer, command, model)
                groups[peer].append(process)
            entries[peer]["per_s"] = []
        except gone_type as gone:
            leave_out(peer, gone)
    for i in range(-1, rounds): # round -1 warms up
        for peer in in_turns(list(groups), i):
            try:
                rate = round_rate(groups[peer], budget_ns)
            except gone_type as gone:
                leave_out(peer, gone)
                continue
            if i >= 0:
                entries[peer]["per_s"].append(rate)
    for group in groups.values():
        for process in group:
            process.close()
    return entries
