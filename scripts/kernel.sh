#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kernel.sh release|vmlinux|modules|headers|busybox|source|all
#
# Debian's packaged kernel, unpacked in the cache: prints the path of what was asked for and makes it first
# where it is missing. Nothing is installed; /boot and /lib/modules of the machine stay as they are.
#
#   release   the kernel's version string (uname -r)
#   vmlinux   the kernel, uncompressed
#   modules   its /lib/modules/RELEASE
#   headers   a build tree of the same version, for make -C
#   busybox   a static busybox for the initramfs
#   source    from linux-source: the kselftest harness, checkpatch.pl and what they need
#
# Cache: $NNACCEL_CACHE/kernel/RELEASE_VERSION/. The version is resolved once; remove the file
# $NNACCEL_CACHE/kernel/current-SERIES to take up a newer one. NNACCEL_KERNEL_SERIES chooses the series (6.12);
# NNACCEL_KERNEL_ARCH another architecture than amd64, for an apt that knows its packages (arm64.sh).
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"

series=${NNACCEL_KERNEL_SERIES:-6.12}
arch=${NNACCEL_KERNEL_ARCH:-amd64}
current=$NN_CACHE/kernel/current-$series
# kbuild's programs run on this machine.
kbuild_arch=
if [ "$arch" != amd64 ]; then
	current+=-$arch
	kbuild_arch=:amd64
fi

# Sets release and version: of the image the series' meta package stands for now, when headers exist for it.
resolve_now()
{
	local image

	image=$(apt-cache depends "linux-image-$series-$arch" 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1)
	[ -n "$image" ] || return 1
	release=${image#linux-image-}
	version=$(apt-cache policy "$image" | sed -n 's/^ *Candidate: //p')
	[ -n "$version" ] && [ "$version" != "(none)" ] || return 1
	apt-cache show "linux-headers-$release=$version" >/dev/null 2>&1
}

resolve()
{
	if [ -s "$current" ]; then
		read -r release version <"$current"
		return
	fi
	if ! resolve_now; then
		nn_apt_update
		resolve_now || nn_die "apt knows no linux-image-$series-$arch with headers of the same" \
			"version: enable Debian's security suite (bookworm-security) or bookworm-backports"
	fi
	mkdir -p "${current%/*}"
	echo "$release $version" >"$current.new"
	mv "$current.new" "$current"
}

# Unpacks PACKAGE[=VERSION]...; when the archive has moved on, refreshes the lists and tries once more.
unpack()
{
	local dir=$1 pkg

	shift
	for pkg in "$@"; do
		nn_logged "deb-${pkg%%=*}" nn_deb "$dir" "$pkg" && continue
		nn_apt_update
		nn_logged "deb-${pkg%%=*}" nn_deb "$dir" "$pkg" ||
			nn_die "cannot download $pkg; remove $current to take up a newer kernel"
	done
}

# Each make_X fills $1, a fresh folder; it is renamed to its final name only when it is whole.
make_image()
{
	unpack "$1" "linux-image-$release=$version"
	nn_say "kernel image: uncompressing"
	"$(dirname "$0")/extract-vmlinux.py" "$1/boot/vmlinuz-$release" "$1/vmlinux"
	[ -d "$1/lib/modules" ] || { mkdir -p "$1/lib" && ln -s ../usr/lib/modules "$1/lib/modules"; }
	# The whole tree's index: it says which file a module is and what it depends on.
	nn_logged depmod depmod -b "$1" "$release"
}

make_headers()
{
	local flavour=$1/usr/src/linux-headers-$release
	local common=linux-headers-${release%-"$arch"}-common

	unpack "$1" "linux-headers-$release=$version" "$common=$version" \
		"linux-kbuild-${release%-"$arch"}$kbuild_arch=$version"
	# The packaged Makefile names its common part by the absolute path of an installation.
	# shellcheck disable=SC2016 # make expands it
	printf 'include $(dir $(lastword $(MAKEFILE_LIST)))../%s/Makefile\n' "$common" >"$flavour/Makefile"
	[ -e "$1/usr/src/$common/Makefile" ] || nn_die "no $common in its package"
	[ -e "$flavour/scripts/mod/modpost" ] ||
		nn_die "the header packages of $release are not laid out as expected"
}

make_busybox()
{
	unpack "$1" busybox-static
}

make_source()
{
	local tar

	unpack "$1" "linux-source-$series=$version"
	tar=$1/usr/src/linux-source-$series.tar.xz
	nn_say "kernel source: unpacking the kselftest harness and checkpatch"
	xz -dc -T0 "$tar" | tar -x -C "$1" --strip-components=1 --wildcards --wildcards-match-slash \
		"*/tools/testing/selftests/lib.mk" "*/tools/testing/selftests/Makefile" \
		"*/tools/testing/selftests/kselftest*.h" "*/tools/testing/selftests/run_kselftest.sh" \
		"*/tools/testing/selftests/kselftest/*" "*/scripts/subarch.include" \
		"*/scripts/Makefile.compiler" "*/scripts/checkpatch.pl" "*/scripts/const_structs.checkpatch" \
		"*/scripts/spelling.txt" "*/scripts/kernel-doc" "*/tools/scripts/*"
	[ -s "$1/tools/testing/selftests/kselftest_harness.h" ] ||
		nn_die "linux-source-$series has no kselftest harness where expected"
	[ -s "$1/scripts/checkpatch.pl" ] || nn_die "linux-source-$series has no checkpatch.pl"
	rm -rf "${1:?}/usr"
}

# have NAME TEXT: the artefact folder NAME of this version, made when it is not there.
have()
{
	local name=$1 dir=$store/$1

	[ -d "$dir" ] && return 0
	(
		nn_lock "$store/.lock"
		[ -d "$dir" ] && exit 0
		nn_say "$2"
		rm -rf "$store/.$name".??????
		tmp=$(mktemp -d "$store/.$name.XXXXXX")
		chmod 755 "$tmp"
		"make_$name" "$tmp"
		mv "$tmp" "$dir"
	)
}

want()
{
	case $1 in
	release) echo "$release" ;;
	vmlinux)
		have image "kernel image $release: fetching and unpacking (107 MB)"
		echo "$store/image/vmlinux"
		;;
	modules)
		have image "kernel image $release: fetching and unpacking (107 MB)"
		echo "$store/image/lib/modules/$release"
		;;
	headers)
		have headers "kernel headers $release: fetching and unpacking (15 MB)"
		echo "$store/headers/usr/src/linux-headers-$release"
		;;
	busybox)
		have busybox "busybox: fetching"
		echo "$store/busybox/bin/busybox"
		;;
	source)
		# A cache of before kernel-doc was asked for.
		[ -e "$store/source/scripts/kernel-doc" ] || rm -rf "$store/source"
		have source "kernel source $version: fetching (150 MB, once)"
		echo "$store/source"
		;;
	*) nn_die "unknown artefact '$1' (release, vmlinux, modules, headers, busybox, source, all)" ;;
	esac
}

[ $# -gt 0 ] || nn_die "what? (release, vmlinux, modules, headers, busybox, source, all)"
umask 022
mkdir -p "$NN_CACHE/kernel"
(
	nn_lock "$NN_CACHE/kernel/.lock"
	resolve
)
read -r release version <"$current"
store=$NN_CACHE/kernel/${release}_${version//[:\/]/_}
mkdir -p "$store"
for what in "$@"; do
	if [ "$what" = all ]; then
		for each in vmlinux modules headers busybox source; do
			want "$each" >/dev/null
		done
	else
		want "$what"
	fi
done
