#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rounds.py [--rounds N] [--starts N] [--budget-ms N] [--json FILE] [--products FILE] [--doors | --costs | --processes N] [--facts NAME=VALUE ...] --peer NAME=COMMAND ... \
MODEL ...

Runs every model in every peer (serve.h), a process each, in rounds in which the peers take turns, and prints the
table (table.py): of ratios, of rates if a file has the models' multiply-adds (layers.py), or with --doors of times and shares; --costs: and that of first results and
memory. --starts N: a first result is the median of N starts, in which the peers take turns, one process at a time, after one that does
not count. --processes N: so many processes of a peer at the same time (processes.py), and the table of their inferences a second.
COMMAND is split as by a shell; the model follows it. scripts/bench-peers.sh is what calls this.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import processes # beside this file
import table

# Kinds of operations (BuiltinOperator of TensorFlow Lite) that a delegate may take and then not run: 40 is MEAN, of which
# XNNPACK 2024-11 with the delegate of 2.14 can do no more than begin it, 22 is RESHAPE.
RETRIES = {"xnnpack": ((40, "MEAN"), (22, "RESHAPE"))}


class Gone(Exception):
    """A peer that does not run the model, with the reason."""


class Process:
    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      text=True)
        try:
            self.ready = self.answer()
        except Gone:
            self.close()
            raise

    def answer(self):
        line = self.child.stdout.readline()
        try:
            answer = json.loads(line)
        except ValueError:
            raise Gone("the process ended with %s" % self.child.wait() if not line else "not understood: " + line.strip())
        if "error" in answer:
            raise Gone(answer["error"])
        return answer

    def send(self, command):
        try:
            self.child.stdin.write(command + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            pass # the reason is in its last answer

    def ask(self, command):
        self.send(command)
        return self.answer()

    def close(self):
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.wait()


def start(peer, command, model):
    """The process and its entry in the result."""
    failure = None
    for code, name in ((None, None),) + RETRIES.get(peer, ()):
        try:
            process = Process(command + [model] + ([str(code)] if code else []))
        except Gone as gone:
            failure = failure or gone
            continue
        entry = {key: process.ready.get(key, 0) for key in ("nodes", "taken", "pieces", "prepare_ns", "first_ns")}
        entry.update({"process_ns": [], "thread_ns": [], "wall_ns": [], "kinds": process.ready.get("kinds", {})})
        if name:
            entry["without"] = name
        return process, entry
    raise failure


def name_of(model):
    base = os.path.basename(model)
    return os.path.basename(os.path.dirname(os.path.abspath(model))) if base == "model.tflite" else base


def measure_starts(model, peers, entries, starts):
    """Replaces the first_ns of each entry by the median of @starts further ones."""
    first = {peer: [] for peer, _ in peers if "error" not in entries[peer]}
    for i in range(-1, starts): # start -1 leaves its memory to the others
        order = [(peer, command) for peer, command in peers if peer in first]
        for peer, command in processes.in_turns(order, i):
            process, entry = start(peer, command, model)
            process.close()
            if i >= 0:
                first[peer].append(entry["first_ns"])
    for peer, times in first.items():
        entries[peer].update({"first_ns": statistics.median(times), "starts_ns": times})


def result_of(model, entries):
    kinds = next((e.pop("kinds") for e in entries.values() if e.get("kinds")), {})
    return {"model": name_of(model), "kinds": kinds, "peers": entries}


def measure(model, peers, rounds, starts, budget_ns):
    running, entries = {}, {}
    for peer, command in peers:
        try:
            running[peer], entries[peer] = start(peer, command, model)
        except Gone as gone:
            entries[peer] = {"error": str(gone)}
    for i in range(-1, rounds): # round -1 warms up
        for peer in processes.in_turns(list(running), i):
            try:
                answer = running[peer].ask("round %d" % budget_ns)
            except Gone as gone:
                running.pop(peer).close()
                entries[peer] = {"error": str(gone)}
                continue
            for key in ("process_ns", "thread_ns", "wall_ns"):
                if i >= 0:
                    entries[peer][key].append(answer[key])
    for peer, process in running.items():
        entries[peer]["peak_kib"] = process.ask("memory")["peak_kib"]
        process.close()
    if starts:
        measure_starts(model, peers, entries, starts)
    return result_of(model, entries)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--starts", type=int, default=0)
    parser.add_argument("--budget-ms", type=float, default=30)
    parser.add_argument("--json")
    parser.add_argument("--products")
    parser.add_argument("--doors", action="store_true")
    parser.add_argument("--costs", action="store_true")
    parser.add_argument("--processes", type=int, default=0)
    parser.add_argument("--facts", action="append", default=[])
    parser.add_argument("--peer", action="append", required=True)
    parser.add_argument("model", nargs="+")
    options = parser.parse_args()
    peers = [(name, shlex.split(command)) for name, command in (p.split("=", 1) for p in options.peer)]
    facts = dict(fact.split("=", 1) for fact in options.facts)
    results = []
    for model in options.model:
        if options.processes:
            results.append(result_of(model, processes.measure(start, Gone, model, peers, options.processes, options.rounds,
                                                              int(options.budget_ms * 1e6))))
            continue
        results.append(measure(model, peers, options.rounds, options.starts, int(options.budget_ms * 1e6)))
        print("%s: %s" % (results[-1]["model"], ", ".join(
            "%s %s" % (peer, "-" if "error" in e else "%.4f ms" % table.median_ms(e))
            for peer, e in results[-1]["peers"].items())), file=sys.stderr, flush=True)
    for name, value in facts.items():
        print("%s: %s" % (name, value))
    if options.processes:
        sys.stdout.write(table.throughput(results))
    elif options.products:
        with open(options.products, encoding="utf-8") as f:
            sys.stdout.write(table.rates(results, json.load(f)))
    elif options.doors:
        sys.stdout.write(table.doors(results))
    else:
        sys.stdout.write(table.text(results))
        if options.costs:
            sys.stdout.write("\n" + table.costs(results))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            json.dump({"facts": facts, "rounds": options.rounds, "starts": options.starts, "models": results,
                       "table": [] if options.processes else [table.row(r) for r in results]}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
