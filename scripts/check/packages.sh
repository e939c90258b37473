#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# packages.sh FOLDER: installs the Debian packages of a folder in an empty Debian 12, uses them as a user does, boots its systemd in a
# VM with the card, removes and purges them; then piuparts. First without headers of any kernel; then nnaccel-dkms with headers that are too old, that fit, and that are damaged.
#
# Prints a line for each step, and last "N passed, N failed". scripts/deb.sh calls it; it needs what that needs.
# shellcheck disable=SC2016 # for the shell inside
set -euo pipefail
here=$(dirname "$0")/..
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"
# shellcheck source=scripts/apt.sh
. "$here/apt.sh"
# shellcheck source=scripts/enter.sh
. "$here/enter.sh"
# shellcheck source=scripts/base-system.sh
. "$here/base-system.sh"

folder=${1:?the folder with the packages is missing}
root=$NN_BUILD/deb-work/root
logs=$NN_BUILD/deb-work/logs
passed=0 failed=0
mapfile -t debs < <(find "$folder" -name '*.deb' ! -name '*-dbgsym_*' -printf '%f\n' | sort)
[ "${#debs[@]}" -gt 0 ] || nn_die "there are no packages in $folder: scripts/deb.sh build makes them"
ours=()
for deb in "${debs[@]}"; do
	ours+=("${deb%%_*}")
done

# expect NAME COMMAND: a step inside
expect()
{
	local rc=0

	nn_base_inside "$root" "set -e; export DEBIAN_FRONTEND=noninteractive
		apt='apt-get -qy --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root'; $2" "OURS=${ours[*]}" \
		>"$logs/$1.log" 2>&1 || rc=$?
	if [ "$rc" -eq 0 ]; then
		passed=$((passed + 1))
		echo "$1: passed"
	else
		failed=$((failed + 1))
		echo "$1: FAILED ($logs/$1.log)"
		tail -n 15 "$logs/$1.log" >&2
	fi
}

# printed NAME REGEX: a step printed a message
printed()
{
	if grep -qE -- "$2" "$logs/$1.log"; then
		passed=$((passed + 1))
		echo "$1 prints \"$2\": passed"
	else
		failed=$((failed + 1))
		echo "$1 prints \"$2\": FAILED ($logs/$1.log)"
	fi
}

# What the packages depend on, without themselves
dependencies()
{
	local deb

	for deb in "${debs[@]}"; do
		dpkg-deb -f "$folder/$deb" Pre-Depends Depends | sed 's/^[A-Za-z-]*: //' | tr ',' '\n'
	done | sed 's/^ *//; s/ *$//' | grep -vE "^($(IFS='|'; echo "${ours[*]}"))( |:|$)" | grep . | sort -u | paste -sd,
}

# All files, but for what programs of others write: logs, apt, dpkg, caches; and the signing key that DKMS makes
snapshot()
{
	find "$root" -mindepth 1 \( -path "$root/root" -o -path "$root/tmp" -o -path "$root/run" -o -path "$root/var/log" \
		-o -path "$root/var/cache/apt" -o -path "$root/var/lib/apt" -o -path "$root/var/lib/dpkg" -o -path "$root/var/cache/debconf" \
		-o -path "$root/var/cache/ldconfig" -o -path "$root/dev" -o -path "$root/proc" -o -path "$root/sys" \) -prune \
		-o ! -path "$root/etc/ld.so.cache" ! -path "$root/var/lib/dkms/mok.*" ! -path "$root/usr/share/*/__pycache__*" \
		-printf '%P %y %m %u:%g %l\n' | sort
}

# unchanged NAME: nothing is left of the packages
unchanged()
{
	snapshot >"$logs/after.txt"
	if diff "$logs/before.txt" "$logs/after.txt" >"$logs/$1.diff"; then
		passed=$((passed + 1))
		echo "$1: passed"
	else
		failed=$((failed + 1))
		echo "$1: FAILED ($logs/$1.diff)"
		head -n 15 "$logs/$1.diff" >&2
	fi
}

