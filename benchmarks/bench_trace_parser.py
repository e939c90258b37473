#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_trace_parser.py NNCTL [LINES]: how long "nnctl trace report" and "export" take for a trace of that many lines
(a million). The trace is one long benchmark loop of executions through all layers, with an event of
the scheduler among every fifteen lines, in one case: what it holds does not depend on how often runs end."""
import os
import subprocess
import sys
import tempfile
import time

HEADER = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
APP, POOL, DRIVER = ("vision-app", 310, 310), ("pool", 311, 310), ("card-driver", 700, 700)
# of one execution: thread and mark, None: its innermost scope ends
EXECUTION = (
    (APP, "[NN_LA_PE]infer"), (APP, "[NN_LR_PE]ANeuralNetworksExecution_create"), (APP, None),
    (APP, "[NN_LR_PIO]ANeuralNetworksExecution_setInput"), (APP, None),
    (APP, "[NN_LR_PE]ANeuralNetworksExecution_startCompute"), (APP, None),
    (POOL, "[NN_LI_PE]send"), (DRIVER, "HIDL::IPreparedModel::execute::server"),
    (DRIVER, "HIDL::IExecutionCallback::notify::client"), (DRIVER, None), (DRIVER, None), (POOL, None),
    (APP, "[NN_LR_PE]ANeuralNetworksEvent_wait"), (APP, None), (APP, None))
SWITCH = ("sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=vision-app "
          "next_pid=310 next_prio=120")


def write(out, lines):
    us = 5000_000_000

    def put(thread, text):
        nonlocal us
        us += 7
        comm, tid, tgid = thread
        out.write(f"{comm:>16}-{tid:<5} ({tgid:5}) [001] ...1 {us // 10**6:5}.{us % 10**6:06}: {text}\n")

    def mark(thread, text):
        put(thread, f"tracing_mark_write: B|{thread[2]}|{text}" if text else f"tracing_mark_write: E|{thread[2]}")

    out.write(HEADER)
    for text in ("HIDL::IDevice::getType::server", None):
        mark(DRIVER, text)
    mark(APP, "[NN_LA_PO]benchmark")
    mark(APP, "[NN_LA_PBM]loop")
    for _ in range((lines - 7) // (len(EXECUTION) + 1)):
        for thread, text in EXECUTION:
            mark(thread, text)
        put(("<idle>", 0, 0), SWITCH)
    mark(APP, None)
    mark(APP, None)


def run(what, command):
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{what}: exit status {os.waitstatus_to_exitcode(status)}")
    print(f"{what}: {time.monotonic() - start:.2f} s ({usage.ru_utime:.2f} s of user time)")


def main():
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.NamedTemporaryFile("w", suffix=".trace") as trace:
        write(trace, lines)
        trace.flush()
        print(f"{lines} lines, {os.path.getsize(trace.name) / 2**20:.0f} MiB")
        run("report", [sys.argv[1], "trace", "report", trace.name])
        run("report --strict --json", [sys.argv[1], "trace", "report", "--strict", "--json", trace.name])
        run("export", [sys.argv[1], "trace", "export", trace.name, "-o", "/dev/null"])


if __name__ == "__main__":
    main()
