#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# lab.sh stage FOLDER | image FOLDER ROOT | check
#
#   stage   nnaccel-lab as a folder that runs wherever it is copied: its scripts, kernel with modules and initramfs, the driver, the
#           card's programs, an installation of userspace. Needs the build of userspace and module. Replaces what it staged before.
#   image   the root file system of packaging/lab/Containerfile in ROOT, from such a folder, without docker: a Debian 12 by debootstrap
#           stands for the image that FROM names. Prints its size, compressed as images are
#   check   both, and a run in that system; lines "ROUTE<tab>WHAT<tab>PASSED<tab>FAILED" for check.sh, or "skipped REASON"
#
# Cache, $NNACCEL_CACHE/lab: as of base-system.sh, but without its packages. Exit status 3: the mirror answers, and then fails.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"
# shellcheck source=scripts/enter.sh
. "$(dirname "$0")/enter.sh"
# shellcheck source=scripts/base-system.sh
. "$(dirname "$0")/base-system.sh"
# shellcheck source=tests/vm/parts.sh
. "$NN_ROOT/tests/vm/parts.sh"
cd "$NN_ROOT"

NN_BASE_STORE=$NN_CACHE/lab
NN_BASE=$NN_BASE_STORE/base.tar.zst
NN_BASE_PACKAGES=
[[ ${NN_MIRROR:-} != https:* ]] || NN_BASE_PACKAGES=ca-certificates
work=$NN_BUILD/lab
most=$((200 * 1000 * 1000))

# What a run needs of the source tree
files=(
	VERSION LICENSES
	scripts/lib.sh scripts/nnaccel-lab scripts/check/limit.py
	tests/vm/vm.sh tests/vm/machine.sh tests/vm/parts.sh tests/vm/accel.sh tests/vm/logscan.sh
	tests/vm/guest-init.sh tests/vm/guest-lib.sh tests/vm/lab.sh
)

# userspace FOLDER: the installation: bin, sbin, lib, python. It finds its parts by its own place, so no path is compiled in.
userspace()
{
	local usr=$1 dest prefix libdir

	dest=$(mktemp -d "$work/.install.XXXXXX")
	read -r prefix libdir < <(python3 - "$NN_BUILD/meson-info/intro-buildoptions.json" <<-'END'
		import json, sys
		options = {o["name"]: o["value"] for o in json.load(open(sys.argv[1]))}
		print(options["prefix"], options["libdir"])
	END
	)
	nn_logged lab-install meson install -C "$NN_BUILD" --no-rebuild --strip --destdir "$dest"
	mkdir -p "$usr/lib"
	cp -a "$dest$prefix/bin" "$dest$prefix/sbin" "$usr/"
	cp -a "$dest$prefix/$libdir"/lib*.so* "$dest$prefix/$libdir"/nn{hal,accel} "$usr/lib/"
	mkdir -p "$usr/python"
	cp -rL "$NN_BUILD/python/nnaccel" "$usr/python/"
	rm -rf "$dest" "$usr/python/nnaccel/__pycache__"
}

