#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# arm64.sh [userspace|module]...: builds userspace and the kernel module for arm64 with Debian's cross compiler (bootstrap's
# set cross). Warnings are errors. Prints "PASSED FAILED" for check.sh, one build each, or "skipped REASON".
# arm64.sh run [VECTORS]: runs what was built under qemu-user, with each instruction set forced: the tests of operations, the
# conformance vectors in the folder, the models. Prints a line "ROUTE<tab>WHAT<tab>PASSED<tab>FAILED" each.
# arm64.sh guest FLAVOUR: what tests/vm/vm.sh boots a kernel of that flavour with (arm64, arm64-16k): the kernel, a root file
# system, and in build/FLAVOUR module, kselftests and links to the userspace build.
# arm64.sh root: prints the folder of that root file system.
#
# Cache, $NNACCEL_CACHE/arm64: apt (the state of a private apt; the machine's dpkg and apt do not change), sysroot-KEY
# (Debian 12's arm64 development packages, unpacked) and root-KEY (these, and the programs of a guest). The kernels are with
# kernel.sh's others.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"

store=$NN_CACHE/arm64
build=$NN_BUILD/arm64

# The development packages of bootstrap's build set, of arm64.
packages()
{
	echo libc6-dev:arm64
	"$NN_ROOT/scripts/bootstrap.sh" --names build | sed -n 's/-dev$/&:arm64/p'
}

# The programs that the guest's scripts run.
guest_packages()
{
	packages
	printf '%s:arm64\n' bash coreutils dash diffutils findutils gawk grep kmod mount procps python3 sed strace udev util-linux
}

# make_folder FOLDER PACKAGE...: with the packages unpacked, and all that they depend on. /usr is merged.
make_folder()
{
	local folder=$1 tmp deb dir link

	shift
	nn_apt_update || return
	tmp=$(mktemp -d "$store/.folder.XXXXXX")
	mkdir -p "$tmp/archives/partial" "$tmp/root"/{dev,etc,proc,root,run,sys,tmp,var,usr/{bin,lib,sbin}}
	for dir in bin lib sbin; do
		ln -s "usr/$dir" "$tmp/root/$dir"
	done
	nn_logged arm64-packages apt-get -qq -y --no-install-recommends --download-only \
		-o Dir::Cache::archives="$tmp/archives" install "$@" || { rm -rf "$tmp" && return 1; }
	for deb in "$tmp"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$tmp/root" --keep-directory-symlink || return
	done
	# The alternatives are made by scripts of packages, which do not run.
	[ ! -e "$tmp/root/usr/bin/gawk" ] || ln -s gawk "$tmp/root/usr/bin/awk"
	# Links to absolute paths lead out of the folder.
	find "$tmp/root" -type l -lname '/*' | while read -r link; do
		ln -srfn "$tmp/root$(readlink "$link")" "$link"
	done
	chmod 755 "$tmp/root"
	chmod 1777 "$tmp/root/tmp"
	mv "$tmp/root" "$folder"
	rm -rf "$tmp"
}

# folder NAME TEXT PACKAGE...: prints the folder with these packages, and makes it where it is missing.
folder()
{
	local dir text=$2

	dir=$store/$1-$(printf '%s\n' "${@:3}" | sha256sum | cut -c1-12)
	(
		nn_lock "$store/.lock"
		[ -d "$dir" ] && exit
		nn_say "arm64: fetching $text"
		make_folder "$dir" "${@:3}"
	) || return
	echo "$dir"
}

# The packages' names have no spaces.
# shellcheck disable=SC2046
sysroot()
{
	folder sysroot "the development packages (25 MB, once)" $(packages)
}

# shellcheck disable=SC2046
root()
{
	folder root "the guest's root file system (40 MB, once)" $(guest_packages)
}

userspace()
{
	local root=$1 folder=userspace options=() ccache

	# full runs nothing of it: without optimization it takes half of the time
	[ "${NN_SUITE:-}" != full ] || folder=compiled options=(-Doptimization=0 -Ddebug=false)
	mkdir -p "$build"
	ccache=$(nn_ccache)
	[ -z "$ccache" ] || ccache="'$ccache'"
	printf "[constants]\nroot = '%s'\nccache = [%s]\n" "$root" "$ccache" >"$build/root.ini.new"
	if ! cmp -s "$build/root.ini.new" "$build/root.ini"; then
		rm -rf "$build/userspace" "$build/compiled"
		mv "$build/root.ini.new" "$build/root.ini"
	fi
	if [ ! -f "$build/$folder/build.ninja" ]; then
		nn_logged meson-setup-arm64 meson setup -Dwerror=true "${options[@]}" \
			--cross-file "$build/root.ini" --cross-file "$NN_ROOT/scripts/arm64.ini" "$build/$folder" "$NN_ROOT" || return
	fi
	nn_logged ninja-arm64 ninja -k 0 -C "$build/$folder" all fuzzers
}

