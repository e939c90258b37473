#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# install.sh install|uninstall: userspace and the units of systemd by meson, the udev rules, and the kernel module by DKMS
# where the running kernel supports it (6.12 or newer, headers installed). PREFIX defaults to /usr/local. Libraries are in
# PREFIX/lib; below /usr in the folder of the architecture, as Debian's. With a PREFIX other than /usr/local and /usr only
# userspace is installed, because udev and DKMS look in fixed places. DESTDIR stages everything; DKMS then gets only the source.
# TESTS=1 also installs the tests that "nnctl certify" runs. The installation fails when the installed nnctl does not run.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"

root=${DESTDIR:-}
prefix=${PREFIX:-/usr/local}
version=$(<VERSION)
source=$root/usr/src/nnaccel-$version
udev=$root/usr/lib/udev
sysusers=$root/usr/lib/sysusers.d/nnaccel-sensord.conf
manifest=$NN_BUILD/install.manifest
case $prefix in
/usr | /usr/local) system=1 ;;
*) system=0 ;;
esac
tests=false
[ -z "${TESTS:-}" ] || tests=true
libdir=lib
# Empty where the compiler knows no such folders, which is where the loader looks into no such folders.
[ "$prefix" != /usr ] || libdir=lib/$("${CC:-cc}" -print-multiarch 2>/dev/null) || :
libdir=${libdir%/}

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || nn_die "VERSION must be three numbers, not '$version'"
[[ $prefix == /* ]] || nn_die "PREFIX must be an absolute path, not '$prefix'"
[[ $root == "" || $root == /* ]] || nn_die "DESTDIR must be an absolute path, not '$root'"
if [ -z "$root" ] && [ "$system" = 1 ] && [ "$(id -u)" -ne 0 ]; then
	nn_die "run it as root, or with DESTDIR, or with a PREFIX of your own"
fi

# Some paths are compiled in: another prefix rebuilds a few files.
userspace()
{
	local now

	[ -f "$NN_BUILD/build.ninja" ] || nn_die "nothing is built in $NN_BUILD: run make first"
	now=$(python3 - "$NN_BUILD/meson-info/intro-buildoptions.json" <<-'END'
		import json, sys
		options = {o["name"]: o["value"] for o in json.load(open(sys.argv[1]))}
		print(options["prefix"], options["libdir"], str(options["installed_tests"]).lower())
	END
	)
	if [ "$now" != "$prefix $libdir $tests" ]; then
		nn_say "building for $prefix"
		nn_logged meson-configure meson configure "$NN_BUILD" "-Dprefix=$prefix" "-Dlibdir=$libdir" "-Dinstalled_tests=$tests"
		nn_logged ninja ninja -C "$NN_BUILD"
	fi
	nn_logged meson-install meson install -C "$NN_BUILD" --no-rebuild ${root:+--destdir "$root"}
	cp "$NN_BUILD/meson-logs/install-log.txt" "$manifest"
	scripts/docs.sh install "$root$prefix" >>"$manifest"
	[ "$tests" = false ] || kselftests
}

# Beside those of the HAL, where "nnctl certify" looks.
kselftests()
{
	local folder=$root$prefix/$libdir/nnaccel/tests/kselftest program left_out

	scripts/kselftest.sh
	left_out=$(sed -n 's/^BOOT_PROGS := //p' tests/kselftest/Makefile)
	mkdir -p "$folder"
	echo "$folder" >>"$manifest"
	for program in "$NN_BUILD"/kselftest/*; do
		[ -f "$program" ] && [ -x "$program" ] && [[ " $left_out " != *" ${program##*/} "* ]] || continue
		install -m 755 "$program" "$folder/"
		echo "$folder/${program##*/}" >>"$manifest"
	done
}

# Runs the installed nnctl as a user would; a staged one needs LD_LIBRARY_PATH.
works()
{
	local bin=$root$prefix/bin/nnctl environment=(-u LD_LIBRARY_PATH -u NNACCEL_FIRMWARE -u NNACCEL_IPC -u NNACCEL_WORKER)

	[ -z "$root" ] || environment=("LD_LIBRARY_PATH=$root$prefix/$libdir"
		"NNACCEL_FIRMWARE=$root$prefix/$libdir/nnaccel/libnnaccel-fw.so")
	env "${environment[@]}" "$bin" --version && env "${environment[@]}" "$bin" info --device cpu &&
		env "${environment[@]}" "$bin" info --device worker:cpu
}

