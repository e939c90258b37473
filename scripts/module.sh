#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# module.sh [--if-headers] [MAKE ARGUMENT...]: the kernel module, built in a copy under build/ so that the source tree stays
# clean; build/module/nnaccel.ko is the result. Against the cached headers of the kernel the VM boots, or
# those of KDIR. Arguments go to kbuild (W=1, C=2, ...). With --if-headers: against what headers are at hand
# (KDIR, the cache, the running kernel's), and nothing is fetched.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

[ -f "$NN_ROOT/Kbuild" ] || nn_die "Kbuild is missing"
if [ "${1:-}" = --if-headers ]; then
	shift
	if [ -z "${KDIR:-}" ] && ! compgen -G "$NN_CACHE/kernel/*/headers" >/dev/null; then
		KDIR=/lib/modules/$(uname -r)/build
		if [ ! -f "$KDIR/Makefile" ]; then
			nn_say "no kernel headers here: the module is left out ('make module' fetches them)"
			exit 0
		fi
	fi
fi
kdir=${KDIR:-$("$NN_ROOT/scripts/kernel.sh" headers)}
[ -f "$kdir/Makefile" ] || nn_die "no kernel build tree at $kdir"

# A copy for each kernel and set of arguments: objects of one do not serve another.
result=$NN_BUILD/module
copy=$NN_BUILD/module.build/$(printf '%s\n' "$kdir" "$@" | sha256sum | cut -c1-12)
mkdir -p "$copy" "$result"
exec {lock}>"$NN_BUILD/module.build/.lock"
flock "$lock"

# Sources that are gone must not be found in the copy; what is unchanged keeps its time.
for dir in kernel/nnaccel uapi; do
	mkdir -p "$copy/$dir"
	find "$copy/$dir" -type f \( -name '*.[ch]' ! -name '*.mod.c' -o -name Kbuild -o -name '*.sh' \) -printf '%P\n' |
		while read -r file; do
			[ -e "$NN_ROOT/$dir/$file" ] || rm "$copy/$dir/$file"
		done
	cp -a --update "$NN_ROOT/$dir/." "$copy/$dir/"
done
cp -a --update "$NN_ROOT/Kbuild" "$NN_ROOT/VERSION" "$copy/"

nn_logged "module${1:+-${1//[^A-Za-z0-9]/}}" \
	make -j"$(nproc)" -C "$kdir" M="$copy" "$@" modules
[ $# -gt 0 ] || {
	rm -f "$result"/*.ko
	cp -p "$copy"/kernel/nnaccel/*.ko "$result/"
}
