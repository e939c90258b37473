#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kernel.sh release|vmlinux|modules|headers|busybox|source|tree|all|obstacle
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
#   tree      the whole of linux-source, configured for modules of drivers/accel (2 GB; kernel-series.sh)
#   obstacle  why what is not in the cache cannot be had here; nothing if it can, or if all is there. obstacle PART...: of these
#             folders of the cache; otherwise of all but tree
#
# Cache: $NNACCEL_CACHE/kernel/RELEASE_VERSION/. The version is resolved once; remove the file
# $NNACCEL_CACHE/kernel/current-SERIES to take up a newer one. NNACCEL_KERNEL_SERIES chooses the series (6.12);
# NNACCEL_KERNEL_ARCH another architecture than amd64, for an apt that knows its packages (arm64.sh).
#
# The series "newest" is that of Debian sid, by a private apt. Its kbuild needs sid's libraries and compiler, so its headers
# are in a system made by debootstrap, which module.sh enters; making it needs root. "all" leaves out tree.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"

# shellcheck source=scripts/enter.sh
. "$(dirname "$0")/enter.sh"

series=${NNACCEL_KERNEL_SERIES:-6.12}
arch=${NNACCEL_KERNEL_ARCH:-amd64}
current=$NN_CACHE/kernel/current-$series
meta=linux-image-$series-$arch
newest_suite=sid
# kbuild's programs run on this machine.
kbuild_arch=
if [ "$arch" != amd64 ]; then
	current+=-$arch
	kbuild_arch=:amd64
fi

# The newest kernel is not of the machine's suites: an apt of its own, which knows one package of each suite.
newest_apt()
{
	local apt=$NN_CACHE/kernel/apt keys=/usr/share/keyrings/debian-archive-keyring.gpg

	mkdir -p "$apt"/{lists/partial,archives/partial,none}
	: >"$apt/status"
	echo "deb [signed-by=$keys] $NN_MIRROR $newest_suite main" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-END
		APT::Architecture "amd64";
		#clear APT::Architectures;
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "$apt/none";
		Dir::Etc::preferencesparts "$apt/none";
		Debug::NoLocking "1";
	END
	export APT_CONFIG=$apt/apt.conf
	unset NN_APT_UPDATED
}

