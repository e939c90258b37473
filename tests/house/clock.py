#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clock.py [BUILD]: each test is in one lane, and a test of lane "gate" is right however loaded the machine is.

Reads a configured build without sanitizers ($NN_BUILD, or build/). Prints TAP, a case per rule:

  rule     this script finds what it should in lines of its own
  names    each name in the dictionary and in the lists of tests/meson.build is a test
  lanes    each test is in one lane, and in the one that the dictionary names
  gate     no source of a program or script of a gate test
             - uses soon_ns(): a limit that is a guess
             - uses skip() without a reason (tests/lib/skip.h): it counts as failed
             - sleeps, but in EVENTUALLY() or as all that a loop does until something is so
             - compares the difference of two readings of a clock, but to assert that it is at least something

A line that must is marked, on it or on the line before, with its reason: /* clock: REASON */. What this does not see:
headers, programs that a test starts by a path of its own, and deadlines that are points in time.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LANES = {'gate', 'timing', 'full', 'long'}
LISTS = {'boundary_tests': 'boundary', 'threads_tests': 'threads'}
# What has a reading of a clock.
READING = r'\b(?!soon)\w+_[nmu]s\(\)'
SLEEP = r'\b(?:usleep|sleep|nanosleep|clock_nanosleep|nn_sleep\w*)\s*\('
MARK = re.compile(r'clock: *\w+[ ,:]+\w+')


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group(0))


