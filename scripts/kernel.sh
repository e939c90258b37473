#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kernel.sh release|vmlinux|modules|headers|busybox|kernel-doc|tree|all|obstacle|missing|note|pin
#
# Debian's packaged kernel, unpacked in the cache: prints the path of what the argument names and
# makes it first where it is missing. Nothing is installed; /boot and /lib/modules of the machine stay as they are.
#
#   release     the kernel's version string (uname -r)
#   vmlinux     the kernel, uncompressed
#   modules     its /lib/modules/RELEASE
#   headers     a build tree of the same version, for make -C
#   busybox     a static busybox for the initramfs
#   kernel-doc  the script of that name, which is beside the headers
#   tree        the whole of linux-source, configured for modules of drivers/accel (2 GB; kernel-series.sh)
#   all         all but tree
#   obstacle    why what is not in the cache cannot be had here; nothing if it can, or if all is there. obstacle PART...: of these
#               folders of the cache (image, headers, busybox, tree); otherwise of all but tree
#   missing     what is not in the cache and how large it is, in words; nothing if all is there. missing PART...
#   note        one line where the kernel or busybox is not the pinned one; nothing otherwise. Fetches nothing
#   pin         rewrites scripts/kernel.pin from what apt offers now
#
# The version of the series 6.12 is the one of scripts/kernel.pin, and packages must have the checksums there. When the archive has
# it no more and the cache does not either, the newest of the series serves, and note reports it. Other series are resolved once:
# remove $NNACCEL_CACHE/kernel/current-SERIES to take up a newer one. Cache: $NNACCEL_CACHE/kernel/RELEASE_VERSION/.
# NNACCEL_KERNEL_SERIES chooses the series (6.12); NNACCEL_KERNEL_ARCH another flavour than amd64: arm64, or arm64-16k with pages of
# 16 KiB. Its version is the pinned one as well, without checksums. NNACCEL_KERNEL_PIN names another file.
#
# The series "newest" is that of Debian sid, by a private apt. Its kbuild needs sid's libraries and compiler, so its headers
# are in a system made by debootstrap, which module.sh enters; making it needs root.
#
# Exit status 3: the network or a mirror failed.
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

# Reads the pin: pin_release and pin_version of this architecture, empty for a series that is not pinned, and of each package
# "VERSION SIZE SHA256".
pin_file=${NNACCEL_KERNEL_PIN:-$NN_ROOT/scripts/kernel.pin}
pin_release='' pin_version=''
declare -A pin_deb=()
read_pin()
{
	local name values

	[ -s "$pin_file" ] || return 0
	while read -r name values; do
		case $name in
		'' | '#'*) ;;
		release) pin_release=$values ;;
		version) pin_version=$values ;;
		*) pin_deb[$name]=$values ;;
		esac
	done <"$pin_file"
	if [[ $pin_release != "$series".* ]]; then
		pin_release='' pin_version=''
	fi
	pin_release=${pin_release/%-amd64/-$arch}
	# the same version of another architecture
	[ "$arch" = amd64 ] || pin_deb[busybox-static]=${pin_deb[busybox-static]%% *}
}

# folder RELEASE VERSION: of the cache
folder()
{
	echo "$NN_CACHE/kernel/${1}_${2//[:\/]/_}"
}

