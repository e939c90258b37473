#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packages.py [BUILD]: the Debian packages have all that meson installs, each file once, and the tree's version.

Reads debian/ and the configured build BUILD; without it, files and lists are left out. Prints TAP, a case per rule:

  rule     this script finds what it should in lines of its own
  files    each file that meson installs is in the .install file of exactly one package
  lists    each line of an .install file about libraries, programs, headers, units and samples has such a file
  binaries each package that debian/control names installs something, and each list is that of a package
  version  debian/changelog begins with the version of the file VERSION
  modalias the PCI ids of the driver and of its metainfo are the same

make deb knows the rest: dh_missing compares what is staged.
"""
import fnmatch
import json
import os
import re
import sys

sys.dont_write_bytecode = True
import tap # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What debian/rules makes beside meson: pages of Sphinx, completion, the module's source, the documentation.
ELSEWHERE = ('usr/share/man/', 'usr/share/bash-completion', 'usr/share/fish', 'usr/share/zsh', 'usr/src')
NO_LIST = {'nnaccel-doc'}


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def as_packaged(path, prefix, libdir):
    """Where a file of an installation below @prefix is in a package."""
    name = os.path.relpath(path, prefix)
    if re.match(r'(local/)?lib/python3[\d.]*/', name):
        return re.sub(r'^.*?/(?:dist|site)-packages/', 'usr/lib/python3/dist-packages/', name)
    if name.startswith('lib/systemd/'):
        return 'usr/' + name
    if name.startswith(libdir + '/'):
        return 'usr/lib/TRIPLET/' + name[len(libdir) + 1:]
    return 'usr/' + name


def matches(name, pattern):
    """As dh_install: * does not cross a folder, and a folder is all that is in it."""
    words, parts = pattern.split('/'), name.split('/')
    return len(words) <= len(parts) and all(fnmatch.fnmatchcase(part, word) for part, word in zip(parts, words))


def misplaced(installed, lists):
    """Files that are in no package, or in several."""
    bad = []
    for name in installed:
        owners = sorted({package for package, patterns in lists.items() if any(matches(name, one) for one in patterns)})
        if len(owners) != 1:
            bad.append(f'{name} is in {", ".join(owners) if owners else "no package: add it to debian/PACKAGE.install"}')
    return bad


def unused(installed, lists):
    return [f'debian/{package}.install: nothing that meson installs matches {one}'
            for package, patterns in sorted(lists.items()) for one in patterns
            if one.startswith('usr/') and not one.startswith(ELSEWHERE) and not any(matches(name, one) for name in installed)]


def install_lists():
    lists = {}
    for name in sorted(os.listdir(os.path.join(ROOT, 'debian'))):
        if name.endswith('.install'):
            lists[name[:-8]] = [line.split()[0] for line in read('debian/' + name).splitlines() if line.strip()]
    return lists


def installation(build):
    with open(os.path.join(build, 'meson-info', 'intro-buildoptions.json'), encoding='utf-8') as file:
        options = {one['name']: one['value'] for one in json.load(file)}
    with open(os.path.join(build, 'meson-info', 'intro-installed.json'), encoding='utf-8') as file:
        return sorted({as_packaged(path, options['prefix'], options['libdir']) for path in json.load(file).values()})


def check_rule():
    bad = []
    lists = {'a': ['usr/lib/*/libx.so.1*'], 'b': ['usr/lib/*/libx.so', 'usr/include'], 'c': ['usr/include/y.h']}
    installed = ['usr/lib/TRIPLET/libx.so.1.0.0', 'usr/lib/TRIPLET/libx.so', 'usr/include/y.h', 'usr/lib/TRIPLET/deep/libx.so']
    found = misplaced(installed, lists)
    if len(found) != 2 or 'is in b, c' not in found[0] or 'no package' not in found[1]:
        bad.append(f'files in no package, or in two, are not found: {found}')
    if unused(['usr/bin/x'], {'a': ['usr/bin/x', 'usr/bin/y', 'usr/src']}) != \
            ['debian/a.install: nothing that meson installs matches usr/bin/y']:
        bad.append('a line without a file is not found')
    for path, want in {'/usr/local/lib/libx.so': 'usr/lib/TRIPLET/libx.so', '/usr/local/sbin/x': 'usr/sbin/x',
                       '/usr/local/lib/python3.11/dist-packages/x/y.py': 'usr/lib/python3/dist-packages/x/y.py',
                       '/usr/local/lib/systemd/system/x.socket': 'usr/lib/systemd/system/x.socket'}.items():
        if as_packaged(path, '/usr/local', 'lib') != want:
            bad.append(f'{path} is {as_packaged(path, "/usr/local", "lib")} in a package')
    return bad


def check_binaries(lists):
    named = set(re.findall(r'^Package: (\S+)$', read('debian/control'), re.M))
    return [f'debian/{one}.install is of no package of debian/control' for one in sorted(set(lists) - named)] + \
        [f'debian/control names {one}, which has no debian/{one}.install' for one in sorted(named - set(lists) - NO_LIST)]


def check_version():
    version, first = read('VERSION').strip(), read('debian/changelog').splitlines()[0]
    return [] if first.startswith(f'nnaccel ({version}) ') else [f'VERSION is {version}, and debian/changelog begins: {first}']


def check_modalias():
    driver, info = read('kernel/nnaccel/nnaccel_pci.c'), read('kernel/nnaccel-dkms.metainfo.xml')
    ids = [int(value, 16) for value in re.findall(r'^#define NNACCEL_PCI_(?:SUB)?(?:VENDOR|DEVICE)_\w+\s+(0x\w+)', driver, re.M)]
    want = 'pci:v%08Xd%08Xsv%08Xsd%08Xbc*sc*i*' % tuple(ids) if len(ids) == 4 else f'four ids, not {len(ids)}'
    have = re.findall(r'<modalias>(.*)</modalias>', info)
    return [] if have == [want] else [f'kernel/nnaccel-dkms.metainfo.xml has {have}, and the driver {want}']


def main():
    lists = install_lists()
    checks = [('rule', check_rule), ('binaries', lambda: check_binaries(lists)), ('version', check_version),
              ('modalias', check_modalias)]
    # lint has no build: meson runs this with one
    if len(sys.argv) > 1:
        installed = installation(sys.argv[1])
        checks += [('files', lambda: misplaced(installed, lists)), ('lists', lambda: unused(installed, lists))]
    tap.run(checks)


if __name__ == '__main__':
    main()
