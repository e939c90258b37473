#!/usr/bin/python3 -SE
# SPDX-License-Identifier: Apache-2.0
"""Ends a program that hangs, not one that waits for a processor.

limit.py BUILD COMMAND...        meson's test wrapper: the test's limit is that of the build folder BUILD
limit.py SECONDS COMMAND...      runs the command with that limit
limit.py SECONDS --pid PID       ends the process PID at the limit; returns when it has ended

The limit is wall time less the time that the program waited for a processor (/proc/PID/task/TID/schedstat): a busy machine
delays a program and fails none. A moment counts as waited when a thread of the program, or of a process that it started,
waited; of several threads, the one that waited longest counts. NN_LIMIT_FACTOR multiplies the limit of a test. At the limit the
program's processes are killed, and the exit status is 124.
"""
import json
import os
import signal
import sys
import time

STEP = 0.25             # seconds between two looks
UNKNOWN = 300           # seconds of a test that meson does not list
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def limit_of(build, command):
    """The limit in seconds of the test with that command."""
    # meson lists a program with a path relative to the build folder, and starts it with an absolute one
    names = list(map(os.path.basename, command))
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as file:
        limits = [test["timeout"] for test in json.load(file) if list(map(os.path.basename, test["cmd"])) == names]
    # one program may be several tests, which differ in their environment
    return max(limits, default=UNKNOWN)


class Tree:
    """A process and all that it started, as far as it is still below it."""

    def __init__(self, pid, proc="/proc"):
        self.pid = pid
        self.proc = proc
        self.waited = {}

    def read(self, *parts):
        try:
            with open(os.path.join(self.proc, *map(str, parts)), encoding="ascii", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def names(self, *parts):
        try:
            return os.listdir(os.path.join(self.proc, *map(str, parts)))
        except OSError:
            return []

    def processes(self):
        found = [self.pid]
        for pid in found:
            for task in self.names(pid, "task"):
                found += map(int, self.read(pid, "task", task, "children").split())
        return found

    def look(self):
        """Seconds since the last look that a thread waited: the largest of all threads."""
        now, most = {}, 0.0
        for pid in self.processes():
            for task in self.names(pid, "task"):
                fields = self.read(pid, "task", task, "schedstat").split()
                if len(fields) == 3:
                    now[task] = int(fields[1])
                    most = max(most, now[task] - self.waited.get(task, 0))
        self.waited = now
        return most / 1e9

    def kill(self):
        for pid in reversed(self.processes()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Limit:
    """Counts what is left of a limit."""

    def __init__(self, seconds, tree, clock=time.monotonic):
        self.left = seconds
        self.tree = tree
        self.clock = clock
        self.wall = self.waited = 0.0
        self.last = clock()

    def reached(self):
        now = self.clock()
        wall, self.last = now - self.last, now
        waited = min(wall, self.tree.look())
        self.wall += wall
        self.waited += waited
        self.left -= wall - waited
        return self.left <= 0

    def report(self):
        print("\nlimit reached: the program had %.0f s, %.0f s without the time that it waited for a processor"
              % (self.wall, self.wall - self.waited), flush=True)


def watch(pid, seconds):
    """Kills a process that is not ours at its limit."""
    limit = Limit(seconds, Tree(pid))
    ended = os.pidfd_open(pid)
    import select
    while not select.select([ended], [], [], STEP)[0]:
        if limit.reached():
            limit.report()
            limit.tree.kill()
            return 124
    return 0


def run(seconds, command):
    import ctypes
    libc = ctypes.CDLL(None)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(125)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            print("%s: %s" % (command[0], error), file=sys.stderr)
            os._exit(127)
    limit = Limit(seconds, Tree(pid))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    hung = False
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        if not hung and limit.reached():
            limit.report()
            limit.tree.kill()
            hung = True
        signal.sigtimedwait({signal.SIGCHLD}, STEP)
    if hung:
        return 124
    if os.WIFSIGNALED(status):
        # as the program ended; no second core file
        import resource
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.waitstatus_to_exitcode(status)


def main(args):
    if len(args) < 2:
        sys.exit(__doc__)
    if len(args) == 3 and args[1] == "--pid":
        return watch(int(args[2]), float(args[0]))
    if args[0].isdigit():
        return run(float(args[0]), args[1:])
    return run(limit_of(args[0], args[1:]) * float(os.environ.get("NN_LIMIT_FACTOR", 1)), args[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
