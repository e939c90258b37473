#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# module.sh [--if-headers] [--out FOLDER] [MAKE ARGUMENT...]: the kernel module, built in a copy under build/ so that the source
# tree stays clean; build/module/nnaccel.ko is the result, and with --out a link to the copy, FOLDER. Against the cached headers of the kernel the VM boots, or
# those of KDIR. Headers in a system of their own (kernel.sh, series newest) are used with its compiler, inside.
# Arguments go to kbuild (W=1, C=2, ...). With --if-headers: against what headers are at hand
# (KDIR, the cache, the running kernel's), and nothing is fetched.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/enter.sh
. "$(dirname "$0")/enter.sh"

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
out=
if [ "${1:-}" = --out ]; then
	out=$2
	shift 2
fi
kdir=${KDIR:-$("$NN_ROOT/scripts/kernel.sh" headers)}
[ -f "$kdir/Makefile" ] || nn_die "no kernel build tree at $kdir"

# A copy for each kernel and set of arguments: objects of one do not serve another.
result=$NN_BUILD/module
copy=$NN_BUILD/module.build/$(printf '%s\n' "$kdir" "$@" | sha256sum | cut -c1-12)
mkdir -p "$copy" "$result"
exec {lock}>"$NN_BUILD/module.build/.lock"
flock "$lock"

# Sources that are gone must not be found in the copy; what is unchanged keeps its time, and what is generated stays.
for dir in kernel/nnaccel uapi; do
	mkdir -p "$copy/$dir"
	find "$copy/$dir" -type f \( -name '*.[ch]' ! -name '*.mod.c' ! -name nnaccel_config.h -o -name Kbuild -o -name '*.sh' \) -printf '%P\n' |
		while read -r file; do
			[ -e "$NN_ROOT/$dir/$file" ] || rm "$copy/$dir/$file"
		done
	cp -a --update "$NN_ROOT/$dir/." "$copy/$dir/"
done
cp -a --update "$NN_ROOT/Kbuild" "$NN_ROOT/VERSION" "$copy/"

# inside SYSTEM FOLDER ARGUMENT...: make in SYSTEM, with the folder where it is here
inside()
{
	local system=$1 folder=$2

	shift 2
	mkdir -p "$system$folder"
	# shellcheck disable=SC2016 # for the shell in the namespace
	nn_enter "$system" bash -c '
		mount --bind "$2" "$1$2" && cd / && exec chroot "$1" env LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin make "${@:3}"
	' - "$system" "$folder" "$@"
}

# build ARGUMENT...: with all copies, as the helper of the VM's tests includes the driver's
build()
{
	if [ -n "$system" ]; then
		inside "$system" "$NN_BUILD/module.build" "$@"
	else
		make "$@"
	fi
}

system=${kdir%/usr/src/*}
if [ "$system" != "$kdir" ] && [ -n "$system" ] && [ -x "$system/usr/bin/make" ]; then
	kdir=${kdir#"$system"}
else
	system=
fi
nn_logged "module${1:+-${1//[^A-Za-z0-9]/}}" \
	build -j"$(nproc)" -C "$kdir" M="$copy" "$@" modules
[ $# -gt 0 ] || {
	rm -f "$result"/*.ko
	cp -p "$copy"/kernel/nnaccel/*.ko "$result/"
	# A helper of the tests in the VM, which is never installed.
	mkdir -p "$copy.vmtest"
	cp -a --update "$NN_ROOT/tests/vm/module/." "$copy.vmtest/"
	nn_logged module-vmtest build -C "$kdir" M="$copy.vmtest" modules
	cp -p "$copy.vmtest"/*.ko "$result/"
}
[ -z "$out" ] || ln -sfn "$copy" "$out"
