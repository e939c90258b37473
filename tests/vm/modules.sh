#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# modules.sh: prints the path of the guest's /lib/modules/RELEASE: the modules of modules.list with what they
# depend on, and in updates/ our own. Indexed here by depmod: in the emulated guest that takes far longer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

kernel=$NN_ROOT/scripts/kernel.sh
release=$("$kernel" release)
stock=$("$kernel" modules)
base=${stock%/lib/modules/"$release"}
tree=$NN_BUILD/vm/modules/lib/modules/$release

mkdir -p "$NN_BUILD/vm"
exec {lock}>"$NN_BUILD/vm/.modules.lock"
flock "$lock"

own=()
for ko in "$NN_BUILD"/module/*.ko; do
	[ -e "$ko" ] && own+=("$ko")
done

# Up to date if no source is newer than its index, and our own are the same: another build's may be older.
index=$tree/modules.dep.bin
stale=1
if [ -s "$index" ]; then
	stale=0
	for source in "$here/modules.list" "$stock/modules.dep.bin" "$0"; do
		[ ! "$source" -nt "$index" ] || stale=1
	done
	for ko in "${own[@]}"; do
		cmp -s "$ko" "$tree/updates/${ko##*/}" || stale=1
	done
	# A module that is no longer built must be removed here too.
	[ "$(find "$tree/updates" -name '*.ko' | wc -l)" -eq "${#own[@]}" ] || stale=1
fi
if [ "$stale" = 0 ]; then
	echo "$tree"
	exit 0
fi

rm -rf "$tree"
mkdir -p "$tree/updates"
sed 's/#.*//' "$here/modules.list" | while read -r module optional; do
	[ -n "$module" ] || continue
	modprobe -d "$base" -S "$release" --show-depends "$module" 2>/dev/null || [ "$optional" = optional ] ||
		nn_die "kernel $release has no module $module (named in modules.list)"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
	rel=${file#"$stock"/}
	mkdir -p "$tree/${rel%/*}"
	cp "$file" "$tree/$rel"
done
[ "${#own[@]}" -eq 0 ] || cp "${own[@]}" "$tree/updates/"
# Newer packages may lack the order.
for index in "$stock"/modules.{builtin*,order}; do
	[ ! -e "$index" ] || cp "$index" "$tree/"
done
depmod -b "$NN_BUILD/vm/modules" "$release"
echo "$tree"
