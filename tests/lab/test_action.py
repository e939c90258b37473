#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/lab: the GitHub action and the example workflow name what exists: inputs, commands, options, targets, paths.

The action's steps run here with a docker that records its arguments; the command line of nnaccel-lab among them goes to the
program, which parses it.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAB = os.path.join(ROOT, "packaging", "lab")
PROGRAM = os.path.join(ROOT, "scripts", "nnaccel-lab")
INPUT = re.compile(r"\$\{\{\s*inputs\.([\w-]+)")
RECORDER = """#!/bin/bash
/usr/bin/python3 -c 'import json, sys; print(json.dumps(sys.argv[1:]))' "${0##*/}" "$@" >>"$RECORD"
"""


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def load(name):
    return yaml.safe_load(read("packaging", "lab", name))


def commands(script):
    """The simple commands of a script that has lists and pipes only, as words."""
    for line in script.replace("\\\n", " ").split("\n"):
        words = list(shlex.shlex(line, posix=True, punctuation_chars=True))
        while words:
            end = next((i for i, word in enumerate(words) if word in ("&&", "||", "|", ";")), len(words))
            if words[:end]:
                yield words[:end]
            words = words[end + 1:]


class Action(unittest.TestCase):
    def setUp(self):
        self.action = load("action.yml")
        self.steps = self.action["runs"]["steps"]

    def run_step(self, step, inputs):
        """The step with these inputs and docker as a recorder: the exit status, and the recorded commands."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("docker", "sudo"):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(RECORDER)
                os.chmod(os.path.join(folder, name), 0o755)
            record = os.path.join(folder, "record")
            environment = {"PATH": folder + ":" + os.environ["PATH"], "RECORD": record}
            for name, value in step["env"].items():
                environment[name] = INPUT.sub(lambda match: "\0" + match[1], value)
                self.assertRegex(environment[name], r"^\0[\w-]+ \}\}$", "a variable is one input")
                environment[name] = inputs[environment[name][1:-3]]
            # as GitHub runs "shell: bash"
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], env=environment,
                                  cwd=folder, capture_output=True, text=True, check=False)
            with open(record, encoding="utf-8") as file:
                return done.returncode, [json.loads(line) for line in file], folder

    def inputs(self, **given):
        values = {name: one.get("default", "") for name, one in self.action["inputs"].items()}
        self.assertLessEqual(set(given), set(values))
        return values | given

    def lab_arguments(self, **given):
        """What the last step gives to nnaccel-lab, and docker's own words before it."""
        code, recorded, folder = self.run_step(self.steps[-1], self.inputs(**given))
        self.assertEqual(code, 0)
        words = recorded[-1]
        self.assertEqual(words[:2], ["docker", "run"])
        # the image may have the program's name
        at = next(i for i in range(len(words)) if words[i:i + 2] == ["nnaccel-lab", "run"])
        return words[2:at], words[at + 1:], folder

    def accepts(self, arguments):
        """Whether nnaccel-lab knows the options before the command."""
        options = arguments[:arguments.index("--")]
        done = subprocess.run([PROGRAM, *options, "--help"], capture_output=True, text=True, check=False)
        return done.returncode == 0

    def test_inputs_are_used_and_exist(self):
        used = set(INPUT.findall(read("packaging", "lab", "action.yml")))
        self.assertEqual(used, set(self.action["inputs"]))
        for step in self.steps:
            # a step's own variables: text of a user is no part of a script
            self.assertNotIn("${{", step["run"])
            self.assertEqual(step["shell"], "bash")

    def test_command_line_is_known(self):
        before, arguments, folder = self.lab_arguments(command="nnctl list | cat 'a b'", options="--mem 2G --env 'A=b c'")
        self.assertEqual(arguments[arguments.index("--") + 1:], ["bash", "-ec", "nnctl list | cat 'a b'"])
        self.assertIn("A=b c", arguments)
        self.assertTrue(self.accepts(arguments))
        self.assertEqual(before[before.index("-w") + 1], folder)
        self.assertEqual(before[before.index("-v") + 1], folder + ":" + folder)
        self.assertEqual(before[-1], self.action["inputs"]["image"]["default"])

    def test_unknown_option_is_noticed(self):
        self.assertFalse(self.accepts(self.lab_arguments(command="true", options="--nosuch")[1]))

    def test_image_is_built_from_what_is_staged(self):
        code, recorded, _ = self.run_step(self.steps[0], self.inputs(command="true", folder="lab", image="mine"))
        self.assertEqual((code, recorded), (0, [["docker", "build", "-t", "mine", "-f", "lab/Containerfile", "lab"]]))
        self.assertRegex(read("scripts", "lab.sh"), r'\n\tcp packaging/lab/packages packaging/lab/Containerfile "\$new/"\n')


