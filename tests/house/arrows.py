#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""arrows.py [--objects BUILD]: includes and calls go one way.

tests/house/rooms.toml says which folder may include which. A file belongs to the room whose "files" have it, or to the longest folder
of the table that it is below. A file test_*.c is a test, in whatever folder it is, and in no room. Prints TAP, a case per rule:

  table      the table's arrows have no circle, and every folder in it exists
  rooms      every other C file of lib/, firmware/, ops/, tools/, include/, uapi/ and kernel/ is in a room
  includes   an include goes to the same room, or along an arrow of the table
  circles    headers do not include each other in a circle; of userspace: the driver's parts are embedded in its device, and
             know it
  driver     the C files of the driver do not use each other's functions and variables in a circle
  names      no two source files share a name

and with --objects, from the symbols of the objects in that build folder:

  calls      a call goes to the same room, or along an arrow (or several, one after the other)

Files of one room may call each other in a circle: a call in both directions is better to read than a pointer with one target.
"""
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys
import tomllib

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = 'tests/house/rooms.toml'
TREES = ('lib/', 'firmware/', 'ops/', 'tools/', 'include/', 'uapi/', 'kernel/')
# Names that are the same everywhere on purpose: a program's entry.
SAME_NAME = {'main.c'}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as file:
        return file.read()


def table():
    """{folder: folders that it may include}, [(pattern of files elsewhere, their folder)]"""
    with open(os.path.join(ROOT, TABLE), 'rb') as file:
        rooms = tomllib.load(file)
    return ({folder: room['uses'] for folder, room in rooms.items()},
            sorted(((pattern, folder) for folder, room in rooms.items() for pattern in room.get('files', ())), key=lambda p: -len(p[0])))


def circles(graph):
    """Strongly connected components of more than one node."""
    index, low, stack, on, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = []
            while True:
                other = stack.pop()
                on.discard(other)
                part.append(other)
                if other == node:
                    break
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


class House:
    def __init__(self):
        listed = subprocess.check_output(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard'], text=True)
        self.files = [f for f in listed.split('\n')
                      if f.startswith(TREES) and f.endswith(('.c', '.h')) and not os.path.basename(f).startswith('test_')
                      and os.path.exists(os.path.join(ROOT, f))]
        self.rooms, self.patterns = table()
        self.headers = collections.defaultdict(list)
        for file in self.files:
            if file.endswith('.h'):
                self.headers[os.path.basename(file)].append(file)

    def room(self, file):
        for pattern, room in self.patterns:
            if fnmatch.fnmatch(file, pattern):
                return room
        folder = os.path.dirname(file)
        while folder:
            if folder in self.rooms:
                return folder
            folder = os.path.dirname(folder)
        return None

    def resolve(self, file, name):
        """The header of ours that @file means by @name; None: not ours."""
        near = os.path.normpath(os.path.join(os.path.dirname(file), name))
        if near in self.files:
            return near
        found = [h for h in self.headers[os.path.basename(name)] if h == name or h.endswith('/' + name)]
        # the driver's own headers are the driver's alone
        found = [h for h in found if not h.startswith('kernel/') or file.startswith('kernel/')]
        top = '/'.join(file.split('/')[:2])
        return (sorted(found, key=lambda h: (not h.startswith(top), h)) or [None])[0]

    def includes(self):
        for file in self.files:
            for name in re.findall(r'^\s*#\s*include\s+[<"]([^">]+)[">]', read(file), re.M):
                header = self.resolve(file, name)
                if header:
                    yield file, header

    def reach(self):
        """What each room may use, along arrows one after the other."""
        far = {}

        def visit(room):
            if room not in far:
                far[room] = set()
                for other in self.rooms.get(room, ()):
                    far[room] |= {other} | visit(other)
            return far[room]
        for room in self.rooms:
            visit(room)
        return far


def check_table(house):
    bad = ['circle of rooms: ' + ' '.join(c) for c in circles(house.rooms)]
    bad += [f'{room}: no such folder' for room in house.rooms if not os.path.isdir(os.path.join(ROOT, room))]
    bad += [f'{room} may include {other}, which is no room'
            for room, others in house.rooms.items() for other in others if other not in house.rooms]
    return bad or ([] if house.rooms else [f'{TABLE} has no table of rooms'])


def check_rooms(house):
    return [f'{file}: in no room of {TABLE}' for file in house.files if not house.room(file)]


def check_includes(house):
    bad = []
    for file, header in house.includes():
        here, there = house.room(file), house.room(header)
        if here != there and there not in house.rooms.get(here, ()):
            bad.append(f'{file} ({here}) includes {header} ({there})')
    return bad


def check_circles(house):
    graph = collections.defaultdict(set)
    for file, header in house.includes():
        if file.endswith('.h') and not file.startswith('kernel/'):
            graph[file].add(header)
    return [f'circle of {len(c)}: ' + ' '.join(c) for c in circles(graph)]


def check_driver(house):
    texts, owner = {}, {}
    for file in house.files:
        if not (file.startswith('kernel/') and file.endswith('.c')):
            continue
        texts[file] = re.sub(r'/\*.*?\*/', '', read(file), flags=re.S)
        # a definition begins a line and is not static: a function with its body, or a variable
        for name in re.findall(r'^(?!static|extern)[a-z][\w *]*?\b(nnaccel_\w+)(?:\([^;{]*\)\n\{|\[?\]? = |;)', texts[file], re.M):
            owner[name] = file
    graph = collections.defaultdict(set)
    for file, text in texts.items():
        for name in re.findall(r'\bnnaccel_\w+', text):
            if owner.get(name, file) != file:
                graph[file].add(owner[name])
    if len(owner) < len(texts):
        return [f'only {len(owner)} definitions found in {len(texts)} files of the driver']
    return [f'circle of {len(c)}: ' + ' '.join(c) for c in circles(graph)]


def check_names(house):
    names = collections.defaultdict(list)
    for file in house.files:
        if file.endswith('.c'):
            names[os.path.basename(file)].append(file)
    return [' '.join(files) for name, files in sorted(names.items()) if len(files) > 1 and name not in SAME_NAME]


def symbols(path):
    defined, undefined = set(), set()
    for line in subprocess.run(['nm', path], capture_output=True, text=True, check=False).stdout.split('\n'):
        words = line.split()
        if len(words) == 2 and words[0] == 'U':
            undefined.add(words[1])
        elif len(words) == 3 and words[1] in 'TDBRVW':
            defined.add(words[2])
    return defined, undefined


def calls(house, build):
    """(caller, callee, name), from the objects that the build's compile commands name."""
    found = {}
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        for entry in json.load(file):
            source = os.path.relpath(os.path.normpath(os.path.join(entry['directory'], entry['file'])), ROOT)
            output = os.path.join(entry['directory'], entry['output'])
            if source in house.files and source not in found and os.path.exists(output):
                found[source] = symbols(output)
    owner = collections.defaultdict(set)
    for source, (defined, _) in found.items():
        for name in defined:
            owner[name].add(source)
    for source, (_, undefined) in found.items():
        for name in undefined:
            # a name that two files define, as variants do, has no owner
            if len(owner[name]) == 1:
                other = next(iter(owner[name]))
                if other != source:
                    yield source, other, name