# module FLAVOUR: into build/FLAVOUR. Debian's arm64 kernels have no accel nodes (CONFIG_DRM_ACCEL): the driver makes render nodes.
module()
{
	local headers

	headers=$(NNACCEL_KERNEL_ARCH=$1 "$NN_ROOT/scripts/kernel.sh" headers) || without "$1 kernel headers" || return
	ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- KCFLAGS=-Werror NNACCEL_BUILD=$NN_BUILD/$1 KDIR=$headers \
		"$NN_ROOT/scripts/module.sh"
}

# guest FLAVOUR
guest()
{
	local folder=$NN_BUILD/$1 part sysroot
	# what runs is optimized, also in full
	local NN_SUITE=

	NNACCEL_KERNEL_ARCH=$1 "$NN_ROOT/scripts/kernel.sh" all || without "kernel $1" || return
	root >/dev/null || without "arm64 packages" || return
	sysroot=$(sysroot) || without "arm64 packages" || return
	userspace "$sysroot" && module "$1" || return
	NNACCEL_BUILD=$build "$NN_ROOT/scripts/kselftest.sh" ARCH=arm64 CC="aarch64-linux-gnu-gcc --sysroot=$sysroot" \
		PKG_CONFIG_LIBDIR="$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$sysroot" || return
	mkdir -p "$folder"
	for part in examples firmware lib tests tools; do
		ln -sfn "../arm64/userspace/$part" "$folder/$part"
	done
	[ "$folder" = "$build" ] || ln -sfn ../arm64/kselftest "$folder/kselftest"
}

# nnctl COMMAND FOLDER ISA [OPTION...]: prints "PASSED<tab>FAILED" from the last line of its output.
nnctl()
{
	local log=$NN_LOGS/arm64-$1-$3.log sum

	NNACCEL_ISA=$3 NNACCEL_CALIBRATION=off NNACCEL_FIRMWARE=$build/userspace/firmware/core/libnnaccel-fw.so \
		qemu-aarch64 -cpu max -L "$(sysroot)" "$build/userspace/tools/nnctl/nnctl" "$1" "$2" --device cpu \
		"${@:4}" >"$log" 2>&1 || echo "nnctl $1 under emulation: exit status $?" >>"$log"
	sum=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1\t\2/p' "$log")
	echo "${sum:-0	1}"
}

# The tests but ops_long, which looks at the time between two ticks.
run()
{
	local vectors=${1:-} log=$build/userspace/meson-logs/testlog.json isa folder tests sum

	# an emulator is slower than any machine
	mapfile -t tests < <(meson test -C "$build/userspace" --list 2>/dev/null | grep -oE 'ops_[a-z_0-9]+$' | grep -v ops_long_)
	rm -f "$log"
	meson test -C "$build/userspace" --no-rebuild --timeout-multiplier 20 "${tests[@]}" >"$NN_LOGS/arm64-tests.log" 2>&1 </dev/null || true
	sum=$(scripts/tally.py meson "$log") || sum="0 1 0"
	printf 'operations, qemu-user\tcases\t%s\n' "${sum// /$'\t'}"
	for isa in scalar neon dotprod i8mm; do
		[ -z "$vectors" ] || printf '%s, qemu-user\tvectors\t%s\n' "$isa" "$(nnctl verify "$vectors" "$isa" --jobs "$(nproc)")"
	done
	for folder in models ../shared/models; do
		[ ! -d "$folder" ] || printf 'i8mm, qemu-user\tmodels\t%s\n' "$(nnctl models-check "$folder" i8mm)"
	done
}

# without WHAT: it cannot be fetched. Without network this is not a failure of the project.
without()
{
	if nn_online; then
		! nn_fetch_failed arm64-packages || nn_infra_die "$1 cannot be fetched from $NN_MIRROR (${NN_LOGS#"$NN_ROOT"/}/arm64-packages.log)"
		nn_say "arm64: $1 cannot be fetched"
		return 1
	fi
	echo "skipped $(nn_offline), and the cache has no $1"
	exit 0
}

if [ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ]; then
	echo "skipped this is no amd64 Debian"
	exit 0
fi
command -v aarch64-linux-gnu-gcc >/dev/null || nn_die "no arm64 compiler: run scripts/bootstrap.sh cross"
[ $# -gt 0 ] || set -- userspace module
passed=0
failed=0
mkdir -p "$store" "$build" "$NN_LOGS"
nn_arm64_apt
if [ "$1" = run ]; then
	cd "$NN_ROOT"
	run "${2:-}"
	exit 0
fi
case $1 in
root)
	root
	exit
	;;
guest)
	guest "$2"
	exit
	;;
esac
for what in "$@"; do
	rc=0
	case $what in
	userspace)
		root=$(sysroot) || without "arm64 packages" || rc=1
		[ "$rc" -ne 0 ] || userspace "$root" || rc=1
		;;
	module)
		module arm64 || rc=1
		;;
	*) nn_die "unknown part '$what' (userspace, module)" ;;
	esac
	if [ "$rc" -eq 0 ]; then
		passed=$((passed + 1))
	else
		nn_say "FAILED arm64: $what"
		failed=$((failed + 1))
	fi
done
echo "$passed $failed"