configured="dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\n' \$OURS | awk '\$2 != \"ii\" { print; bad = 1 } END { exit bad }'"

# A test of debian/tests, as autopkgtest runs it
autopkgtest()
{
	expect "autopkgtest-$1" "cd /root/nnaccel; export AUTOPKGTEST_TMP=\$(mktemp -d); debian/tests/$1"
}

# The installed units under a running systemd, in a VM with the card: each result of tests/vm/systemd.sh counts.
units_run()
{
	local log=$logs/systemd.log ok bad rc=0

	{ "$here/userspace.sh" && "$here/module.sh" &&
		"$here/../tests/vm/vm.sh" --out "$NN_BUILD/vm/systemd" --mem 2G --timeout 900 -- bash tests/vm/systemd.sh "$root"; } >"$log" 2>&1 || rc=$?
	cat "$NN_BUILD/vm/systemd/output.log" >>"$log" 2>/dev/null || :
	ok=$(grep -c '^ok ' "$log") || :
	bad=$(grep -c '^not ok ' "$log") || :
	# It ended without a result that says why.
	[ "$rc" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + ok)) failed=$((failed + bad))
	echo "units under systemd: $ok passed, $bad failed ($log)"
	[ "$bad" -eq 0 ] || grep -A 15 '^not ok ' "$log" >&2 || tail -n 15 "$log" >&2
}

packages()
{
	snapshot >"$logs/before.txt"
	expect install "\$apt install /root/debs/*.deb; $configured"
	printed install "nnaccel-dkms: .*(headers of|is too old)"
	for test in example nnctl python delegate; do
		autopkgtest "$test"
	done
	expect units 'for socket in nnaccel-hald nnaccel-sensord; do
			[ "$(systemctl --root=/ is-enabled $socket.socket)" = enabled ]
		done
		systemd-analyze verify --man=no nnaccel-hald.socket nnaccel-sensord.socket nnaccel-calibrate@accel0.service 2>&1 |
			tee /dev/stderr | (! grep nnaccel)
		getent group render'
	expect service 'nnaccel-hald --listen /run/h.sock --sandbox default & trap "kill $!" EXIT
		until [ -S /run/h.sock ]; do kill -0 $!; sleep 0.1; done
		NNACCEL_SERVICE=/run/h.sock nnctl validate --device service:cpu'
	expect sensors 'nnaccel-sensord --listen /run/s.sock --virtual /root/nnaccel/examples/motion.conf --no-iio & trap "kill $!" EXIT
		until [ -S /run/s.sock ]; do kill -0 $!; sleep 0.1; done
		NNSENSORS_SOCKET=/run/s.sock nnctl sensors list | grep -i accelerometer'
	expect manual 'man=/usr/share/man; cd $man; ls man1/nnctl.1.gz man3/nnhal.3.gz man4/nnaccel.4.gz man5/nnapi.conf.5.gz \
			man7/nnaccel.7.gz man8/nnaccel-hald.8.gz man8/nnaccel-worker.8.gz'
	expect calibration 'mkdir -p /var/cache/nnaccel; NNACCEL_THREADS=2 nnctl calibrate --device cpu; ls /var/cache/nnaccel/calibration-*'
	expect reinstall "\$apt install --reinstall /root/debs/*.deb; $configured; ls /var/cache/nnaccel/calibration-*; nnctl validate --device cpu"
	# The same packages with an earlier version come first: what the scripts of both do, and that nothing gets lost.
	expect downgrade "mkdir -p /root/earlier; for deb in /root/debs/*.deb; do
			version=\$(dpkg-deb -f \$deb Version); rm -rf /root/unpacked
			earlier=\${version%%~*}~1
			dpkg-deb -R \$deb /root/unpacked; sed -i \"s/\$version/\$earlier/g\" /root/unpacked/DEBIAN/control
			dpkg-deb -Znone -b /root/unpacked /root/earlier/
		done
		\$apt install --allow-downgrades /root/earlier/*.deb; nnctl validate --device cpu"
	expect upgrade "\$apt install /root/debs/*.deb; $configured; ls /var/cache/nnaccel/calibration-*; nnctl validate --device cpu
		! dpkg-query -W -f '\${Version}\n' \$OURS | grep '~1\$'"
	units_run
	expect remove '$apt remove $OURS
		! command -v nnctl && ! ldconfig -p | grep neuralnetworks && ls /var/cache/nnaccel/calibration-*'
	expect purge 'dpkg --purge $OURS'
	unchanged "nothing-left"
}

dkms()
{
	local deb

	deb=$(printf '%s\n' "${debs[@]}" | grep '^nnaccel-dkms_')
	ours=(nnaccel-dkms)
	expect old-headers '$apt install linux-headers-amd64'
	expect dkms-old-kernel "\$apt install /root/debs/$deb; $configured && ! find /lib/modules -name 'nnaccel.ko*' | grep ."
	# the headers bring the kernel, which does not start here: no initramfs
	expect dkms-build "mkdir -p /etc/initramfs-tools; echo update_initramfs=no >/etc/initramfs-tools/update-initramfs.conf
		\$apt -o Dpkg::Options::=--force-confold install linux-headers-6.12-amd64; dpkg-reconfigure nnaccel-dkms; $configured"
	printed dkms-build "nnaccel-dkms: the module is built for 6\.12"
	# the alias by which a software centre finds the package is that of the module
	expect modalias 'module=$(find /lib/modules/6.12* -name "nnaccel.ko*"); [ -f "$module" ]
		alias=$(modinfo -F alias "$module"); grep -F "<modalias>$alias</modalias>" /usr/share/metainfo/*nnaccel*'
	expect dkms-damaged "dkms remove nnaccel/\$(ls /var/lib/dkms/nnaccel | grep -v kernel) --all
		mv /usr/lib/linux-kbuild-6.12*/scripts/Makefile.build /root/
		dpkg-reconfigure nnaccel-dkms; $configured"
	printed dkms-damaged "nnaccel-dkms: the module does not build for 6\.12.*make\.log"
	expect dkms-repaired "mv /root/Makefile.build /usr/lib/linux-kbuild-6.12*/scripts/
		dkms install nnaccel/\$(ls /usr/src | sed -n 's/^nnaccel-//p') -k \$(ls /lib/modules | grep '^6\.12')"
	expect dkms-purge '$apt purge nnaccel-dkms; ! find /lib/modules /usr/src /var/lib/dkms -name "*nnaccel*" | grep .'
}