# boot FOLDER: the kernel, its modules and the driver, without what only this project's tests load
boot()
{
	local release stock

	release=$(scripts/kernel.sh release)
	stock=$(part modules)
	mkdir -p "$1/lib/modules"
	cp "$(part vmlinux)" "$1/vmlinux"
	cp "$(part initrd)" "$1/initrd.cpio"
	cp -r "$stock" "$1/lib/modules/$release"
	rm -f "$1/lib/modules/$release"/updates/nnaccel_vm*.ko
	strip --strip-debug "$1/lib/modules/$release"/updates/*.ko
	depmod -b "$1" "$release"
}

sources()
{
	local kernel

	# The kernel's folder in the cache has its release and version.
	kernel=$(part vmlinux)
	kernel=${kernel%/image/vmlinux}
	kernel=${kernel##*/}
	cat <<-END
		What is in this folder, and where its source is:

		boot/vmlinux, boot/lib/modules, boot/initrd.cpio: Linux (GPL-2.0) and busybox (GPL-2.0) of Debian 12, unchanged:
		    linux-image-${kernel%%_*} ${kernel#*_}
		    busybox-static $(sed -n 's/^busybox-static \([^ ]*\) .*/\1/p' scripts/kernel.pin)$(scripts/kernel.sh note | sed 's/^/; /')
		    source: "apt-get source PACKAGE=VERSION" with Debian's archive, or https://snapshot.debian.org
		boot/lib/modules/*/updates, scripts, tests, usr: nnaccel $(<VERSION), commit $(git rev-parse HEAD 2>/dev/null || echo unknown); LICENSES
	END
}

stage()
{
	local out=$1 new

	[ -x "$NN_BUILD/tools/nnctl/nnctl" ] && [ -e "$NN_BUILD/module/nnaccel.ko" ] || nn_die "userspace or module is not built: make userspace module"
	# Never replace a folder that is none of ours.
	if [ -e "$out" ] && [ -n "$(ls -A "$out")" ] && [ ! -e "$out/boot/vmlinux" ]; then
		nn_die "$out is neither empty nor a folder of lab.sh: name another one (OUT=FOLDER)"
	fi
	mkdir -p "$work" "$(dirname "$out")"
	new=$(mktemp -d "$(dirname "$out")/.nnaccel-lab.XXXXXX")
	chmod 755 "$new"
	cp -r --parents -t "$new" "${files[@]}"
	mkdir -p "$new/bin"
	ln -s ../scripts/nnaccel-lab "$new/bin/nnaccel-lab"
	cp packaging/lab/packages packaging/lab/Containerfile "$new/"
	userspace "$new/usr"
	boot "$new/boot"
	sources >"$new/SOURCES"
	rm -rf "$out"
	mv "$new" "$out"
	nn_say "staged: $out, $(du -sm "$out" | cut -f 1) MB; $out/bin/nnaccel-lab run -- COMMAND"
}

# image FOLDER ROOT: what the Containerfile does, an instruction after the other
image()
{
	local folder=$1 root=$2 word rest path='' size

	nn_proxy
	nn_base_prepare
	while read -r word rest; do
		case $word in
		'' | '#'*) ;;
		FROM)
			[ "$rest" = debian:12-slim ] || nn_die "Containerfile: FROM $rest is not the system that lab.sh can make"
			nn_base_unpack "$root"
			;;
		COPY)
			mkdir -p "$root${rest#* }"
			cp -a "$folder/${rest%% *}" "$root${rest#* }"
			;;
		RUN)
			nn_logged lab-image nn_base_inside "$root" "$rest" || {
				! nn_fetch_failed lab-image || nn_infra_die "packages cannot be fetched (${NN_LOGS#"$NN_ROOT"/}/lab-image.log)"
				return 1
			}
			nn_base_keep "$root"
			;;
		ENV)
			[[ $rest == PATH=* ]] || nn_die "Containerfile: lab.sh knows ENV PATH only, not $rest"
			path=$rest
			;;
		WORKDIR) mkdir -p "$root$rest" ;;
		*) nn_die "Containerfile: lab.sh knows no $word" ;;
		esac
	# A line goes on after a backslash.
	done < <(sed -e ':next' -e '/\\$/{N;s/\\\n//;b next}' "$folder/Containerfile")
	echo "$path" >"$root.path"
	# debian:12-slim keeps no packages.
	size=$(tar -C "$root" --exclude='./dev/*' --exclude='./var/cache/apt/archives/*' -cf - . | gzip -6 | wc -c)
	echo "$size" >"$root.size"
	nn_say "image: $(((size + 999999) / 1000000)) MB compressed, of which the folder is $(tar -C "$folder" -cf - . | gzip -6 | wc -c |
		awk '{ print int(($1 + 999999) / 1000000) }') MB"
}

passed=0 failed=0

# expect NAME COMMAND...: counts it
expect()
{
	local name=$1

	shift
	if nn_logged "lab-$name" "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		nn_say "FAILED lab: $name (${NN_LOGS#"$NN_ROOT"/}/lab-$name.log)"
	fi
}

# inside COMMAND: in the system, as a container runs it
inside()
{
	nn_base_inside "$root" "cd /work && { $1; }" "$(<"$root.path")"
}

small()
{
	[ "$(<"$root.size")" -le "$most" ]
}

check()
{
	local why rc=0 root=$work/root

	why=$(nn_base_obstacle "$work/trial")
	# the packages of the image come from it each time
	[ -n "$why" ] || nn_online || why=$(nn_offline)
	[ -z "$why" ] || { echo "skipped $why" && return; }
	mkdir -p "$work" "$NN_LOGS"
	nn_lock "$work/.lock"
	stage "$work/folder" && image "$work/folder" "$root" || rc=$?
	[ "$rc" -ne 3 ] || exit 3
	[ "$rc" -eq 0 ] || { printf 'image\tbuilds\t0\t1\n' && return; }
	expect size small
	# shellcheck disable=SC2016 # for the shell inside
	expect libraries inside 'all=$(find /opt/nnaccel-lab/usr -type f \( -name "*.so*" -o -perm -1 \)) && [ -n "$all" ] &&
		! LD_LIBRARY_PATH=/opt/nnaccel-lab/usr/lib ldd $all 2>&1 | grep "not found"'
	expect validate inside 'nnaccel-lab run -- nnctl validate --device accel0 | tee out && grep "^2 passed, 0 failed" out'
	# shellcheck disable=SC2016
	expect status inside 'rc=0; nnaccel-lab run --cards 0 -- bash -c "exit 9" || rc=$?; [ "$rc" = 9 ]'
	# shellcheck disable=SC2016
	# A runner of CI: no name, no home, the folder its own
	expect user inside 'mkdir -p own && chown 1234 own && cd own && setpriv --reuid 1234 --regid 1234 --clear-groups env -u HOME -u USER \
		nnaccel-lab run -- bash -c "id -u >made && nnaccel-lab fault die-at-job=1 && nnctl validate --device accel0" &&
		[ "$(cat made) $(stat -c %u made)" = "1234 1234" ]'
	[ "$failed" -gt 0 ] || rm -rf "$root"
	printf 'image\tcases\t%s\t%s\n' "$passed" "$failed"
}

case ${1:-} in
stage) stage "${2:?stage FOLDER}" ;;
image)
	mkdir -p "$NN_LOGS"
	image "${2:?image FOLDER ROOT}" "${3:?image FOLDER ROOT}"
	;;
check) check ;;
*) nn_die "stage FOLDER, image FOLDER ROOT or check" ;;
esac