udev_reload()
{
	[ -z "$root" ] || return 0
	# the socket's file stays when udevd ends
	udevadm control --ping --timeout=5 2>/dev/null || return 0
	udevadm control --reload && udevadm trigger --subsystem-match=accel --subsystem-match=iio
}

# Units of systemd: found from now on, or gone. Nothing is started.
systemd_reload()
{
	[ -z "$root" ] || return 0
	[ -d /run/systemd/system ] || return 0
	systemctl daemon-reload
}

# Prints why the module cannot be built for the running kernel; nothing when it can.
module_obstacle()
{
	local release major minor

	release=$(uname -r)
	IFS=.- read -r major minor _ <<<"$release"
	if [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 12 ]; }; then
		echo "the running kernel is $release, and the driver needs 6.12 or newer (Debian 12:" \
			"apt install linux-image-6.12-amd64 linux-headers-6.12-amd64 from the security suite)"
	elif [ ! -f "/lib/modules/$release/build/Makefile" ]; then
		echo "the headers of the running kernel $release are not installed"
	fi
}

case ${1:-} in
install)
	nn_say "userspace in $root$prefix"
	userspace
	[ -n "$root" ] || [ "$(id -u)" -ne 0 ] || ldconfig
	nn_logged install-works works || nn_die "installed in $root$prefix, but nnctl does not run from there"
	nn_say "$root$prefix/bin/nnctl runs: $(head -n 1 "$NN_LOGS/install-works.log")"
	if [ "$system" = 0 ]; then
		nn_say "with PREFIX=$prefix the udev rules and the module are left out: they belong to the system"
		exit 0
	fi
	nn_say "udev rules"
	mkdir -p "$udev/rules.d"
	install -m 644 -D debian/nnaccel-sensord.sysusers "$sysusers"
	[ -n "$root" ] || ! command -v systemd-sysusers >/dev/null || systemd-sysusers "$sysusers"
	install -m 755 kernel/udev/nnaccel-sensor-access "$udev/"
	install -m 644 kernel/udev/*.rules "$udev/rules.d/"
	# systemd first: the rule starts a unit
	systemd_reload
	udev_reload
	nn_say "module source in $source"
	scripts/dkms-source.sh "$source"
	if [ -n "$root" ]; then
		exit 0
	fi
	obstacle=$(module_obstacle)
	if [ -n "$obstacle" ]; then
		nn_say "the module is not built: $obstacle. Everything else is installed. To build it later: dkms" \
			"install nnaccel/$version"
		exit 0
	fi
	command -v dkms >/dev/null || nn_die "dkms is missing (apt install dkms), then run this again"
	nn_say "module by DKMS"
	dkms status -m nnaccel -v "$version" | grep -q . || nn_logged dkms-add dkms add "nnaccel/$version"
	nn_logged dkms-install dkms install --force "nnaccel/$version"
	nn_say "installed; 'modprobe nnaccel' loads it, and so does a card on the bus"
	;;
uninstall)
	if [ -z "$root" ] && [ "$system" = 1 ] && command -v dkms >/dev/null && dkms status -m nnaccel -v "$version" | grep -q .; then
		nn_logged dkms-remove dkms remove "nnaccel/$version" --all
	fi
	if [ "$system" = 1 ]; then
		rm -rf "$source"
		rm -f "$sysusers" "$udev/nnaccel-sensor-access"
		for rule in kernel/udev/*.rules; do
			rm -f "$udev/rules.d/${rule##*/}"
		done
		udev_reload
	fi
	# From meson's own list, which includes DESTDIR; then empty folders, deepest first.
	if [ -f "$manifest" ]; then
		grep -v '^#' "$manifest" | sort -r | while read -r path; do
			if [ -d "$path" ] && [ ! -L "$path" ]; then
				rmdir --ignore-fail-on-non-empty "$path"
			else
				rm -f "$path"
			fi
		done
		rm -f "$manifest"
	fi
	[ "$system" = 0 ] || systemd_reload
	[ -n "$root" ] || [ "$(id -u)" -ne 0 ] || ldconfig
	nn_say "uninstalled"
	;;
*) nn_die "install or uninstall" ;;
esac