# pinned_size PACKAGE...: as " (107 MB)", rounded up; nothing without a pin
pinned_size()
{
	local pkg version size sum bytes=0

	for pkg in "$@"; do
		read -r version size sum <<<"${pin_deb[$pkg]:-- 0 -}"
		bytes=$((bytes + size))
	done
	[ "$bytes" = 0 ] || echo " ($(((bytes + 999999) / 1000000)) MB)"
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

# known PACKAGE=VERSION: whether apt's lists have it
known()
{
	[[ $(apt-cache show "$1" 2>/dev/null) == *Filename:* ]]
}

pin_known()
{
	known "linux-headers-$pin_release=$pin_version" && { [ "$arch" != amd64 ] || known "linux-image-$pin_release=$pin_version"; }
}

# Reads release and version of an earlier run, if they still hold: for the same pin, or of a kernel that was built here
# (own-kernel.sh; no Debian package has "_" in its version).
resolved()
{
	[ -s "$current" ] || return 1
	read -r release version <"$current"
	[ -n "$pin_version" ] || return 0
	[[ $version == *_* ]] || [ "$(cat "$current.pin" 2>/dev/null)" = "$pin_version" ]
}

# Sets release and version without network: as resolved before, else the pin. Returns 1 if neither is there.
peek()
{
	resolved && return
	release=$pin_release version=$pin_version
	[ -n "$version" ]
}

resolve_pin()
{
	local dir

	dir=$(folder "$pin_release" "$pin_version")
	if ! [ -d "$dir/image" ] || ! [ -d "$dir/headers" ]; then
		if ! pin_known; then
			nn_apt_update
			pin_known || return 1
		fi
	fi
	release=$pin_release version=$pin_version
}

note()
{
	peek || return 0
	[[ $version == *_* || -z $pin_version || $version == "$pin_version" ]] ||
		echo "kernel $version is not the pinned $pin_version: the archive no longer has that; raise scripts/kernel.pin (scripts/kernel.sh pin)"
	cat "$(folder "$release" "$version")/busybox/.note" 2>/dev/null || :
}

resolve()
{
	local word=

	resolved && return
	if [ -z "$pin_version" ] || ! resolve_pin; then
		resolve_now || { nn_apt_update && resolve_now; } || word=no
		if [ -n "$word" ]; then
			[ -z "${NN_APT_UPDATE_FAILED:-}" ] || nn_infra_die "apt's lists cannot be refreshed (${NN_LOGS#"$NN_ROOT"/}/apt-update.log)," \
				"and those here have no $meta: look at the network, then run again"
			nn_die "apt knows no $meta with headers of the same" \
				"version: enable Debian's security suite (bookworm-security) or bookworm-backports"
		fi
	fi
	mkdir -p "${current%/*}"
	echo "$pin_version" >"$current.pin"
	echo "$release $version" >"$current.new"
	mv "$current.new" "$current"
	word=$(note)
	[ -z "$word" ] || nn_say "$word"
}

# unpack DIR PACKAGE[=VERSION]...; when the archive has moved on, refreshes the lists and tries once more. Exit status 4 of this
# subshell: the archive has this kernel no more.
unpack()
{
	local dir=$1 pkg name log pinned size sum

	shift
	for pkg in "$@"; do
		name=${pkg%%=*} log=deb-${pkg%%=*}
		read -r pinned size sum <<<"${pin_deb[$name]:-}"
		[ "$pkg" = "$name=$pinned" ] || sum=
		nn_logged "$log" nn_deb "$dir" "$pkg" "$sum" && continue
		nn_apt_update
		nn_logged "$log" nn_deb "$dir" "$pkg" "$sum" && continue
		! grep -q 'WARNING: .*did NOT match' "$NN_LOGS/$log.log" ||
			nn_die "$pkg has not the checksum of scripts/kernel.pin ($sum): the mirror has another package under this version"
		if [ -z "${NN_APT_UPDATE_FAILED:-}" ] && ! known "$pkg"; then
			[ "$again" = 0 ] || nn_die "the archive has no $pkg: raise scripts/kernel.pin (scripts/kernel.sh pin)"
			rm -f "$current" "$current.pin"
			exit 4
		fi
		! nn_fetch_failed "$log" ||
			nn_infra_die "cannot download $pkg (${NN_LOGS#"$NN_ROOT"/}/$log.log): look at the network, then run again"
		nn_die "cannot unpack $pkg (${NN_LOGS#"$NN_ROOT"/}/$log.log)"
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
	[ -e "$image" ] || image=$1/usr/lib/modules/$release/vmlinuz
	if [ "$arch" = amd64 ]; then
		nn_say "kernel image: uncompressing"
		"$(dirname "$0")/extract-vmlinux.py" "$image" "$1/vmlinux"
	else
		ln "$image" "$1/vmlinux"
	fi
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
	nn_debootstrap --variant=minbase "--cache-dir=$archives" "$newest_suite" "$1" "$NN_MIRROR" "${script[@]}" || {
		[ $? -ne 3 ] || nn_infra_die "debootstrap cannot fetch $newest_suite from $NN_MIRROR (${NN_LOGS#"$NN_ROOT"/}/debootstrap.log)"
		nn_die "debootstrap cannot make a system of $newest_suite (${NN_LOGS#"$NN_ROOT"/}/debootstrap.log)"
	}
	nn_sources "$1" "$NN_MIRROR $newest_suite"
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
	' - "linux-headers-$release=$version" || {
		! nn_fetch_failed newest-headers || nn_infra_die "cannot fetch the headers of $release (${NN_LOGS#"$NN_ROOT"/}/newest-headers.log)"
		nn_die "cannot install the headers of $release (${NN_LOGS#"$NN_ROOT"/}/newest-headers.log)"
	}
	rm -rf "$archives"
	[ -e "$1/usr/src/linux-headers-$release/Makefile" ] ||
		nn_die "the header packages of $release are not laid out as expected"
}

