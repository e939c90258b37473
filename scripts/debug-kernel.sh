#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# debug-kernel.sh: prints the cache folder of the debug kernel. Builds it if it is missing (twelve minutes of processor time,
# 3 GB): Debian's linux-source of the version that the VM boots, configured by tests/vm/debug.config (KASAN, lockdep,
# kmemleak, DMA-API debugging, UBSAN, fault injection).
#
# The layout is that of scripts/kernel.sh: with NNACCEL_CACHE set to this folder every script uses this kernel.
# The kernel is rebuilt when the version or the configuration changes; $NN_CACHE/debug can be removed at any time.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"

series=${NNACCEL_KERNEL_SERIES:-6.12}
config=$NN_ROOT/tests/vm/debug.config
cache=$NN_CACHE/debug
kernel=$NN_ROOT/scripts/kernel.sh

# Version and parts of the stock kernel; the debug kernel uses the same.
busybox=$("$kernel" busybox)
read -r _ debian <"$NN_CACHE/kernel/current-$series"
version=${debian}_$(cat "$config" "$0" | sha256sum | cut -c1-12)
current=$cache/kernel/current-$series

built()
{
	local release v

	[ -s "$current" ] || return 1
	read -r release v <"$current"
	[ "$v" = "$version" ] && [ -s "$cache/kernel/${release}_${version//[:\/]/_}/image/vmlinux" ]
}

# fetch DIR: the source tree, unpacked, as DIR/linux
fetch()
{
	nn_say "debug kernel: fetching linux-source-$series $debian (150 MB)"
	nn_logged debug-source nn_deb "$1" "linux-source-$series=$debian" || {
		nn_apt_update
		nn_logged debug-source nn_deb "$1" "linux-source-$series=$debian"
	}
	mkdir "$1/linux"
	nn_say "debug kernel: unpacking"
	xz -dc -T0 "$1/usr/src/linux-source-$series.tar.xz" | tar -x -C "$1/linux" --strip-components=1
	rm -rf "${1:?}/usr"
}

# Prints options that the configuration sets and Kconfig dropped: a missing detector would look like a clean log.
refused()
{
	grep -E '^CONFIG_[A-Z0-9_]+=[ym]$' "$config" | grep -vxFf "$1"
}

# build DIR
build()
{
	local tree=$1/linux symbol

	# These have no prompt: only another driver could select them.
	for symbol in DRM_EXEC DRM_SCHED DRM_GEM_SHMEM_HELPER; do
		sed -i "/^config $symbol\$/,/tristate/s/tristate\$/tristate \"$symbol\"/" "$tree/drivers/gpu/drm/Kconfig"
	done
	sed -i '/^config WANT_DEV_COREDUMP$/,/bool/s/bool$/bool "WANT_DEV_COREDUMP"/' "$tree/drivers/base/Kconfig"
	nn_logged debug-config make -C "$tree" KCONFIG_ALLCONFIG="$config" allnoconfig
	if refused "$tree/.config" >&2; then
		nn_die "Kconfig does not grant what is named above (tests/vm/debug.config)"
	fi
	nn_say "debug kernel: building (twelve minutes of processor time)"
	nn_logged debug-build nice make -C "$tree" -j"$(nproc)" vmlinux modules
}

# install DIR: the layout of kernel.sh; keeps what module builds need and removes objects.
install_tree()
{
	local tree=$1/linux release store

	release=$(make -s -C "$tree" kernelrelease)
	store=$cache/kernel/${release}_${version//[:\/]/_}
	rm -rf "$cache/kernel"
	mkdir -p "$store/image/lib" "$store/headers/usr/src"
	cp "$tree/vmlinux" "$store/image/"
	nn_logged debug-install make -s -C "$tree" modules_install INSTALL_MOD_PATH="$store/image"
	find "$tree" \( -path "$tree/scripts" -o -path "$tree/tools" \) -prune -o -type f \
		\( -name '*.o' -o -name '*.a' -o -name '*.ko' -o -name '.*.cmd' \) -exec rm {} +
	mv "$tree" "$store/headers/usr/src/linux-headers-$release"
	ln -s "$(dirname "$(dirname "$busybox")")" "$store/busybox"
	echo "$release $version" >"$current.new"
	mv "$current.new" "$current"
}

mkdir -p "$cache"
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
		nn_say "debug kernel: built"
	)
fi
echo "$cache"
