#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/tally.py: results that are neither passed nor failed, and boots that end early."""
import json
import os
import subprocess
import tempfile
import unittest

TALLY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "tally.py")


class Tally(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name

    def path(self, *names):
        path = os.path.join(self.top, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, text, *names):
        with open(self.path(*names), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(*names)

    def tally(self, *args):
        """(what it prints on stdout, on stderr, the notes)"""
        notes = self.path("notes")
        result = subprocess.run([TALLY, *args], capture_output=True, text=True, check=True,
                                env={**os.environ, "NN_CHECK_NOTES": notes})
        text = ""
        if os.path.exists(notes):
            with open(notes, encoding="utf-8") as file:
                text = file.read()
        return result.stdout.strip(), result.stderr, text

    def meson(self, output, result="OK"):
        log = self.write(json.dumps({"name": "suite / prog", "result": result, "stdout": output}) + "\n", "meson-logs", "log")
        return self.tally("meson", log)

    def test_a_skip_of_the_host_is_a_note(self):
        output = "[       OK ] a\nskip host: no huge pages\n[  SKIPPED ] b\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] b\n"
        self.assertEqual(self.meson(output), ("1 0 0", "", "NOT TESTED, prog b: no huge pages\n"))

    def test_a_late_case_is_a_note(self):
        count, _, notes = self.meson("skip late: a sample came late\n[  SKIPPED ] b\n[       OK ] a\n")
        self.assertEqual((count, notes), ("1 0 0", "TOO LATE TO TELL, prog b: a sample came late\n"))

    def test_a_skip_without_a_reason_fails(self):
        count, errors, notes = self.meson("[  SKIPPED ] b\n[       OK ] a\n")
        self.assertEqual((count, notes), ("1 1 0", ""))
        self.assertIn("FAILED prog: b skipped", errors)

    def test_what_another_device_has_is_a_note(self):
        tap = self.write("ok 1 a\nok 2 b # SKIP not on this device: it is not on PCI\n1..2\n", "tap")
        self.assertEqual(self.tally("tap", tap), ("1 0 0", "", "NOT ON THIS DEVICE, tap b: it is not on PCI\n"))
        tap = self.write("ok 1 a\nok 2 b # SKIP no control port\n1..2\n", "tap")
        self.assertEqual(self.tally("tap", tap)[0], "1 1 0")

    def test_a_reason_belongs_to_one_case(self):
        self.assertEqual(self.meson("skip host: x\n[  SKIPPED ] a\n[  SKIPPED ] b\n")[0], "0 1 0")

    def test_a_failure_shows_its_end_and_how_to_repeat_it(self):
        _, errors, _ = self.meson("something is 3, not 4\n[  FAILED  ] a\n", "FAIL")
        self.assertIn("| something is 3, not 4", errors)
        self.assertRegex(errors, "again, alone: meson test -C .* --no-rebuild prog -v")

    def test_an_unstable_program_is_counted_apart(self):
        self.write("prog\n", "meson-logs", "unstable")
        count, errors, notes = self.meson("[  FAILED  ] a\n[       OK ] b\n", "FAIL")
        self.assertEqual(count, "1 0 1")
        self.assertNotIn("FAILED prog", errors)
        self.assertIn("UNSTABLE, prog: it failed once (a failed)", notes)

    def test_names_of_what_failed(self):
        log = self.write(json.dumps({"name": "prog", "result": "FAIL", "stdout": "[  FAILED  ] a\n[  FAILED  ] b\n"}) + "\n", "log")
        self.assertEqual(self.tally("failed", "meson", log)[0], "prog")

    def test_the_table(self):
        table = self.write("g\tr\tcases\t5\t1\t0\ng\ts\tcases\t1000\t0\t2\n", "table")
        lines = [line.split() for line in self.tally("table", table)[0].splitlines()]
        self.assertEqual(lines[0], ["group", "route", "counted", "passed", "failed", "unstable"])
        self.assertEqual(lines[3], ["total", "2", "rows", "cases", "1,005", "1", "2"])

    def boot(self, ended):
        plan = self.write("a\t60\ta.sh\nb\t60\tb.sh\nc\t60\tc.sh\n", "plan-x")
        self.write("a\t0\t5\t0\n", "x", "results.tsv")
        self.write("ok 1 first\n1..1\n", "x", "tests", "a.log")
        self.write("done\n", "x", "outcome")
        if ended:
            self.write(ended, "x", "ended")
        return self.tally("vm", plan, self.path("x", "results.tsv").rpartition("/")[0])

    def test_a_dead_card_is_one_failure(self):
        count, errors, notes = self.boot("a\tfailed\n")
        self.assertEqual(count, "1 1 0")
        self.assertIn("FAILED a: the card is dead after it (failed)", errors)
        self.assertEqual(notes, "NOT TESTED, b: boot x ended at a\nNOT TESTED, c: boot x ended at a\n")

    def test_without_a_result(self):
        self.assertEqual(self.boot(None)[0], "1 2 0")


if __name__ == "__main__":
    unittest.main()
