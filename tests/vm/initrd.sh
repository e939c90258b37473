#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# initrd.sh: prints the path of the initramfs (busybox, the 9p and overlay modules, init); builds it if missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

kernel=$NN_ROOT/scripts/kernel.sh
release=$("$kernel" release)
modules=$("$kernel" modules)
busybox=$("$kernel" busybox)
base=${modules%/lib/modules/"$release"}
key=$(cat "$here/init" "$0" | sha256sum | cut -c1-12)
initrd=${base%/*}/initrd-$key.cpio
if [ -s "$initrd" ]; then
	echo "$initrd"
	exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/root/{bin,dev,proc,sys,ro,rw,new,mod}
cp "$busybox" "$work/root/bin/busybox"
install -m 755 "$here/init" "$work/root/init"

# Every module and its dependencies, numbered in load order. Not stripped: that would break Debian's signatures
# and taint the kernel.
count=0
while read -r file; do
	count=$((count + 1))
	name=$(printf '%02d-%s' "$count" "$(basename "${file%.xz}")")
	case $file in
	*.xz) xz -dc "$file" >"$work/root/mod/$name" ;;
	*) cp "$file" "$work/root/mod/$name" ;;
	esac
done < <(
	for module in 9pnet_virtio 9p overlay; do
		modprobe -d "$base" -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
)
[ "$count" -ge 3 ] || nn_die "the modules 9pnet_virtio, 9p and overlay were not found in $modules"

(cd "$work/root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet --reproducible) >"$work/initrd"
mv "$work/initrd" "$initrd.$$"
mv "$initrd.$$" "$initrd"
echo "$initrd"
