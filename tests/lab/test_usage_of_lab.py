#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""nnaccel-lab: its help, its manual page and what it accepts are the same options."""
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "scripts", "nnaccel-lab")
OPTION = re.compile(r"(?m)^ *(?:``)?(--[a-z-]+)((?: [A-Z=]+(?=``$| ))?)")
WORDS = {"run": "run", "fault": "fault and control", "control": "fault and control"}


def lab(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


class Usage(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(ROOT, "Documentation", "man", "nnaccel-lab.rst"), encoding="utf-8") as file:
            page = file.read()
        # to the next title
        self.page = {name: OPTION.findall(re.search(rf"Options of {name}\n=+\n(.*?)\n=", page, re.S)[1]) for name in set(WORDS.values())}

    def test_page_and_help_agree(self):
        options = set(OPTION.findall(lab("--help").stdout)) - {("--help", "")}
        self.assertGreater(len(options), 10)
        self.assertEqual(options, {one for listed in self.page.values() for one in listed})

    def test_program_accepts_what_is_listed(self):
        for word, page in WORDS.items():
            for option, value in self.page[page]:
                with self.subTest(f"{word} {option}"):
                    self.assertEqual(lab(word, option, *(["1"] if value else []), "--help").returncode, 0)
                    self.assertEqual(lab(word, option).returncode, 125)
            self.assertEqual(lab(word, "--nosuch", "--help").returncode, 125)


if __name__ == "__main__":
    unittest.main()
