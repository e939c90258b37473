#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract-vmlinux.py BZIMAGE VMLINUX: the uncompressed kernel of a bzImage.

The boot protocol (2.08 and newer) says where the compressed payload lies, so nothing is searched for.
QEMU enters an uncompressed kernel through PVH, which saves the decompressor under software emulation.
"""
import struct
import subprocess
import sys

DECOMPRESSORS = {
    b"\x1f\x8b": ["gzip", "-dc"],
    b"\xfd7zXZ\x00": ["xz", "-dc"],
    b"\x28\xb5\x2f\xfd": ["zstd", "-dcq"],
    b"\x02\x21\x4c\x18": ["lz4", "-dcq"],
}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as f:
        image = f.read()
    if len(image) < 0x250 or image[0x202:0x206] != b"HdrS":
        sys.exit("not a bzImage")
    version, = struct.unpack_from("<H", image, 0x206)
    if version < 0x208:
        sys.exit("boot protocol %#x has no payload offset" % version)
    start = (image[0x1F1] + 1) * 512 + struct.unpack_from("<I", image, 0x248)[0]
    length, = struct.unpack_from("<I", image, 0x24C)
    # The build appends the uncompressed size, which decompressors reject as trailing garbage.
    payload = image[start:start + length - 4]
    for magic, command in DECOMPRESSORS.items():
        if payload.startswith(magic):
            break
    else:
        sys.exit("unknown compression %s" % payload[:8].hex())
    result = subprocess.run(command, input=payload, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not result.stdout.startswith(b"\x7fELF"):
        sys.exit("%s: %s" % (command[0], result.stderr.decode().strip() or "not an ELF file"))
    with open(sys.argv[2], "wb") as f:
        f.write(result.stdout)


if __name__ == "__main__":
    main()