def exported(house):
    """{function: the library that exports it}, of the version scripts."""
    found = {}
    for path in subprocess.check_output(['git', '-C', ROOT, 'ls-files', '*.map'], text=True).split():
        for name in re.findall(r'^\s*(\w+);', read(path), re.M):
            found[name] = '/'.join(path.split('/')[:2])
    return found


def check_calls(house, build):
    far, bad, public = house.reach(), set(), exported(house)
    for source, other, name in calls(house, build):
        here, there = house.room(source), house.room(other)
        # rooms that may include a header of a library may call its exports
        if name in public and any(room.startswith(public[name]) for room in far.get(here, ())):
            continue
        if here != there and there not in far.get(here, ()):
            bad.add(f'{source} ({here}) uses {name} of {other} ({there})')
    return sorted(bad)


def main():
    house = House()
    checks = [('table', check_table), ('rooms', check_rooms), ('includes', check_includes),
              ('circles', check_circles), ('driver', check_driver), ('names', check_names)]
    if len(sys.argv) == 3 and sys.argv[1] == '--objects':
        build = sys.argv[2]
        checks.append(('calls', lambda h: check_calls(h, build)))
    elif len(sys.argv) != 1:
        sys.exit(__doc__)
    tap.run([(name, lambda c=check: c(house)) for name, check in checks])


if __name__ == '__main__':
    main()
