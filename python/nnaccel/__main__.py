# SPDX-License-Identifier: Apache-2.0
"""python3 -m nnaccel: lists the devices. python3 -m nnaccel MODEL: and the model's tensors, and which device runs what."""
import sys

from . import Error, Model, devices


def main() -> int:
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1].startswith('-')):
        print('usage: python3 -m nnaccel [MODEL]', file=sys.stderr)
        return 2
    try:
        for device in devices():
            print(f'{device.name}: {device.type}, {device.version}, feature level {device.feature_level}')
        if len(sys.argv) == 2:
            model = Model(sys.argv[1])
            for kind, tensors in ('input', model.inputs), ('output', model.outputs):
                for tensor in tensors:
                    print(f'{kind} {tensor}')
            print(model.explain())
    except (Error, ImportError) as error:
        print(f'nnaccel: {error}', file=sys.stderr)
        return 1
    return 0


sys.exit(main())
