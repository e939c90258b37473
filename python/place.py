# SPDX-License-Identifier: Apache-2.0
"""place.py PREFIX: the folder of packages below PREFIX that this Python searches; an empty line if it searches none there."""
import site
import sys

prefix = sys.argv[1].rstrip('/') + '/'
nested = '/usr/local/' if prefix == '/usr/' else None
print(next((place for place in site.getsitepackages()
            if place.startswith(prefix) and not (nested and place.startswith(nested))), ''))
