#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# installed.sh BUILD PREFIX LIBDIR CLIENT COMPILER...: a client that has the installed headers and libraries alone.
set -euo pipefail

build=$1 prefix=$2 libdir=$3 client=$(realpath "$4")
shift 4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
libs=$tmp/root$prefix/$libdir

meson install -C "$build" --no-rebuild --destdir "$tmp/root" >"$tmp/log" 2>&1 || {
	cat "$tmp/log" >&2
	exit 1
}
flags=$(PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_LIBDIR=$libs/pkgconfig pkg-config --cflags --libs nnhal)
cd "$tmp"
# shellcheck disable=SC2086 # flags of pkg-config
"$@" -std=c11 -Wall -Wextra -Werror "$client" -o client $flags
export LD_LIBRARY_PATH=$libs NNACCEL_FIRMWARE=$libs/nnaccel/libnnaccel-fw.so NNACCEL_CALIBRATION=off
./client
# in the worker that was installed, which finds everything beside libnnhal
env -u NNACCEL_IPC -u NNACCEL_WORKER ./client worker:cpu
# what was linked is what was installed
linked=$(ldd client)
[[ $linked == *"$libs/libnnhal.so."* ]] || {
	echo "$linked" >&2
	exit 1
}
# every function that the installed headers name is exported
nm -D --defined-only "$libs/libnnhal.so" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >exported
grep -hoE '\bnn(hal|model)_[a-z0-9_]+\(' "$tmp/root$prefix"/include/nnaccel/nn{hal,hal_types,model}.h | tr -d '(' | sort -u >named
missing=$(comm -23 named exported)
[ -z "$missing" ] || {
	echo "installed headers name functions that libnnhal.so does not export: $missing" >&2
	exit 1
}