# Sets release and version: of the image the series' meta package stands for now, when headers exist for it.
resolve_now()
{
	local image

	image=$(apt-cache depends "$meta" 2>/dev/null |
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
		resolve_now || nn_die "apt knows no $meta with headers of the same" \
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
	local part image=$1/boot/vmlinuz-$release

	unpack "$1" "linux-image-$release=$version"
	# Newer packages are in parts: the image is one that only depends on the others. base has modules.builtin.
	for part in base binary modules; do
		apt-cache show "linux-$part-$release=$version" >/dev/null 2>&1 || continue
		unpack "$1" "linux-$part-$release=$version"
	done
	nn_say "kernel image: uncompressing"
	[ -e "$image" ] || image=$1/usr/lib/modules/$release/vmlinuz
	"$(dirname "$0")/extract-vmlinux.py" "$image" "$1/vmlinux"
	[ -d "$1/lib/modules" ] || { mkdir -p "$1/lib" && ln -s ../usr/lib/modules "$1/lib/modules"; }
	# The whole tree's index: it says which file a module is and what it depends on.
	nn_logged depmod depmod -b "$1" "$release"
}

make_headers()
{
	local flavour=$1/usr/src/linux-headers-$release
	local common=linux-headers-${release%-"$arch"}-common

	if [ "$series" = newest ]; then
		make_newest_headers "$1"
		return
	fi
	unpack "$1" "linux-headers-$release=$version" "$common=$version" \
		"linux-kbuild-${release%-"$arch"}$kbuild_arch=$version"
	# The packaged Makefile names its common part by the absolute path of an installation.
	# shellcheck disable=SC2016 # make expands it
	printf 'include $(dir $(lastword $(MAKEFILE_LIST)))../%s/Makefile\n' "$common" >"$flavour/Makefile"
	[ -e "$1/usr/src/$common/Makefile" ] || nn_die "no $common in its package"
	[ -e "$flavour/scripts/mod/modpost" ] ||
		nn_die "the header packages of $release are not laid out as expected"
}

# A system with the headers and all that they need, among it the compiler that the kernel was built with. A mirror that was
# frozen is as good as one that is not.
make_newest_headers()
{
	local script=() scripts=/usr/share/debootstrap/scripts file archives=$NN_CACHE/kernel/archives

	mkdir -p "$archives"
	[ -e "$scripts/$newest_suite" ] || script=("$scripts/sid")
	nn_proxy
	nn_debootstrap --variant=minbase "--cache-dir=$archives" "$newest_suite" "$1" "$NN_MIRROR" "${script[@]}"
	for file in /etc/resolv.conf /etc/hosts; do
		rm -f "$1$file"
		cp -L "$file" "$1$file"
	done
	# shellcheck disable=SC2016 # for the shell inside
	nn_logged newest-headers nn_enter "$1" env -u APT_CONFIG chroot "$1" bash -c '
		set -e
		export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
		apt="apt-get -qq -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root -o APT::Install-Recommends=false"
		$apt update
		$apt -y install make "$1"
		$apt clean
		rm -rf /var/lib/apt/lists/*
	' - "linux-headers-$release=$version"
	rm -rf "$archives"
	[ -e "$1/usr/src/linux-headers-$release/Makefile" ] ||
		nn_die "the header packages of $release are not laid out as expected"
}

make_busybox()
{
	unpack "$1" busybox-static
	# Of a suite whose /bin is /usr/bin
	[ -e "$1/bin" ] || ln -s usr/bin "$1/bin"
}

make_source()
{
	local tar source

	source=linux-source-$(source_series)
	unpack "$1" "$source=$version"
	tar=$1/usr/src/$source.tar.xz
	nn_say "kernel source: unpacking the kselftest harness and checkpatch"
	xz -dc -T0 "$tar" | tar -x -C "$1" --strip-components=1 --wildcards --wildcards-match-slash \
		"*/tools/testing/selftests/lib.mk" "*/tools/testing/selftests/Makefile" \
		"*/tools/testing/selftests/kselftest*.h" "*/tools/testing/selftests/run_kselftest.sh" \
		"*/tools/testing/selftests/kselftest/*" "*/scripts/subarch.include" \
		"*/scripts/Makefile.compiler" "*/scripts/checkpatch.pl" "*/scripts/const_structs.checkpatch" \
		"*/scripts/spelling.txt" "*/scripts/kernel-doc" "*/tools/scripts/*"
	[ -s "$1/tools/testing/selftests/kselftest_harness.h" ] ||
		nn_die "$source has no kselftest harness where expected"
	[ -s "$1/scripts/checkpatch.pl" ] || nn_die "$source has no checkpatch.pl"
	rm -rf "${1:?}/usr"
}

# The series of linux-source's name: 6.12, 7.2
source_series()
{
	[[ $release =~ ^[0-9]+\.[0-9]+ ]] && echo "${BASH_REMATCH[0]}"
}

# Prepared as a developer's tree is: "make modules_prepare" with a small configuration that has DRM's accel nodes.
make_tree()
{
	local source

	source=linux-source-$(source_series)
	unpack "$1" "$source=$version"
	nn_say "kernel source: unpacking all of it"
	xz -dc -T0 "$1/usr/src/$source.tar.xz" | tar -x -C "$1" --strip-components=1
	rm -rf "${1:?}/usr/src/$source.tar.xz"
	nn_logged kernel-tree-config make -C "$1" KCONFIG_ALLCONFIG="$NN_ROOT/scripts/kernel-series.config" allnoconfig
	nn_say "kernel source: make modules_prepare"
	nn_logged kernel-tree-prepare nice make -C "$1" -j"$(nproc)" modules_prepare
}

# obstacle [PART...]
obstacle()
{
	local part missing=

	[ $# -gt 0 ] || set -- image headers busybox source
	[ ! -s "$current" ] || read -r release version <"$current"
	for part in "$@"; do
		[ -n "${release:-}" ] && [ -d "$NN_CACHE/kernel/${release}_${version//[:\/]/_}/$part" ] || missing+=" $part"
	done
	[ -n "$missing" ] || return 0
	if ! nn_online; then
		echo "$NN_MIRROR does not answer, and the cache has no kernel $series ($missing )"
	elif [ "$series" = newest ] && [[ $missing == *" headers"* ]]; then
		nn_enter_obstacle "$NN_CACHE/kernel/trial"
	fi
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
	tree)
		have tree "kernel source $version: fetching all of it (150 MB, once)"
		echo "$store/tree"
		;;
	*) nn_die "unknown artefact '$1' (release, vmlinux, modules, headers, busybox, source, tree, all)" ;;
	esac
}

[ $# -gt 0 ] || nn_die "what? (release, vmlinux, modules, headers, busybox, source, tree, all, obstacle)"
umask 022
mkdir -p "$NN_CACHE/kernel"
if [ "$1" = obstacle ]; then
	shift
	obstacle "$@"
	exit 0
fi
if [ "$series" = newest ]; then
	[ "$arch" = amd64 ] || nn_die "the newest kernel is had for amd64 only"
	meta=linux-image-amd64
	newest_apt
fi
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