# Debian's own test of packages: installs, removes and purges them in a system of its own, and looks for files that are left, broken
# links and files of two packages. Ignored: folders that systemd makes when it is installed, and leaves.
piuparts()
{
	local ignored='^/(root/[.]ssh|var/(cache|lib|log)/private|var/lib/systemd/(coredump|pstore))'

	nn_base_unpack "$root/root/base"
	expect piuparts "\$apt install piuparts
		piuparts --existing-chroot=/root/base '--mirror=$NN_MIRROR main' --distribution=$NN_BASE_SUITE --no-eatmydata \
			--skip-logrotatefiles-test '--ignore-regex=$ignored' /root/debs/*.deb"
	rm -rf "$root/root/base"
}

mkdir -p "$logs"
nn_say "deb: an empty system to install them in"
nn_base_unpack "$root"
nn_base_clone "$root/root/nnaccel"
mkdir -p "$root/root/debs"
for deb in "${debs[@]}"; do
	cp "$folder/$deb" "$root/root/debs/"
done
expect dependencies "apt-get -q update; \$apt satisfy '$(dependencies)'; \$apt install pkg-config libc6-dev udev dbus systemd-sysv"
if [ "$failed" -eq 0 ]; then
	packages
	piuparts
	dkms
	nn_base_keep "$root"
elif grep -qE "$nn_fetch_errors" "$logs/dependencies.log"; then
	nn_infra_die "packages cannot be fetched ($logs/dependencies.log)"
fi
[ "$failed" -gt 0 ] || rm -rf "$root"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