make_busybox()
{
	local pinned rest package=busybox-static now

	read -r pinned rest <<<"${pin_deb[$package]:-}"
	if [ -n "$pinned" ] && ! known "$package=$pinned"; then
		nn_apt_update
		if ! known "$package=$pinned"; then
			now=$(apt-cache policy $package | sed -n 's/^ *Candidate: //p')
			echo "$package $now is not the pinned $pinned: the archive no longer has that; raise scripts/kernel.pin (scripts/kernel.sh pin)" \
				>"$1/.note"
			nn_say "$(cat "$1/.note")"
			pinned=
		fi
	fi
	unpack "$1" "$package${pinned:+=$pinned}"
	# Of a suite whose /bin is /usr/bin
	[ -e "$1/bin" ] || ln -s usr/bin "$1/bin"
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

# absent PART...: those that the cache lacks, a line each
absent()
{
	local part dir=

	! peek || dir=$(folder "$release" "$version")
	for part in "$@"; do
		[ -n "$dir" ] && [ -d "$dir/$part" ] || echo "$part"
	done
}

# obstacle [PART...]
obstacle()
{
	local parts

	[ $# -gt 0 ] || set -- image headers busybox
	parts=$(absent "$@" | tr '\n' ' ')
	[ -n "$parts" ] || return 0
	if ! nn_online; then
		echo "$(nn_offline), and the cache has no kernel $series ( $parts)"
	elif [ "$series" = newest ] && [[ " $parts" == *" headers "* ]]; then
		nn_enter_obstacle "$NN_CACHE/kernel/trial"
	fi
}

# missing [PART...]
missing()
{
	local part name text='' base=${pin_release%-"$arch"}

	[ $# -gt 0 ] || set -- image headers busybox
	while read -r part; do
		case $part in
		image) name="kernel image$(pinned_size {linux-image,linux-base,linux-binary,linux-modules}-"$pin_release")" ;;
		headers) name="kernel headers$(pinned_size "linux-headers-$pin_release" "linux-headers-$base-common" "linux-kbuild-$base")" ;;
		busybox) name="busybox$(pinned_size busybox-static)" ;;
		tree) name="kernel source$(pinned_size "linux-source-$series")" ;;
		esac
		text+=${text:+, }$name
	done < <(absent "$@")
	[ -z "$text" ] || echo "$text"
}

# pin_line PACKAGE VERSION: for the file; nothing if apt does not have it
pin_line()
{
	{ apt-cache show "$1=$2" 2>/dev/null || :; } | awk -v name="$1" -v version="$2" '
		/^Size: / { size = $2 }
		/^SHA256: / { sum = $2 }
		/^$/ { exit }
		END { if (sum != "") print name, version, size, sum }'
}

