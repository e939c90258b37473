#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check/limit.py: a limit counts the time that a program could have run."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "check", "limit.py")
SPEC = importlib.util.spec_from_file_location("limit", PATH)
limit = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(limit)


class Machine:
    """A /proc with processes whose threads waited for so many seconds, and a clock."""

    def __init__(self, folder):
        self.folder = folder
        self.now = 100.0

    def clock(self):
        return self.now

    def thread(self, pid, tid, waited, children=""):
        task = os.path.join(self.folder, str(pid), "task", str(tid))
        os.makedirs(task, exist_ok=True)
        for name, text in (("schedstat", "5 %d 1" % (waited * 1e9)), ("children", children)):
            with open(os.path.join(task, name), "w", encoding="ascii") as file:
                file.write(text)


class Accounting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Machine(folder.name)
        self.machine.thread(7, 7, 3.0)
        self.limit = limit.Limit(10, limit.Tree(7, folder.name), self.machine.clock)
        self.limit.tree.look()

    def pass_time(self, seconds):
        self.machine.now += seconds
        return self.limit.reached()

    def test_a_program_that_sleeps_reaches_its_limit(self):
        self.assertFalse(self.pass_time(9))
        self.assertTrue(self.pass_time(1))

    def test_waiting_for_a_processor_does_not_count(self):
        self.machine.thread(7, 7, 3.0 + 9)
        self.assertFalse(self.pass_time(12))
        self.assertFalse(self.pass_time(6))
        self.assertTrue(self.pass_time(1))

    def test_the_thread_that_waited_longest_counts_once(self):
        self.machine.thread(7, 7, 3.0 + 4)
        self.machine.thread(7, 8, 6.0)
        self.assertFalse(self.pass_time(15))
        self.assertTrue(self.pass_time(1))

    def test_waiting_is_never_longer_than_the_wall(self):
        self.machine.thread(7, 7, 1000.0)
        self.assertFalse(self.pass_time(5))
        self.assertFalse(self.pass_time(9))
        self.assertTrue(self.pass_time(1))

    def test_a_child_counts(self):
        self.machine.thread(7, 7, 3.0, "9 ")
        self.machine.thread(9, 9, 8.0)
        self.assertFalse(self.pass_time(17))
        self.assertTrue(self.pass_time(1))


class Commands(unittest.TestCase):
    def run_limit(self, *args):
        return subprocess.run([PATH, *args], capture_output=True, text=True, check=False)

    def test_the_exit_status_comes_back(self):
        self.assertEqual(self.run_limit("60", "sh", "-c", "exit 7").returncode, 7)

    def test_a_signal_comes_back(self):
        self.assertEqual(self.run_limit("60", "sh", "-c", "kill -SEGV $$").returncode, -11)

    def test_what_hangs_is_ended_with_its_children(self):
        result = self.run_limit("1", "sh", "-c", "sleep 1000 & echo $!; sleep 1000")
        self.assertEqual(result.returncode, 124)
        self.assertIn("limit reached", result.stdout)
        try:
            with open("/proc/%s/stat" % result.stdout.split()[0], encoding="ascii") as file:
                self.assertIn(file.read().rpartition(")")[2].split()[0], "ZX")
        except FileNotFoundError:
            pass # init has reaped it

    def test_a_process_of_another_is_ended(self):
        with subprocess.Popen(["sleep", "1000"]) as other:
            self.assertEqual(self.run_limit("1", "--pid", str(other.pid)).returncode, 124)
            self.assertEqual(other.wait(), -9)

    def test_a_process_that_ended_needs_no_limit(self):
        with subprocess.Popen(["sleep", "0.2"]) as other:
            self.assertEqual(self.run_limit("1000", "--pid", str(other.pid)).returncode, 0)


if __name__ == "__main__":
    unittest.main()