class Workflow(unittest.TestCase):
    def setUp(self):
        self.jobs = load("workflow.yml")["jobs"]
        self.action = load("action.yml")
        self.steps = [step for job in self.jobs.values() for step in job["steps"]]

    def uses(self, action):
        return [step for step in self.steps if step.get("uses", "").startswith(action)]

    def ours(self):
        return self.uses("./")

    def checkouts(self):
        return {step["with"]["path"] for step in self.uses("actions/checkout@") if "with" in step}

    def check_command(self, words):
        if words[0] == "make":
            self.assertIn(words[words.index("-C") + 1], self.checkouts())
            target = words[words.index("-C") + 2]
            self.assertTrue(re.search(rf"(?m)^{re.escape(target)}:", read("Makefile")), f"no target {target}")
        elif words[0] == "nnctl":
            self.assertTrue(re.search(rf'(?m)^\t\{{ "{re.escape(words[1])}", "', read("tools", "nnctl", "main.c")), words)
        elif words[0] == "nnaccel-lab":
            done = subprocess.run([PROGRAM, *words[1:-1], "--help"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, words)
            # a fault without its number, or a control command
            word = re.escape(re.sub("=.*", "=", words[-1]))
            self.assertTrue(re.search(rf"(?m)^``{word}", read("Documentation", "card.rst")), words)
        else:
            self.assertTrue(shutil.which(words[0]), f"no command {words[0]}")

    def test_jobs_follow_each_other(self):
        for job in self.jobs.values():
            self.assertIn(job.get("needs", next(iter(self.jobs))), self.jobs)

    def test_commands_exist(self):
        scripts = [step["run"] for step in self.steps if "run" in step] + [step["with"]["command"] for step in self.ours()]
        found = [words for script in scripts for words in commands(script)]
        self.assertGreaterEqual(len(found), 8)
        for words in found:
            self.check_command(words)

    def test_what_does_not_exist_is_noticed(self):
        for line in ("make -C nnaccel nosuch", "nnctl nosuch", "nnaccel-lab nosuch x", "nnaccel-lab fault nosuch=1",
                     "nnaccel-lab control --nosuch hold", "no-such-command"):
            with self.subTest(line), self.assertRaises(AssertionError):
                self.check_command(shlex.split(line))

    def test_action_is_called_with_its_inputs(self):
        required = {name for name, one in self.action["inputs"].items() if one.get("required")}
        self.assertEqual(len(self.ours()), 2)
        for step in self.ours():
            top, _, path = step["uses"][2:].partition("/")
            self.assertIn(top, self.checkouts())
            self.assertTrue(os.path.exists(os.path.join(ROOT, path, "action.yml")), path)
            self.assertLessEqual(set(step["with"]), set(self.action["inputs"]))
            self.assertLessEqual(required, set(step["with"]))

    def test_files_of_one_job_reach_the_other(self):
        results = {step["with"].get("results", self.action["inputs"]["results"]["default"]) for step in self.ours()}
        made = results | {word for step in self.steps for words in commands(step.get("run", "")) for word in words}
        uploads = {step["with"]["name"]: step["with"]["path"].split() for step in self.uses("actions/upload-artifact@")}
        for paths in uploads.values():
            self.assertLessEqual(set(paths), made)
        for step in self.uses("actions/download-artifact@"):
            self.assertIn(step["with"]["name"], uploads)


if __name__ == "__main__":
    unittest.main()
