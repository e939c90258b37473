#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs-check.py [--nnctl PROGRAM]: the names in the documentation are those of the tree.

Reads Documentation and every .md and .rst file, and reports:

- files and folders of this repository that do not exist; "{a,b}" and "*" are expanded
- functions, macros, structs and environment variables of ours that no source has
- cases ("test_x: case" or "ops_x: case") that a test program does not have
- targets that no Makefile has
- pages, and "sections" of them, that comments in the sources name and that do not exist; pages outside of the repository
- pages of Documentation that do not begin with the people they are for: "For ..."
- with --nnctl: commands and options of nnctl that "nnctl help" does not list

docs-check.py --functions HEADER...: prints the functions with a kernel-doc comment in these headers.
"""
import argparse
import fnmatch
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Pages about other projects, or about earlier versions.
HISTORY = ("Documentation/found-upstream.rst", "CHANGELOG.md")
ENDINGS = r"(?:c|h|py|sh|rst|md|map|conf|aidl|build|nnt|rules)"
FILE = re.compile(r"(?<![\w/.$*<>{}-])((?:[\w{},*+-]+/)*[\w{},*+-]*[\w}*]\." + ENDINGS + r"|[\w.-]+\.\{c,h\})(?![\w/-])")
FOLDER = re.compile(r"(?<![\w/.$~<>}-])([a-z.]\w*(?:/[\w.{},*+-]*[\w}*])+|[a-z]\w*/)(?![\w<])")
NAME = re.compile(r"\b((?:nn(?:hal|model|prog|fw|trace|nr|accel|util|ctl|t)_|NN(?:HAL|MODEL|PROG|FW|TRACE|ACCEL|API|UTIL)?_"
                  r"|DRM_NNACCEL_|DRM_IOCTL_NNACCEL_|ANeuralNetworks|AHardwareBuffer)\w+)(\*?)")
CASES = re.compile(r"`?((?:test|unpinned|ops|core|lower|board|rt)_\w+)(?:\.c)?: (\w[\w*]*(?:, \w[\w*]*)*)")
TARGET = re.compile(r"(?:``|`|^    |sudo )make ([a-z][a-z0-9-]*)", re.M)
NNCTL = re.compile(r"(?:``|`|build/tools/nnctl/|^    |\s)nnctl ([a-z][a-z-]*(?: [a-z][a-z-]*)?)([^`\n]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OUTSIDE = re.compile(r"(?<![\w/.-])(?:client_api|hal|operations|extensions|trace|card|sensors|ipc|anchors|DESIGN)\.md\b")
SECTION = re.compile(r"\b(Documentation/(?:man/|api/)?[\w-]+\.(?:rst|md|[1-8]))\b(?:, (?:section )?\\?\"([^\"\\]+)\\?\")?")
# Files of other projects, of the build, and of a user, by pattern.
FOREIGN = ("NeuralNetworks.h", "IDevice.aidl", "I*.aidl", "drm.h", "*.aidl", "vmlinux.h", "MODEL*", "fuzz_NAME.c", "X.*", "BOOT.*",
           "*kselftest_harness.h", "checkpatch.pl", "Random123/*", "linux/*", "sys/*", "lib.mk", "test.conf", "local.conf",
           "systrace_parser.py", "parser.py", "android/*.h", "drm/nnaccel_accel.h", "nnaccel_config.h",
           "tools/testing/selftests", "lib/modules", "my_*.c")


def run(*cmd):
    return subprocess.run(cmd, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def expand(pattern):
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [one for part in match.group(1).split(",")
            for one in expand(pattern[:match.start()] + part + pattern[match.end():])]


def is_page(name):
    return bool(re.search(r"\.(rst|md|[1-8])$", name))


class Tree:
    def __init__(self):
        listed = run("git", "ls-files", "-co", "--exclude-standard").splitlines()
        self.files = [name for name in listed if os.path.exists(os.path.join(ROOT, name))]
        self.folders = {"/".join(name.split("/")[:i]) for name in self.files for i in range(1, name.count("/") + 1)}
        self.tops = {name.split("/")[0] for name in self.files}
        self.names = {name.rsplit("/", 1)[-1] for name in self.files}
        self.paths = set(self.files) | self.folders
        self.words = set()
        self.tests = {}  # name of a test program without test_: words of its source
        for name in self.files:
            if is_page(name) or name == "scripts/docs-check.py":
                continue
            with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as file:
                words = set(re.findall(r"\w+", file.read()))
            self.words |= words
            if re.search(r"/test_\w+\.c$", name):
                self.tests[name.rsplit("/", 1)[-1][5:-2]] = words
        self.targets = set()
        for name in self.files:
            if name.rsplit("/", 1)[-1] == "Makefile":
                with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                    self.targets.update(re.findall(r"^([a-z0-9-]+):", file.read(), re.M))

    def has_path(self, path):
        path = path.rstrip("/")
        if "*" in path:
            return any(fnmatch.fnmatch(one, path) for one in self.paths)
        # A program goes by the name of its source.
        return path in self.paths or path + ".c" in self.paths

    def has_file(self, name):
        """A file by its path, or by the end of it."""
        if name in self.names or name in self.paths:
            return True
        return any(fnmatch.fnmatch(one, name) or fnmatch.fnmatch(one, "*/" + name) for one in self.files)


def check_files(text, tree):
    for match in FILE.finditer(text):
        for name in expand(match.group(1)):
            if name.startswith("build/") or any(fnmatch.fnmatch(name, one) for one in FOREIGN):
                continue
            if not tree.has_file(name):
                yield match.start(), f"no such file: {name}"
    for match in FOLDER.finditer(text):
        for name in expand(match.group(1)):
            top = name.split("/")[0]
            if name in FOREIGN:
                continue
            if "/" in name and top in tree.tops and not re.search(r"\." + ENDINGS + "$", name) and not tree.has_path(name):
                yield match.start(), f"no such file or folder: {name}"


def check_names(text, tree):
    for match in NAME.finditer(text):
        name, more = match.groups()
        if name in tree.words or name.endswith("_") or more or text[match.end():match.end() + 1] in ("{", "."):
            if name in tree.words or any(word.startswith(name) for word in tree.words):
                continue
        elif any(word.endswith(name) for word in tree.words if len(word) > len(name)) and name.isupper():
            continue
        yield match.start(), f"no source has the name {name}"


def check_cases(text, tree):
    for match in CASES.finditer(text):
        program = re.sub(r"^test_", "", match.group(1))
        words = tree.tests.get(program)
        if words is None:
            continue
        for case in match.group(2).split(", "):
            if case not in words and not fnmatch.filter(words, case) and not any(word.endswith("_" + case) for word in words):
                yield match.start(), f"test_{program}.c has no case {case}"


def check_make(text, tree):
    for match in TARGET.finditer(text):
        if match.group(1) not in tree.targets:
            yield match.start(), f"no Makefile has the target {match.group(1)}"


def check_nnctl(text, usage):
    commands = set(re.findall(r"^\s*(?:nnctl )?([a-z][a-z-]*)", usage, re.M))
    options = set(OPTION.findall(usage))
    for match in NNCTL.finditer(text):
        first = match.group(1).split()[0]
        literal = text[match.start():match.start() + 1] == "`"
        if literal and first not in commands:
            yield match.start(), f"nnctl has no command {first}"
        if first in commands:
            for option in OPTION.findall(match.group(2).split(" -- ")[0]):
                if option not in options:
                    yield match.start(), f"nnctl help has no option {option}"


def check(nnctl):
    tree = Tree()
    usage = run(nnctl, "help") if nnctl else ""
    bad = 0
    for page in tree.files:
        if not is_page(page) or page in HISTORY:
            continue
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = file.read().replace("\\-", "-") if re.search(r"\.[1-8]$", page) else None
            file.seek(0)
            # Sphinx checks its own references.
            text = re.sub(r":(?:doc|ref|c:\w+):`[^`]*`", " ", text or file.read())
        found = [*check_files(text, tree), *check_names(text, tree), *check_cases(text, tree), *check_make(text, tree)]
        if re.fullmatch(r"Documentation/(?!index)[\w-]+\.rst", page):
            found += check_opening(text)
        if usage:
            found += check_nnctl(text, usage)
            if page.endswith("/nnctl.1"):
                found += check_man(text + manual_of_parts(), usage)
        for place, what in sorted(set(found)):
            print(f"{page}:{text.count(chr(10), 0, place) + 1}: {what}")
            bad += 1
    for name, what in sorted(set(check_sources(tree))):
        print(f"{name}: {what}")
        bad += 1
    return bad


def check_opening(text):
    if not re.search(r"^(=+)\n.+\n\1\n\nFor ", text, re.M):
        yield 0, "the page does not begin with the people it is for: \"For ...\""


def check_sources(tree):
    """References of the sources to the documentation."""
    for name in tree.files:
        if is_page(name) or name == "scripts/docs-check.py" or name.startswith("models/"):
            continue
        with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as file:
            text = re.sub(r"\n[ \t]*(?:\*|#|//)?[ \t]*", " ", file.read())
        for match in OUTSIDE.finditer(text):
            yield name, f"refers to {match.group(0)}, which is not in the repository"
        for match in SECTION.finditer(text):
            page, title = match.groups()
            if not tree.has_path(page):
                yield name, f"refers to {page}, which does not exist"
            elif title:
                with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                    if not re.search(r"^\*?" + re.escape(title) + r"(\.\*.*)?$", file.read(), re.M):
                        yield name, f"refers to the section {title!r} of {page}, which does not exist"


def manual_of_parts():
    """The pages of nnctl's commands that have one of their own."""
    folder = os.path.join(ROOT, "Documentation/man")
    pages = []
    for name in sorted(os.listdir(folder)):
        if re.fullmatch(r"nnctl-.*\.1", name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                pages.append(file.read().replace("\\-", "-"))
    return "\n".join(pages)


def check_man(text, usage):
    """The man pages and the help name the same options."""
    page, shown = set(OPTION.findall(re.sub(r"\\f[BIRP]", " ", text))), set(OPTION.findall(usage))
    for option in sorted(page - shown):
        yield text.index(option), f"nnctl help has no option {option}"
    for option in sorted(shown - page):
        yield 0, f"the option {option} of nnctl help is missing"


def functions(headers):
    for header in headers:
        with open(os.path.join(ROOT, header), encoding="utf-8") as file:
            print("\n".join(re.findall(r"^ \* (\w+)\(\) - ", file.read(), re.M)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nnctl", help="the program whose help names the commands and options")
    parser.add_argument("--functions", nargs="+", metavar="HEADER")
    args = parser.parse_args()
    if args.functions:
        functions(args.functions)
    elif check(args.nnctl):
        sys.exit(1)


if __name__ == "__main__":
    main()
