#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py BUILD CACHE: clang-tidy over the sources of lib/, firmware/ and tools/ that BUILD compiles.

Prints findings and exits 1 when there are any. A source is not read again while it is unchanged: for each one without a
finding, CACHE has an empty file whose name is a digest of the tool's version, .clang-tidy, the command, the source and
the headers of ours that it includes. Without the cache every source is read.
"""
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = "clang-tidy-16"
TREES = ("lib/", "firmware/", "tools/")
UNUSED_DAYS = 60


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def dependencies(build):
    """{object: the files that it was compiled from}, as ninja has recorded them."""
    found, files = {}, []
    for line in subprocess.check_output(["ninja", "-C", build, "-t", "deps"], text=True).splitlines():
        if line.startswith("    "):
            files.append(os.path.normpath(os.path.join(build, line.strip())))
        elif ": #deps" in line:
            files = found.setdefault(line.split(": #deps")[0], [])
    return found


def sources(build):
    """(source, key) of every source, once."""
    version = subprocess.check_output([TOOL, "--version"], text=True)
    common = version + digest(os.path.join(ROOT, ".clang-tidy"))
    deps, digests, seen = dependencies(build), {}, set()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for entry in commands:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        name = os.path.relpath(path, ROOT)
        if not name.startswith(TREES) or name in seen:
            continue
        seen.add(name)
        key = hashlib.sha256((common + entry["command"].replace(ROOT, "")).encode())
        for dep in sorted({path, *deps.get(entry["output"], ())}):
            if dep.startswith((ROOT + "/", build)):
                if dep not in digests:
                    digests[dep] = digest(dep)
                key.update((os.path.relpath(dep, ROOT) + digests[dep]).encode())
        yield name, key.hexdigest()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, cache = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(cache, exist_ok=True)

    def check(item):
        name, key = item
        clean = os.path.join(cache, key)
        if os.path.exists(clean):
            os.utime(clean)
            return True, ""
        done = subprocess.run([TOOL, "-p", build, "--quiet", os.path.join(ROOT, name)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == 0 and "warning:" not in done.stdout:
            open(clean, "w", encoding="utf-8").close()
            return False, ""
        return False, done.stdout

    bad = known = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for cached, text in pool.map(check, sources(build)):
            known += cached
            if text:
                bad += 1
                print(text.replace(ROOT + "/", ""), end="", flush=True)
    print("%d sources with findings; %d were unchanged since they had none" % (bad, known))
    for name in os.listdir(cache):
        path = os.path.join(cache, name)
        if os.path.getmtime(path) < time.time() - UNUSED_DAYS * 86400:
            os.unlink(path)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
