#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# install_place.sh BUILD PREFIX: the package is installed where Debian's Python looks for it, if it looks below PREFIX at all.
set -euo pipefail

python=/usr/bin/python3
[ -x "$python" ] || { echo "there is no $python"; exit 77; }
"$python" - "$1" "$2" <<'END'
import json, os, site, sys

build, prefix = sys.argv[1:]
places = json.load(open(f'{build}/meson-info/intro-installed.json')).values()
for name in '__init__.py', '_version.py', '_model.py':
    folders = {os.path.dirname(os.path.dirname(place)) for place in places if place.endswith(f'/nnaccel/{name}')}
    assert len(folders) == 1, (name, folders)
    if prefix in ('/usr', '/usr/local'):
        assert folders <= set(site.getsitepackages()), (folders, site.getsitepackages())
END