def code(text):
    """@text without comments and strings, with the same lines and columns."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def calls(text, names):
    """(begin, end) of each call of one of @names, a regular expression."""
    for match in re.finditer(rf'\b(?:{names})\s*\(', text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {'(': 1, ')': -1}.get(text[end], 0)
            end += 1
        yield match.start(), end


def differences(text):
    """A regular expression of what is the difference of two readings in @text: expressions, and the names of variables."""
    spent = rf'(?:(?:{READING})\s*-(?![=>-])|(?<![-=(,])\s-\s*(?:{READING}))'
    name = r'[A-Za-z_]\w*(?:(?:\.|->)\w+|\[\w+\])*'
    names = set()
    for match in re.finditer(rf'({name})\s*([-+]?=)(?!=)([^;]*);', text):
        if re.search(spent, match.group(3)) or (match.group(2) != '=' and re.search(READING, match.group(3))):
            names.add(re.sub(r'\[\w+\]', '[]', match.group(1)))
    return spent, names


def findings(text):
    """(line, what) of C code."""
    plain = code(text)
    marked = set()
    for number, line in enumerate(text.split('\n'), 1):
        if MARK.search(line):
            marked |= {number, number + 1}

    def at(position):
        return plain.count('\n', 0, position) + 1

    found = set()
    waits = list(calls(plain, 'EVENTUALLY'))
    for match in re.finditer(r'\bsoon_ns\(\)', plain):
        found.add((at(match.start()), 'soon_ns()'))
    for match in re.finditer(r'\bskip\(\)', plain):
        found.add((at(match.start()), 'skip()'))
    polls = {end for begin, end in calls(plain, 'while') if not re.search(READING, plain[begin:end])}
    for match in re.finditer(SLEEP, plain):
        polled = len(plain[:match.start()].rstrip()) in polls
        if not polled and not any(begin < match.start() < end for begin, end in waits):
            found.add((at(match.start()), 'sleeps'))
    floors = waits + list(calls(plain, r'assert_true|CHECK|MUST|assert_false'))
    if not re.search(READING, plain):
        return sorted(f for f in found if f[0] not in marked)
    spent, names = differences(plain)
    # any element of an array whose elements are differences
    words = '|'.join(re.escape(n).replace(r'\[\]', r'\[\w+\]') + r'(?![\w\[(.]|->)' for n in sorted(names)) or r'(?!)'
    for match in re.finditer(r'(?<![-<>])(<=?|>=?)(?![<>])', plain):
        # the two operands, as far as they are one expression
        left = re.split(r'[;{},?]|&&|\|\||(?<![<>-])[<>]=?(?![<>])', plain[:match.start()][-300:])[-1]
        right = re.split(r'[;{},?]|&&|\|\||(?<![<>-])[<>]=?(?![<>])', plain[match.end():][:300])[0]
        sides = [bool(re.search(rf'{spent}|(?<![\w.>])(?:{words})', side)) for side in (left, right)]
        if not any(sides):
            continue
        asserted = any(begin < match.start() < end and not plain.startswith('assert_false', begin) for begin, end in floors)
        if asserted and sides[0] and not sides[1] and match.group(1).startswith('>'):
            continue
        found.add((at(match.start()), 'compares a time that has passed'))
    return sorted(f for f in found if f[0] not in marked)


def script_findings(text, pattern):
    lines = text.split('\n')
    return [(number, 'sleeps') for number, line in enumerate(lines, 1)
            if re.search(pattern, line) and not any(MARK.search(l) for l in lines[max(number - 2, 0):number])]


BAD = ['assert_true(now_ns() - at < 5);', 'took = hal_now_ns() - start;\nif (took > 5)\n\tfail();', 'usleep(5);',
       'assert_true(LIMIT >= nnutil_monotonic_ns() - begin);', 'o.took_ns = hal_now_ns() - o.took_ns;\nCHECK(o.took_ns <= 5);',
       'took[k] = -cpu_ns();\ntook[k] += cpu_ns();\nassert_true(took[1] < 4 * took[0]);', 'soon_ns();', 'if (!root)\n\tskip();',
       'while (host_now_ms() - at < 2500)\n\t;', 'nanosleep(&t, NULL);', 'assert_false(now_ms() - begin > 9);',
       'usleep(5); /* clock: */', 'EVENTUALLY(a); usleep(1);', 'while (now_ns() < end)\n\tusleep(1);',
       'while (a)\n\tb();\nusleep(1);']
GOOD = ['assert_true(now_ns() - at >= 5);', 'EVENTUALLY(({ usleep(5); done; }));', 'for (i = 0; i < 5; i++) {\n\tt = now_ns();\n}',
        'usleep(5); /* clock: to fork at another moment */', '/* clock: polls until it is so */\nusleep(5);', '/* usleep(5); */',
        'puts("usleep(5); now_ns() - at < 5");', 'p->next_ns() << 3;', 'deadline_ns = hal_now_ns() - 1; run(deadline_ns);',
        'EVENTUALLY(nnutil_boottime_ns() - before > 10);', 'while (!atomic_load(&held))\n\tusleep(100);']


def check_rule():
    bad = [f'not found: {text!r}' for text in BAD if not findings(text)]
    return bad + [f'{findings(text)[0][1]}: {text!r}' for text in GOOD if findings(text)]


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


class Build:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, 'meson-info', 'intro-tests.json'), encoding='utf-8') as file:
            self.tests = {test['name']: test for test in json.load(file)}
        self.suites = {name: [s.split(':')[-1] for s in test['suite']] for name, test in self.tests.items()}
        # {output: inputs} of objects, libraries and programs
        self.inputs = {}
        rule = re.compile(r'^build (.+?): (?:c_COMPILER|c_LINKER|STATIC_LINKER)\S* (.*)$', re.M)
        for output, inputs in rule.findall(read(os.path.join(folder, 'build.ninja'))):
            self.inputs[output] = [i for i in inputs.split() if not i.startswith('|')]

    def sources(self, output, seen):
        """Files of tests/ and examples/, and tests elsewhere, that @output is made of."""
        if output in seen:
            return
        seen.add(output)
        for name in self.inputs.get(output, ()):
            if name in self.inputs and not name.endswith('.so'):
                yield from self.sources(name, seen)
            elif name.endswith('.c'):
                path = os.path.relpath(os.path.join(self.folder, name), ROOT)
                if path.startswith(('tests/', 'examples/')) or os.path.basename(path).startswith('test_'):
                    yield path

    def gate(self):
        """{source: tests of the gate}"""
        found = {}
        for name, test in sorted(self.tests.items()):
            if 'gate' not in self.suites[name]:
                continue
            for word in test['cmd']:
                path = os.path.relpath(word, self.folder) if word.startswith('/') else word
                files = set(self.sources(path, set()))
                if word.startswith(os.path.join(ROOT, 'tests/')) and word.endswith(('.sh', '.py')):
                    files.add(os.path.relpath(word, ROOT))
                for file in files:
                    found.setdefault(file, []).append(name)
        return found


def listed():
    """({test: lane}, {list: tests}) of tests/meson.build."""
    text = re.sub(r'#[^\n]*', '', read(os.path.join(ROOT, 'tests', 'meson.build')))
    lanes = re.search(r'^lanes = \{(.*?)^\}', text, re.M | re.S)
    lists = {name: re.search(rf'^{name} = \[(.*?)\]', text, re.M | re.S) for name in LISTS}
    if not lanes or not all(lists.values()):
        sys.exit(f'tests/meson.build does not have: lanes, {", ".join(LISTS)}')
    return (dict(re.findall(r"'([^']+)': '([^']+)'", lanes.group(1))),
            {name: re.findall(r"'([^']+)'", found.group(1)) for name, found in lists.items()})


def check_names(build, lanes, lists):
    bad = [f'{name}: in the dictionary, and no test' for name in lanes if name not in build.tests]
    for which, names in lists.items():
        bad += [f'{name}: in {which}, and no test' for name in names if name not in build.tests]
        bad += [f'{name}: twice in {which}' for name in sorted(set(names)) if names.count(name) > 1]
        bad += [f'{name}: in {which}, and not in the suite {LISTS[which]}' for name in names
                if LISTS[which] not in build.suites.get(name, [LISTS[which]])]
    return bad


def check_lanes(build, lanes):
    bad = []
    for name, suites in sorted(build.suites.items()):
        own = [s for s in suites if s in LANES]
        if len(own) != 1:
            bad.append(f'{name}: in {len(own)} lanes {own}')
        elif lanes.get(name, own[0]) != own[0]:
            bad.append(f'{name}: in lane {own[0]}, not in {lanes[name]}')
    return bad


def check_gate(build):
    bad = []
    for file, tests in sorted(build.gate().items()):
        text = read(os.path.join(ROOT, file))
        if file.endswith('.c'):
            found = findings(text)
        else:
            found = script_findings(text, r'\btime\.sleep\(' if file.endswith('.py') else r'(?:^|[;&|(\s])sleep\s')
        more = f' and {len(tests) - 3} more' if len(tests) > 3 else ''
        bad += [f'{file}:{line}: {what} ({", ".join(tests[:3])}{more})' for line, what in found]
    return bad


def main():
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) == 2 else os.environ.get('NN_BUILD') or os.path.join(ROOT, 'build'))
    if len(sys.argv) > 2 or sys.argv[1:2] == ['--help']:
        sys.exit(__doc__)
    if not os.path.exists(os.path.join(folder, 'meson-info', 'intro-tests.json')):
        print('Bail out! no build in ' + folder + ': run scripts/userspace.sh first')
        sys.exit(1)
    build = Build(folder)
    lanes, lists = listed()
    checks = [('rule', check_rule), ('names', lambda: check_names(build, lanes, lists)),
              ('lanes', lambda: check_lanes(build, lanes)), ('gate', lambda: check_gate(build))]
    tap.run(checks)


if __name__ == '__main__':
    main()