pin()
{
	local was="$pin_version" busybox base name new=$pin_file.new

	[ "$arch" = amd64 ] && [ "$series" != newest ] || nn_die "what is pinned is a series of Debian 12 for amd64"
	nn_apt_update
	resolve_now || nn_die "apt knows no $meta with headers of the same version"
	busybox=$(apt-cache policy busybox-static | sed -n 's/^ *Candidate: //p')
	base=${release%-"$arch"}
	{
		cat <<-'END'
			# SPDX-License-Identifier: Apache-2.0
			#
			# The kernel that the tests boot: package, version, size in bytes, SHA-256 (Documentation/testing.rst, "Packages, kernel,
			# cache"). "scripts/kernel.sh pin" rewrites this file.
		END
		echo "release $release"
		echo "version $version"
		for name in {linux-image,linux-base,linux-binary,linux-modules,linux-headers}-"$release" \
			"linux-headers-$base-common" "linux-kbuild-$base" "linux-source-$(source_series)"; do
			pin_line "$name" "$version"
		done
		pin_line busybox-static "$busybox"
	} >"$new"
	for name in "linux-image-$release" "linux-headers-$release" "linux-headers-$base-common" "linux-kbuild-$base" \
		"linux-source-$(source_series)" busybox-static; do
		grep -q "^$name " "$new" || { rm "$new" && nn_die "apt has no $name of version $version: $pin_file is unchanged"; }
	done
	mv "$new" "$pin_file"
	nn_say "pinned: kernel $version (was ${was:-none}); see tests/kselftest/harness/README.rst for the kernel's files in this tree"
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
		have headers "kernel headers $release: fetching and unpacking (17 MB)"
		echo "$store/headers/usr/src/linux-headers-$release"
		;;
	busybox)
		have busybox "busybox: fetching"
		echo "$store/busybox/bin/busybox"
		;;
	kernel-doc)
		have headers "kernel headers $release: fetching and unpacking (17 MB)"
		compgen -G "$store/headers/usr/lib/linux-kbuild-*/scripts/kernel-doc" ||
			nn_die "the header packages of $release have no kernel-doc"
		;;
	tree)
		have tree "kernel source $version: fetching all of it (150 MB, once)"
		echo "$store/tree"
		;;
	*) nn_die "unknown artefact '$1' (release, vmlinux, modules, headers, busybox, kernel-doc, tree, all)" ;;
	esac
}

# wants ARTEFACT...: prints their paths
wants()
{
	local what each

	read -r release version <"$current"
	store=$(folder "$release" "$version")
	mkdir -p "$store"
	for what in "$@"; do
		if [ "$what" = all ]; then
			for each in vmlinux modules headers busybox; do
				want "$each" >/dev/null
			done
		else
			want "$what"
		fi
	done
}

# Whether the archive was found to have the first choice no more
again=0

# In a subshell, which holds the lock only so long
resolve_locked()
(
	nn_lock "$NN_CACHE/kernel/.lock"
	resolve
)

[ $# -gt 0 ] || nn_die "what? (release, vmlinux, modules, headers, busybox, kernel-doc, tree, all, obstacle, missing, note, pin)"
umask 022
mkdir -p "$NN_CACHE/kernel"
read_pin
case $1 in
obstacle | missing | note | pin)
	"$@"
	exit 0
	;;
esac
if [ "$series" = newest ]; then
	[ "$arch" = amd64 ] || nn_die "the newest kernel is had for amd64 only"
	meta=linux-image-amd64
	# It is not of the machine's suites.
	nn_mirror || nn_infra_die "$(nn_offline)"
	nn_private_apt "$NN_CACHE/kernel/apt" amd64 "$NN_MIRROR $newest_suite"
fi
[[ $arch != arm64* ]] || nn_arm64_apt
resolve_locked
set +e
paths=$(set -e && wants "$@")
rc=$?
set -e
if [ "$rc" -eq 4 ]; then
	nn_say "the archive has ${pin_version:-this kernel} no more: looking for another"
	export NN_APT_UPDATED=1
	again=1
	resolve_locked
	paths=$(set -e && wants "$@")
elif [ "$rc" -ne 0 ]; then
	exit "$rc"
fi
[ -z "$paths" ] || printf '%s\n' "$paths"
