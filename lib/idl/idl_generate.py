#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""idl_generate.py KIND OUTPUT FILE.idl [HEADER...]: code in C of a description (idl.py has the notation). KIND:

  header    methods, messages, prototypes
  codec     how values and messages are written, read and given back
  served    prototypes of the servants' handlers that are written by hand
  servants  the servants that call them
  samples   for tests
"""
import sys

sys.dont_write_bytecode = True
from idl import Idl, Invalid # noqa: E402
from idl_codec import codec, header # noqa: E402
from idl_samples import samples # noqa: E402
from idl_servants import served, servants # noqa: E402

KINDS = {'header': header, 'codec': codec, 'served': served, 'servants': servants, 'samples': samples}


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in KINDS:
        sys.exit('usage: idl_generate.py ' + '|'.join(KINDS) + ' OUTPUT FILE.idl [HEADER...]')
    try:
        idl = Idl(sys.argv[3])
        idl.name = idl.path.rsplit('/', 1)[-1]
        text = KINDS[sys.argv[1]](idl, sys.argv[4:])
    except Invalid as error:
        sys.exit(str(error))
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main()
