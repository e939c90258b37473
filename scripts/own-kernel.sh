#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# own-kernel.sh debug|uml [--if-built]: prints the cache folder of a kernel of our own. Builds it if it is missing (with --if-built
# it prints nothing then), of Debian's linux-source of the version that the VM boots:
#
#   debug  tests/vm/debug.config: KASAN, lockdep, kmemleak, DMA-API debugging, UBSAN, fault injection (twelve minutes of
#          processor time, 3 GB)
#   uml    tests/kunit/uml.config: user-mode Linux with KUnit, whose time runs only while it has work (eight minutes of
#          processor time, 1.7 GB)
#
# The layout is that of scripts/kernel.sh: with NNACCEL_CACHE set to this folder every script uses this kernel.
# The kernel is rebuilt when the version or the configuration changes; the folder can be removed at any time.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"

kind=${1:-}
case $kind in
debug) config=tests/vm/debug.config image=vmlinux make=() ;;
uml) config=tests/kunit/uml.config image=linux make=(ARCH=um) ;;
*) nn_die "usage: own-kernel.sh debug|uml [--if-built]" ;;
esac
series=${NNACCEL_KERNEL_SERIES:-6.12}
config=$NN_ROOT/$config
cache=$NN_CACHE/$kind
kernel=$NN_ROOT/scripts/kernel.sh

# Version and parts of the stock kernel; these kernels use the same.
busybox=$("$kernel" busybox)
read -r _ debian <"$NN_CACHE/kernel/current-$series"
# By what makes it: other changes of this script build nothing.
version=${debian}_$({
	cat "$config"
	sed -n '/^[a-z_]*()$/,/^}/p' "$0"
} | sha256sum | cut -c1-12)
current=$cache/kernel/current-$series

built()
{
	local release v

	[ -s "$current" ] || return 1
	read -r release v <"$current"
	[ "$v" = "$version" ] && [ -s "$cache/kernel/${release}_${version//[:\/]/_}/image/$image" ]
}

# fetch DIR: the source tree, unpacked, as DIR/linux
fetch()
{
	nn_say "$kind kernel: fetching linux-source-$series $debian (150 MB)"
	nn_logged "$kind-source" nn_deb "$1" "linux-source-$series=$debian" || {
		nn_apt_update
		nn_logged "$kind-source" nn_deb "$1" "linux-source-$series=$debian"
	}
	mkdir "$1/linux"
	nn_say "$kind kernel: unpacking"
	xz -dc -T0 "$1/usr/src/linux-source-$series.tar.xz" | tar -x -C "$1/linux" --strip-components=1
	rm -rf "${1:?}/usr"
}

# Prints options that the configuration sets and Kconfig dropped: a missing detector would look like a clean log.
refused()
{
	grep -E '^CONFIG_[A-Z0-9_]+=[ym]$' "$config" | grep -vxFf "$1"
}

# enlarge_xstate DIR: 6.12's user-mode Linux has room for the registers of AVX-512. With AMX there are more, and the kernel below
# accepts no part of them: "ptrace set fp regs failed, errno = 14". Without upper halves what glibc copies with them is lost.
enlarge_xstate()
{
	sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/' "$1/user-offsets.c"
	sed -i -e 's/^static int have_xstate_support;/&\nstatic unsigned long xstate_size;/' \
		-e 's/^\(\s*\)have_xstate_support = 1;/\1have_xstate_support = (xstate_size = iov.iov_len);/' \
		-e '/^int restore_fp_registers/,/^}/s/iov_len = FP_SIZE \* sizeof(unsigned long)/iov_len = xstate_size/' "$1/os-Linux/registers.c"
}

# build DIR
build()
{
	local tree=$1/linux symbol

	# These have no prompt: only another driver could select them.
	for symbol in DRM_EXEC DRM_SCHED DRM_GEM_SHMEM_HELPER DRM_EXPORT_FOR_TESTS; do
		sed -i "/^config $symbol\$/,/tristate\\|bool/s/\\(tristate\\|bool\\)\$/\\1 \"$symbol\"/" "$tree/drivers/gpu/drm/Kconfig"
	done
	sed -i '/^config WANT_DEV_COREDUMP$/,/bool/s/bool$/bool "WANT_DEV_COREDUMP"/' "$tree/drivers/base/Kconfig"
	[ "$kind" != uml ] || enlarge_xstate "$tree/arch/x86/um"
	nn_logged "$kind-config" make -C "$tree" "${make[@]}" KCONFIG_ALLCONFIG="$config" allnoconfig
	if refused "$tree/.config" >&2; then
		nn_die "Kconfig does not grant what is named above (${config#"$NN_ROOT/"})"
	fi
	nn_say "$kind kernel: building"
	nn_logged "$kind-build" nice make -C "$tree" "${make[@]}" -j"$(nproc)" "$image" modules
}

# install DIR: the layout of kernel.sh; keeps what module builds need and removes objects.
install_tree()
{
	local tree=$1/linux release store

	release=$(make -s -C "$tree" "${make[@]}" kernelrelease)
	store=$cache/kernel/${release}_${version//[:\/]/_}
	rm -rf "$cache/kernel"
	mkdir -p "$store/image/lib" "$store/headers/usr/src"
	cp "$tree/$image" "$store/image/"
	nn_logged "$kind-install" make -s -C "$tree" "${make[@]}" modules_install INSTALL_MOD_PATH="$store/image"
	find "$tree" \( -path "$tree/scripts" -o -path "$tree/tools" \) -prune -o -type f \
		\( -name '*.o' -o -name '*.a' -o -name '*.ko' -o -name '.*.cmd' \) -exec rm {} +
	mv "$tree" "$store/headers/usr/src/linux-headers-$release"
	ln -s "$(dirname "$(dirname "$busybox")")" "$store/busybox"
	echo "$release $version" >"$current.new"
	mv "$current.new" "$current"
}

mkdir -p "$cache"
if [ "${2:-}" = --if-built ]; then
	! built || echo "$cache"
	exit 0
fi
if ! built; then
	(
		nn_lock "$cache/.lock"
		built && exit 0
		find "$cache" -maxdepth 1 -name 'build.*' -exec rm -rf {} +
		tmp=$(mktemp -d "$cache/build.XXXXXX")
		fetch "$tmp"
		build "$tmp"
		install_tree "$tmp"
		rm -rf "$tmp"
		nn_say "$kind kernel: built"
	)
fi
echo "$cache"
