#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""quick.py: after an edit, builds and runs the short tests that the edit concerns, within 15 seconds.

A test is run when its program, a library of ours that it loads or a file that it is given differs from what the test
passed with; first those whose own program has changed. Left out are tests that take longer than a second, and what there
is no time for. What is known about each test (the digest of its files and its duration) is in build/quick.json; results
and durations of `make check GROUPS=unit` count, too.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time

START = time.monotonic()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("NNACCEL_BUILD") or os.path.join(ROOT, "build")
STATE = os.path.join(BUILD, "quick.json")
TESTLOG = os.path.join(BUILD, "meson-logs", "testlog.json")
LONG = 1.0      # seconds; longer tests are for make check
BUDGET = 12.0   # seconds from the start, after which no test begins
UNKNOWN = 0.3   # seconds that a test of lane gate is expected to take before it was ever run; any other is "longer"


def elapsed():
    return time.monotonic() - START


def say(text):
    print("[%6.1f s] %s" % (elapsed(), text), flush=True)


def load(path, default):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return default


def build():
    """Builds what the tests need and prints the number of steps."""
    log = os.path.join(BUILD, "logs", "quick.log")
    os.makedirs(os.path.dirname(log), exist_ok=True)
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        subprocess.run([os.path.join(ROOT, "scripts", "userspace.sh")], check=True)
    with open(log, "w", encoding="utf-8") as out:
        failed = subprocess.call(["ninja", "-C", BUILD], stdout=out, stderr=subprocess.STDOUT)
    with open(log, encoding="utf-8", errors="replace") as out:
        lines = out.read().splitlines()
    if failed:
        print("\n".join(lines[-30:]))
        sys.exit("quick: the build failed (%s)" % log)
    say("built, %d steps" % sum(line.startswith("[") for line in lines))


class Digests:
    """Digests of files, kept by size and time; those of a program cover the shared libraries of ours that it loads."""

    def __init__(self, known):
        self.files = known
        self.links = {}
        rule = re.compile(r"^build (\S+): c_LINKER .*?\|(.*)$", re.M)
        with open(os.path.join(BUILD, "build.ninja"), encoding="utf-8") as file:
            for output, inputs in rule.findall(file.read()):
                shared = {os.path.dirname(path)[:-2] for path in inputs.split() if path.endswith(".symbols")}
                self.links[os.path.join(BUILD, output)] = {os.path.join(BUILD, path) for path in shared}

    def of_file(self, path):
        info = os.stat(path)
        stamp = [info.st_size, info.st_mtime_ns]
        if self.files.get(path, [None])[0] != stamp:
            with open(path, "rb") as file:
                self.files[path] = [stamp, hashlib.sha256(file.read()).hexdigest()]
        return self.files[path][1]

    def closure(self, path, found):
        path = os.path.realpath(path)
        if path not in found and os.path.isfile(path):
            found.add(path)
            for library in self.links.get(path, ()):
                self.closure(library, found)
        return found


def describe(test, digests, targets):
    """(digest of the test's own program, digest of all its files, the time of the newest)"""
    files = set()
    for word in test["cmd"]:
        if word.startswith((BUILD + "/", ROOT + "/")):
            digests.closure(word, files)
    for target in test["depends"]:
        for path in targets.get(target, ()):
            if path.endswith(".so") or os.access(path, os.X_OK):
                digests.closure(path, files)
    own = digests.of_file(test["cmd"][0]) if os.path.isfile(test["cmd"][0]) else ""
    both = hashlib.sha256("".join(sorted(digests.of_file(path) for path in files)).encode()).hexdigest()
    return own, both, max([os.stat(path).st_mtime for path in files] or [0])


def learn(state, described):
    """Takes over what the last run of meson says about tests whose files are older than its log."""
    try:
        written = os.stat(TESTLOG).st_mtime
        with open(TESTLOG, encoding="utf-8") as file:
            results = [json.loads(line) for line in file]
    except (OSError, ValueError):
        return
    for result in results:
        name = result["name"].split(" / ")[-1]
        old = state.setdefault(name, {})
        if name in described and (described[name][2] < result["starttime"] or not old) and old.get("log") != written:
            old["seconds"] = result["duration"]
            old["log"] = written
            if result["result"] == "OK" and described[name][2] < result["starttime"]:
                old["own"], old["key"] = described[name][:2]


def run(test, seconds):
    """(whether it passed, its duration, its output), or None where there is no time left"""
    if elapsed() + seconds > BUDGET:
        return None
    begin = time.monotonic()
    try:
        done = subprocess.run(test["cmd"], env={**os.environ, **test["env"]}, cwd=test["workdir"] or BUILD,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=max(10 * seconds, 5), check=False)
        return done.returncode == 0, time.monotonic() - begin, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return False, time.monotonic() - begin, (late.stdout or b"").decode(errors="replace") + "\ntimeout"


def main():
    build()
    known = load(STATE, {"files": {}, "tests": {}})
    state = known["tests"]
    digests = Digests(known["files"])
    targets = {t["id"]: t["filename"] for t in load(os.path.join(BUILD, "meson-info", "intro-targets.json"), [])}
    tests = load(os.path.join(BUILD, "meson-info", "intro-tests.json"), [])
    described = {test["name"]: describe(test, digests, targets) for test in tests}
    learn(state, described)
    due = [test for test in tests if state.get(test["name"], {}).get("key") != described[test["name"]][1]]

    def seconds(test):
        gate = any(suite.endswith(":gate") for suite in test["suite"])
        return state.get(test["name"], {}).get("seconds", UNKNOWN if gate else 2 * LONG)

    short = [test for test in due if seconds(test) <= LONG]
    short.sort(key=lambda test: (state.get(test["name"], {}).get("own") == described[test["name"]][0], seconds(test)))
    say("%d of %d tests are of changed files; %d take longer than %g s" %
        (len(due), len(tests), len(due) - len(short), LONG))
    failed = passed = late = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for test, result in zip(short, pool.map(lambda test: run(test, seconds(test)), short)):
            if result is None:
                late += 1
                continue
            good, took, text = result
            entry = state.setdefault(test["name"], {})
            first = "seconds" not in entry
            entry["seconds"] = took
            if first and not good and took > LONG:
                # A test that was never run here before, and is long.
                late += 1
                continue
            if good:
                passed += 1
                entry["own"], entry["key"] = described[test["name"]][:2]
            else:
                failed += 1
                entry.pop("key", None)
                print("\n".join(text.splitlines()[-15:]))
                say("FAILED %s" % test["name"])
    with open(STATE + ".new", "w", encoding="utf-8") as file:
        json.dump(known, file)
    os.replace(STATE + ".new", STATE)
    left = len(due) - len(short) + late
    say("%d passed, %d failed%s" % (passed, failed, "; %d of the tests left to make check GROUPS=unit" % left if left else ""))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
