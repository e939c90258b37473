#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check/table.sh: a run that ends early counts as a failure, in its own build folder only."""
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# As check.sh begins, and then an end that it did not plan.
SCRIPT = """
. scripts/lib.sh
suite_name=
. scripts/check/table.sh
. scripts/check/aside.sh
mkdir -p "$NN_BUILD"
nn_lock "$NN_BUILD/.check.lock"
table_begin
nn_scratch
trap ended_early EXIT
echo ready
read -r _
exit 1
"""


class EndedEarly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = os.path.join(folder.name, "build")
        # without what a check.sh that runs this test has exported: its lock, its scratch folder, the make above it
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NN_")}
        environment.update(NNACCEL_BUILD=self.build, NNACCEL_CACHE=os.path.join(folder.name, "cache"))
        self.run = subprocess.Popen(["bash", "-c", SCRIPT], cwd=ROOT, env=environment, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(self.run.stdout.readline(), "ready\n")

    def end(self):
        self.run.communicate("\n")
        self.assertEqual(self.run.returncode, 1)

    def read(self, name):
        with open(os.path.join(self.build, "check", name), encoding="utf-8") as file:
            return file.read()

    def test_it_counts_as_a_failure(self):
        self.end()
        self.assertEqual(self.read("table.tsv"), "check itself\thost\tcases\t0\t1\t0\n")
        self.assertEqual(self.read("sum"), "0 passed, 1 failed\n")

    def test_a_folder_of_another_run_stays_as_it_is(self):
        shutil.rmtree(self.build)
        os.makedirs(os.path.join(self.build, "check"))
        for name in (".check.lock", "check/table.tsv"):
            with open(os.path.join(self.build, name), "w", encoding="utf-8"):
                pass
        self.end()
        self.assertEqual(self.read("table.tsv"), "")
        self.assertEqual(sorted(os.listdir(os.path.join(self.build, "check"))), ["table.tsv"])


if __name__ == "__main__":
    unittest.main()
