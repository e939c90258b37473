#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""boards.py [BUILD]: packaging/ (Yocto, Buildroot) agrees with the tree.

Reads packaging/, what it repeats, and the configured build BUILD; without it, files and patterns are left out. Prints TAP, a case
per rule:

  rule      this script finds what it should in lines of its own
  version   recipes and packages take the version from the file VERSION
  options   they set each option of meson_options.txt, and no other, to values that it has
  depends   they need what debian/control builds with, by NEEDS; Buildroot's Config.in selects what the .mk needs
  relations the recipe's packages need and recommend each other as those of debian/control do
  licences  checksums are those of the files in LICENSES, and each file there has one
  kernel    both configure the kernel alike; the oldest release is that of dkms.conf
  parts     files and folders that a recipe takes exist, and meson's folders are among them
  installs  what the recipe and the .mk install beside meson exists, and is the same
  files     each file that is installed is in exactly one package of the recipe
  patterns  each pattern of FILES matches such a file

bitbake and Buildroot's own programs know the rest: Documentation/packaging.rst.
"""
import glob
import hashlib
import os
import re
import sys

sys.dont_write_bytecode = True
import packages # noqa: E402
import tap # noqa: E402

ROOT = packages.ROOT
LAYER = 'packaging/yocto/meta-nnaccel/'
RECIPE = LAYER + 'recipes-nnaccel/nnaccel/nnaccel.bb'
SOURCE = LAYER + 'recipes-nnaccel/nnaccel/nnaccel-source.inc'
MODULE = LAYER + 'recipes-nnaccel/nnaccel-module/nnaccel-module.bb'
EXTERNAL = 'packaging/buildroot/package/'
MK, MODULE_MK = EXTERNAL + 'nnaccel/nnaccel.mk', EXTERNAL + 'nnaccel-module/nnaccel-module.mk'

# What debian/control builds with: in DEPENDS or inherited there, in NNACCEL_DEPENDENCIES here.
NEEDS = {
    'libcjson-dev': ('cjson', 'cjson'),
    'libdrm-dev': ('libdrm', 'libdrm'),
    'libiio-dev': ('libiio', 'libiio'),
    'libjpeg-dev': ('jpeg', 'jpeg'),
    'libpng-dev': ('libpng', 'libpng'),
    'librandom123-dev': ('random123', 'random123'),
    'libseccomp-dev': ('libseccomp', 'libseccomp'),
    'libtracecmd-dev': ('trace-cmd', 'libtracecmd'),
    'libtraceevent-dev': ('libtraceevent', 'libtraceevent'),
    'libtracefs-dev': ('libtracefs', 'libtracefs'),
    'libudev-dev': ('udev', 'udev'),
    'meson': ('inherit meson', 'meson-package'),
    'nettle-dev': ('nettle', 'nettle'),
    'pkg-config': ('inherit pkgconfig', 'host-pkgconf'),
    # Buildroot's meson brings it
    'python3:any': ('inherit python3native', 'meson-package'),
    'zlib1g-dev': ('zlib', 'zlib'),
}
# of Debian's packaging, and of the manual, which recipes do not build
DEBIAN_ONLY = {'debhelper-compat', 'dh-sequence-installsysusers', 'dh-sequence-python3', 'dh-sequence-sphinxdoc', 'graphviz',
               'linux-kbuild-6.1', 'perl:any', 'python3-sphinx'}
# Only with an option of Config.in, or chosen by it as a condition.
NOT_SELECTED = {'udev', 'python3'}

# Folders, as in tests/house/packages.py: of a system whose /lib is /usr/lib.
FOLDERS = {'bindir': 'usr/bin', 'sbindir': 'usr/sbin', 'libdir': 'usr/lib/TRIPLET', 'includedir': 'usr/include',
           'datadir': 'usr/share', 'mandir': 'usr/share/man', 'prefix': 'usr', 'nonarch_base_libdir': 'usr/lib',
           'nonarch_libdir': 'usr/lib', 'PYTHON_SITEPACKAGES_DIR': 'usr/lib/python3/dist-packages', 'PN': 'nnaccel'}


def values(text):
    """{name: value} of the assignments of a recipe or a .mk; a name that is assigned twice has both values."""
    found = {}
    text = re.sub(r'\\\n', ' ', text)
    for name, quoted, bare in re.findall(r'^([A-Z][\w:${}\[\]-]*)\s*(?:\?\?=|\?=|:=|\+=|=)[ \t]*(?:"([^"]*)"|(.*))$', text, re.M):
        found[name] = ' '.join([found.get(name, '')] + (quoted or bare).split()).strip()
    return found


def expanded(text):
    return re.sub(r'\$\{(\w+)\}', lambda match: FOLDERS.get(match[1], match[0]), text)


def by_package(found, variable):
    """{package: words} of VARIABLE:package."""
    return {expanded(name.split(':', 1)[1]): expanded(value).split()
            for name, value in found.items() if name.startswith(variable + ':') and not name.endswith(':remove')}


def wrong_version(name, value, reads, version):
    """@reads: the expression that reads VERSION."""
    return [] if value in (reads, version) else [f'{name} is "{value}": it must read VERSION, as "{reads}" does, or be {version}']


def meson_options(text):
    """{name: allowed values, or None for any}."""
    options = {}
    for name, rest in re.findall(r"^option\('(\w+)',(.*?)\)$", text, re.M | re.S):
        choices = re.search(r'choices: \[(.*?)\]', rest)
        if "type: 'boolean'" in rest:
            options[name] = {'true', 'false'}
        else:
            options[name] = set(re.findall(r"'([^']+)'", choices[1])) if choices else None
    return options


def wrong_options(where, text, options):
    bad, seen = [], set()
    for name, value in re.findall(r'-D([a-z]\w*)=([^\s,"\\]+)', text):
        seen.add(name)
        if name not in options:
            bad.append(f'{where} sets -D{name}, which meson_options.txt does not have')
        elif options[name] is not None and value not in options[name]:
            bad.append(f'{where} sets -D{name}={value}; meson_options.txt has {", ".join(sorted(options[name]))}')
    return bad + [f'{where} does not set -D{name} of meson_options.txt' for name in sorted(set(options) - seen)]


def build_depends(control):
    field = re.search(r'^Build-Depends:\n((?: .*\n)+)', control, re.M)[1]
    return {line.split()[0].rstrip(',') for line in field.splitlines()}


def wrong_depends(where, have, debian, needs, optional=()):
    """@have: what a recipe or package needs; @needs: {Debian's name: the name there}."""
    bad = [f'debian/control builds with {one}, which NEEDS of tests/house/boards.py does not have'
           for one in sorted(debian - set(needs) - DEBIAN_ONLY)]
    bad += [f'{where} lacks {needs[one]}: debian/control builds with {one}'
            for one in sorted(debian & set(needs)) if needs[one] not in have]
    known = {needs[one] for one in debian & set(needs)} | set(optional)
    return bad + [f'{where} has {one}, which nothing in debian/control stands for' for one in sorted(have - known)]


def control_relations(control, field):
    """{package: packages of this tree} of Depends or Recommends; names without the number of a library's ABI."""
    names, found = {}, {}
    for paragraph in control.split('\n\n')[1:]:
        names[re.search(r'^Package: (\S+)', paragraph, re.M)[1]] = paragraph
    for package, paragraph in names.items():
        value = re.search(rf'^{field}:((?:.*\n)(?: .*\n)*)', paragraph + '\n', re.M)
        words = set(re.findall(r'[a-z][a-z0-9-]+', value[1])) & set(names) if value else set()
        found[recipe_name(package)] = {recipe_name(one) for one in words}
    return found


def recipe_name(package):
    return 'nnaccel-dev' if package == 'libnnaccel-dev' else re.sub(r'^(lib[a-z-]+?)-?\d+$', r'\1', package)


def wrong_relations(field, recipe, debian):
    """Of the packages that both have; others than the tree's do not count."""
    ours, bad = set(debian), []
    for package in sorted(set(recipe) | set(debian)):
        have, want = set(recipe.get(package, ())) & ours, debian.get(package, set())
        if have != want and package not in ('nnaccel-dkms', 'nnaccel-doc'):
            bad.append(f'{field} of {package}: the recipe has {sorted(have)}, debian/control {sorted(want)}')
    return bad


def digest(kind, path):
    with open(os.path.join(ROOT, path), 'rb') as file:
        return hashlib.new(kind, file.read()).hexdigest()


def wrong_checksums(where, kind, listed, known):
    """@listed, @known: {file: checksum}."""
    return [f'{where}: the {kind} of {name} is {known.get(name, "that of no file")}, not {value}'
            for name, value in sorted(listed.items()) if known.get(name) != value]


def recipe_installs(text):
    """{file of the tree: where} of the lines "install -m MODE ${S}/FILE ${D}FOLDER/"."""
    found = {}
    for source, target in re.findall(r'^\s*install .*-m 0\d+ \$\{S\}/(\S+) \$\{D\}(\S+)$', text, re.M):
        for name in sorted(glob.glob(os.path.join(ROOT, source))) or [os.path.join(ROOT, source)]:
            where = expanded(target).lstrip('/')
            found[os.path.relpath(name, ROOT)] = where + os.path.basename(name) if where.endswith('/') else where
    return found


def mk_installs(text):
    text = re.sub(r'\\\n\s*', '', text).replace('$(INSTALL)', 'install')
    return recipe_installs(text.replace('$(@D)/', '${S}/').replace('$(TARGET_DIR)', '${D}'))


def matches(name, pattern):
    return packages.matches(name, pattern.lstrip('/'))


def misplaced(installed, lists):
    bad = []
    for name in installed:
        owners = sorted(package for package, patterns in lists.items() if any(matches(name, one) for one in patterns))
        if len(owners) != 1:
            bad.append(f'{name} is in {", ".join(owners) if owners else "no package: add it to FILES of " + RECIPE}')
    return bad


def unused(installed, lists):
    return [f'FILES:{package}: no installed file matches {one}'
            for package, patterns in sorted(lists.items()) for one in patterns
            if not any(matches(name, one) for name in installed)]


def check_rule():
    bad = []

    def expect(what, found, number):
        if len(found) != number:
            bad.append(f'{what}: {number} expected, found {found}')
    options = meson_options("option('a', type: 'boolean', value: true)\n"
                            "option('b', type: 'combo', choices: ['x', 'y'], value: 'x')\n"
                            "option('c', type: 'string', value: '',\n\tdescription: 'it (so)')\n")
    expect('right options', wrong_options('r', '-Da=true -Db=y -Dc=/z', options), 0)
    expect('wrong options', wrong_options('r', '-Da=maybe -Db=z -Dd=1', options), 4)
    expect('versions', wrong_version('r', '1', 'read()', '2') + wrong_version('r', '2', 'read()', '2'), 1)
    expect('dependencies', wrong_depends('r', {'x', 'z'}, {'libx-dev', 'liby-dev', 'libw-dev', 'perl:any'},
                                         {'libx-dev': 'x', 'liby-dev': 'y'}), 3)
    expect('relations', wrong_relations('RDEPENDS', {'liba': ['libb', 'other']},
                                        {'liba': {'libb', 'libc'}, 'libb': set(), 'libc': set()}), 1)
    expect('checksums', wrong_checksums('r', 'md5', {'a': '1', 'b': '2', 'c': '3'}, {'a': '1', 'b': '3'}), 2)
    lists = {'a': ['/usr/lib/TRIPLET/libx.so.*'], 'b': ['usr/lib/TRIPLET/libx.so', 'usr/include'],
             'c': ['usr/include/y.h', 'usr/bin/no']}
    installed = ['usr/lib/TRIPLET/libx.so.1.0.0', 'usr/lib/TRIPLET/libx.so', 'usr/include/y.h', 'usr/sbin/z']
    expect('files', misplaced(installed, lists), 2)
    expect('patterns', unused(installed, lists), 1)
    found = values('A:b ?= " \\\n  x \\\n"\nA:b += "y"\nC[d] = "e"\nF_G = \\\n\th \\\n\ti\n')
    if found != {'A:b': 'x y', 'C[d]': 'e', 'F_G': 'h i'}:
        bad.append(f'assignments are read as {found}')
    if recipe_name('libnnhal2') != 'libnnhal' or recipe_name('libnnaccel-model0') != 'libnnaccel-model':
        bad.append('names of libraries keep the number of their ABI')
    return bad


def check_version():
    version = packages.read('VERSION').strip()
    bad = wrong_version(f'PV of {SOURCE}', values(packages.read(SOURCE)).get('PV'), '${@nnaccel_version(d)}', version)
    for path in RECIPE, MODULE:
        if 'nnaccel-source.inc' not in packages.read(path) or 'PV' in values(packages.read(path)):
            bad.append(f'{path} must have the version of {SOURCE}')
    for path, name in (MK, 'NNACCEL'), (MODULE_MK, 'NNACCEL_MODULE'):
        bad += wrong_version(f'{name}_VERSION of {path}', values(packages.read(path)).get(name + '_VERSION'),
                             '$(shell cat $(BR2_EXTERNAL_NNACCEL_PATH)/../../VERSION)', version)
    return bad


def check_options():
    options = meson_options(packages.read('meson_options.txt'))
    return [line for path in (RECIPE, MK) for line in wrong_options(path, packages.read(path), options)]


def check_depends():
    debian = build_depends(packages.read('debian/control'))
    text, mk = packages.read(RECIPE), packages.read(MK)
    have = set(values(text)['DEPENDS'].split()) | {'inherit ' + one for one in ('meson', 'pkgconfig', 'python3native')
                                                   if re.search(rf'^inherit .*\b{one}\b', text, re.M)}
    bad = wrong_depends(RECIPE, have, debian, {name: pair[0] for name, pair in NEEDS.items()})
    have = set(values(mk)['NNACCEL_DEPENDENCIES'].split()) | set(re.findall(r'^\$\(eval \$\((\S+)\)\)', mk, re.M))
    bad += wrong_depends(MK, have, debian, {name: pair[1] for name, pair in NEEDS.items()}, ['python3'])
    selected = set(re.findall(r'^\tselect BR2_PACKAGE_(\w+)', packages.read(EXTERNAL + 'nnaccel/Config.in'), re.M))
    mine = {one for one in have - NOT_SELECTED if not one.startswith('host-') and not one.endswith('-package')}
    return bad + [f'{EXTERNAL}nnaccel/Config.in does not select {one}, which {MK} needs'
                  for one in sorted(mine) if one.upper().replace('-', '_') not in selected]


def check_relations():
    found, control = values(packages.read(RECIPE)), packages.read('debian/control')
    return wrong_relations('RDEPENDS', by_package(found, 'RDEPENDS'), control_relations(control, 'Depends')) + \
        wrong_relations('RRECOMMENDS', by_package(found, 'RRECOMMENDS'), control_relations(control, 'Recommends'))


def check_licences():
    bad, files = [], ['LICENSES/' + name for name in sorted(os.listdir(os.path.join(ROOT, 'LICENSES')))]
    md5, sha256 = ({name: digest(kind, name) for name in files} for kind in ('md5', 'sha256'))
    for path in RECIPE, MODULE:
        listed = dict(re.findall(r'file://(LICENSES/\S+);md5=(\w+)', packages.read(path)))
        bad += wrong_checksums(path, 'md5', listed, md5) + ([] if listed else [f'{path} has no checksum of a licence'])
        bad += [f'{path} has no checksum of {name}' for name in files if path == RECIPE and name not in listed]
    for path in MK, MODULE_MK:
        listed = {name: value for value, name in re.findall(r'^sha256  (\w+)  (\S+)$', packages.read(path[:-3] + '.hash'), re.M)}
        bad += wrong_checksums(path[:-3] + '.hash', 'sha256', listed, sha256)
        named = re.search(r'_LICENSE_FILES = (.*)', packages.read(path))[1].split()
        bad += [f'{path[:-3]}.hash has no checksum of {name}, which the .mk names' for name in named if name not in listed]
        bad += [f'{path} does not name {name}' for name in files if path == MK and name not in named]
    return bad


def check_kernel():
    config = dict(re.findall(r'^CONFIG_(\w+)=(\w)$', packages.read(LAYER + 'recipes-kernel/linux/files/nnaccel.cfg'), re.M))
    mk = packages.read(MODULE_MK)
    fixups = {name: 'y' for name in re.findall(r'KCONFIG_ENABLE_OPT,CONFIG_(\w+)\)', mk)} | \
        dict(re.findall(r'KCONFIG_SET_OPT,CONFIG_(\w+),(\w)\)', mk))
    # Buildroot's infrastructure of kernel modules asks for them.
    fixups['MODULES'] = 'y'
    bad = [f'CONFIG_{name} is {config.get(name)} in nnaccel.cfg and {fixups.get(name)} in {MODULE_MK}'
           for name in sorted(set(config) | set(fixups)) if config.get(name) != fixups.get(name)]
    major, first = re.search(r'BUILD_EXCLUSIVE_KERNEL="\^\((\d+)\\\.\((\d)\[', packages.read('dkms.conf')).groups()
    minor = first + re.search(r'\((\d)\[(\d)-9\]', packages.read('dkms.conf'))[2]
    for path, needed in (MODULE, [f'"$major" -eq {major} ] && [ "$minor" -lt {minor} ]', f'needs {major}.{minor} or newer']), \
            (EXTERNAL + 'nnaccel-module/Config.in', [f'Linux {major}.{minor} or newer']):
        bad += [f'{path} does not have "{one}", and dkms.conf begins with {major}.{minor}'
                for one in needed if one not in packages.read(path)]
    return bad


def outside(parts):
    """{file: meson.build that names it}, of files that are in none of @parts."""
    found = {}
    for part in parts:
        for where in glob.glob(os.path.join(ROOT, part, '**', 'meson.build'), recursive=True):
            with open(where, encoding='utf-8') as file:
                named = re.findall(r"'((?:\.\./)+[^']*)'", file.read())
            for one in named:
                path = os.path.relpath(os.path.join(os.path.dirname(where), one), ROOT)
                if os.path.exists(os.path.join(ROOT, path)) and not any((path + '/').startswith(one + '/') for one in parts):
                    found[path] = os.path.relpath(where, ROOT)
    return found


def check_parts():
    bad, meson = [], packages.read('meson.build')
    for path in RECIPE, MODULE:
        parts = values(packages.read(path))['NNACCEL_PARTS'].split()
        bad += [f'{path}: there is no {one}' for one in parts if not os.path.exists(os.path.join(ROOT, one))]
        needed = {'VERSION', 'LICENSES', 'uapi'}
        if path == RECIPE:
            rooms = re.search(r'foreach room : \[(.*?)\]\n', meson, re.S)[1]
            needed |= {one.split('/')[0] for one in re.findall(r"'([\w/-]+)'", rooms)} - {'tests'}
            needed |= set(re.findall(r"find_program\('([^']+)'\)", meson)) | {'meson.build', 'meson_options.txt'}
        else:
            needed |= {one.rstrip('/') for one in re.findall(r'^obj-m := (\S+)', packages.read('Kbuild'), re.M)} | {'Kbuild'}
        bad += [f'{path}: NNACCEL_PARTS lacks {one}' for one in sorted(needed - set(parts))]
        bad += [f'{path}: NNACCEL_PARTS lacks {one}, which {where} names' for one, where in sorted(outside(parts).items())]
    return bad


def check_installs():
    recipe, mk = recipe_installs(packages.read(RECIPE)), mk_installs(packages.read(MK))
    bad = [f'there is no {name}, which is installed'
           for name in sorted(recipe | mk) if not os.path.isfile(os.path.join(ROOT, name))]
    bad += [f'{name} is installed as {recipe.get(name)} by the recipe and as {mk.get(name)} by the .mk'
            for name in sorted(recipe | mk) if recipe.get(name) != mk.get(name)]
    ours = sorted('kernel/udev/' + one for one in os.listdir(os.path.join(ROOT, 'kernel/udev')))
    return bad + [f'{name} is not installed by {RECIPE}' for name in ours if name not in recipe]


def main():
    lists = by_package(values(packages.read(RECIPE)), 'FILES')
    checks = [('rule', check_rule), ('version', check_version), ('options', check_options), ('depends', check_depends),
              ('relations', check_relations), ('licences', check_licences), ('kernel', check_kernel), ('parts', check_parts),
              ('installs', check_installs)]
    # lint has no build: meson runs this with one
    if len(sys.argv) > 1:
        installed = packages.installation(sys.argv[1]) + sorted(recipe_installs(packages.read(RECIPE)).values())
        checks += [('files', lambda: misplaced(installed, lists)), ('patterns', lambda: unused(installed, lists))]
    tap.run(checks)


if __name__ == '__main__':
    main()
