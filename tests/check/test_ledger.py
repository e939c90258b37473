#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check/ledger.py in a repository of the test's own."""
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Ledger(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        os.makedirs(os.path.join(self.top, "scripts", "check"))
        os.makedirs(os.path.join(self.top, "tests"))
        shutil.copy(os.path.join(ROOT, "scripts", "check", "ledger.py"), os.path.join(self.top, "scripts", "check"))
        self.git("init", "-q")
        self.commit()

    def git(self, *args):
        subprocess.run(["git", "-C", self.top, "-c", "user.name=t", "-c", "user.email=t@localhost", *args], check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")

    def ledger(self, *args):
        return subprocess.run([os.path.join(self.top, "scripts", "check", "ledger.py"), *args], capture_output=True, text=True,
                              check=True).stdout

    def append(self, suite, *rows):
        table = os.path.join(self.top, ".git", "table")
        with open(table, "w", encoding="utf-8") as file:
            file.writelines("\t".join(row + ("0",) * (6 - len(row))) + "\n" for row in rows)
        return self.ledger("append", suite, table)

    def rows(self):
        try:
            with open(os.path.join(self.top, "tests", "ledger.tsv"), encoding="utf-8") as file:
                return [line.rstrip("\n").split("\t") for line in file]
        except FileNotFoundError:
            return []

    def test_without_a_run(self):
        self.assertIn("make check-full: no run is recorded", self.ledger("state"))
        self.assertIn("make check-long: no run is recorded", self.ledger("state"))

    def test_green(self):
        self.append("full", ("unit", "host", "cases", "10", "0"), ("vm", "boot stock", "cases", "5", "0", "2"))
        self.assertEqual([row[0] for row in self.rows()], ["suite", "full"])
        self.assertEqual(self.rows()[1][3:], ["15", "0", "2", "-"])
        self.assertIn("make check-full ran at this commit: 15 passed, 0 failed, 2 unstable\n", self.ledger("state"))
        self.commit()
        self.commit()
        self.assertIn("make check-full ran 2 commits ago", self.ledger("state"))

    def test_red_names_the_group_and_the_last_green_run(self):
        self.append("long", ("debug", "boot debug", "cases", "9", "0"))
        self.commit()
        self.append("long", ("debug", "boot debug", "cases", "8", "1"))
        text = self.ledger("state")
        self.assertIn("8 passed, 1 failed", text)
        self.assertIn("RED: debug: boot debug; green 1 commit ago", text)

    def test_changes_that_are_not_committed(self):
        with open(os.path.join(self.top, "scripts", "check", "ledger.py"), "a", encoding="utf-8") as file:
            file.write("# changed\n")
        self.assertIn("not recorded", self.append("full", ("unit", "host", "cases", "1", "0")))
        self.assertEqual(self.rows(), [])


if __name__ == "__main__":
    unittest.main()
