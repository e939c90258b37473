#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# targets-check.sh: calls every target of the Makefile once, long ones in a cheap variant. Prints TAP. A target that is
# neither called nor excluded with a reason fails, and so does one that the documentation names and the Makefile lacks.
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT" || exit 1

logs=$NN_LOGS/targets
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$logs"
count=0
# Variables of make check-full, which calls this script.
unset MAKEFLAGS MAKELEVEL MFLAGS GROUPS BOOTS SUITE NN_MAKE_PID NN_BOOTS NN_SUITE NN_CHECK_NOTES

declare -A excluded=(
	[check]="a part of the suite that calls this; how it ends is tested below, and fresh.sh calls it"
	[check-full]="it calls this"
	[check-long]="it calls this; hours"
	[check-debug]="builds a kernel: twelve minutes and 3 GB"
	[check-backends]="make check-full has its two groups"
	[check-arm64]="make check-long has its groups"
	[check-kunit]="make check-full has it as a group"
	[lint]="make check-full has it as a group"
	[docs]="make check-full has it as a group"
	[check-doors]="make check-long has it as a group"
	[deb]="make check-long has it as a group"
)
declare -A called=()
printed=/dev/null # by the last target

# expect TITLE COMMAND...
expect()
{
	local title=$1 log rc=0

	shift
	count=$((count + 1))
	log=$logs/$count.log
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	if [ "$rc" -eq 0 ]; then
		echo "ok $count $title"
	else
		echo "not ok $count $title"
		tail -n 5 "$log" | sed 's/^/# /'
	fi
}

# target NAME [MAKE ARGUMENT...]: make NAME succeeds
target()
{
	called[$1]=1
	expect "make $*" make "$@"
	printed=$logs/$count.log
}

# output PATTERN: the last target printed a line that matches
output()
{
	expect "  it says '$1'" grep -qE -- "$1" "$printed"
}

# sum PATTERN MAKE_ARGUMENT...: make fails, and its last line is a sum that matches
sum()
{
	local wanted=$1 rc=0 last

	shift
	make "$@" >"$tmp/sum" 2>&1 </dev/null || rc=$?
	# check.sh prints the last line after make has ended.
	for _ in {1..50}; do
		last=$(tail -n 1 "$tmp/sum")
		[[ $last == *" failed" ]] && break
		sleep 0.1
	done
	[ "$rc" -ne 0 ] && [[ $last =~ ^$wanted$ ]] && return
	echo "exit $rc, last line: $last"
	return 1
}

all_targets()
{
	sed -n 's/^\.PHONY: //p' Makefile | tr ' ' '\n'
}

staged()
{
	local dir=$tmp/stage

	[ -x "$dir/usr/local/bin/nnctl" ] && [ -s "$dir/usr/local/share/man/man1/nnctl.1" ] &&
		[ -e "$dir/usr/local/lib/libneuralnetworks.so" ] && [ -e "$dir/usr/local/lib/nnhal/libnnhal-nnaccel.so" ] &&
		[ -e "$dir/usr/local/lib/libnnipc.so.1" ] && [ -e "$dir/usr/local/lib/libnnsensors.so.1" ] && [ -x "$dir/usr/local/lib/nnaccel/nnaccel-worker" ] &&
		[ -x "$dir/usr/local/sbin/nnaccel-hald" ] && compgen -G "$dir/usr/local/lib/nnaccel/profiles/*.conf" &&
		[ -s "$dir/usr/local/lib/systemd/system/nnaccel-hald.socket" ] &&
		[ -s "$dir/usr/local/lib/systemd/system/nnaccel-hald.service" ] &&
		[ -x "$dir/usr/local/sbin/nnaccel-sensord" ] && [ -s "$dir/usr/local/share/nnaccel/sensord.conf" ] &&
		[ -s "$dir/usr/local/lib/systemd/system/nnaccel-sensord.socket" ] &&
		[ -s "$dir/usr/local/lib/systemd/system/nnaccel-sensord.service" ] &&
		[ -e "$dir/usr/local/lib/libnnaccel_model.so.0" ] && [ -s "$dir/usr/local/include/nnaccel_model.h" ] &&
		compgen -G "$dir/usr/local/lib/python3*/*/nnaccel/__init__.py" &&
		compgen -G "$dir/usr/lib/udev/rules.d/*.rules" && compgen -G "$dir/usr/src/nnaccel-*/dkms.conf" &&
		compgen -G "$dir/usr/src/nnaccel-*/Kbuild"
}

echo "TAP version 13"
target help
target all
target bootstrap
target userspace
target module
kbuild_alone()
{
	local kdir

	kdir=$(scripts/kernel.sh headers) || return
	mkdir -p "$tmp/tree"
	git ls-files -z -co --exclude-standard Kbuild Makefile kernel uapi | xargs -0 cp --parents -t "$tmp/tree" || return
	find "$tmp/tree" -type f | sort >"$tmp/before"
	make -C "$kdir" M="$tmp/tree" && [ -s "$tmp/tree/kernel/nnaccel/nnaccel.ko" ] &&
		make -C "$kdir" M="$tmp/tree" clean && find "$tmp/tree" -type f | sort | diff "$tmp/before" -
}
expect "kbuild alone builds the module from the root, and cleans up" kbuild_alone
target kselftest
target quick
output ' 0 failed'
target run
output 'star'
target run-sensors
output 'still [1-9][0-9]* walk'
output 'shake [1-9][0-9]* fall'
output ' 0 bytes copied'
target models-check MODELS=models DEVICE=cpu
output '^3 passed, 0 failed$'
vectors=$(scripts/vectors.sh)
if [ -n "$vectors" ]; then
	target conformance DEVICE=cpu
	output ' 0 failed$'
else
	excluded[conformance]="NNAPI's examples are not beside the project"
fi
target shell 'COMMAND=nnctl info && echo "it'\''s here"'
output 'accel0'
expect "  COMMAND may contain a quote" grep -q "it's here" "$printed"
target lab OUT="$tmp/lab"
# shellcheck disable=SC2016 # for the shell inside
expect "  and runs where it is" bash -c 'cd "$1" && bin/nnaccel-lab run -- nnctl validate --device accel0' - "$tmp/lab"
target bench BENCH=burst
# The other peers need a Debian of their own: 300 MB, once.
target bench-peers PEERS=nnhal\ nnaccel ROUNDS=2 MODELS=models
output '^geometric mean of the ratios, float: '
target bench-networks NETWORKS=mobilenet_v2_int8 PEERS=nnaccel ROUNDS=1
output '^mobilenet_v2_int8 '
target bench-layers PEERS=nnhal ROUNDS=1
output '^transpose_conv_4x4_256_128_16  *[0-9]'
# The whole of a kernel's source is 150 MB to fetch, once.
if [ -z "$(scripts/kernel.sh obstacle tree)" ]; then
	target kernel-series OUT="$tmp/series"
	output '0009-.*\.patch$'
else
	excluded[kernel-series]="no kernel source here, and no network"
fi
target install PREFIX=/usr DESTDIR="$tmp/usr"
expect "  below /usr the libraries are in the folder of the architecture" \
	test -e "$tmp/usr/usr/lib/$(gcc -print-multiarch)/nnhal/libnnhal-nnaccel.so"
target install DESTDIR="$tmp/stage"
expect "  the staged installation is complete" staged
target uninstall DESTDIR="$tmp/stage"
expect "  uninstall removes every file" test -z "$(find "$tmp/stage" -type f)"
mkdir -p "$tmp/build" "$tmp/cache"
target clean NNACCEL_BUILD="$tmp/build"
expect "  the build folder is gone" test ! -e "$tmp/build"
target distclean NNACCEL_BUILD="$tmp/build" NNACCEL_CACHE="$tmp/cache"
expect "  the cache is gone" test ! -e "$tmp/cache"

# The last line is the sum, however make ends.
expect "a group that does not exist: the last line is the sum" sum "0 passed, 1 failed" \
	check GROUPS=nosuch NNACCEL_BUILD="$tmp/b1"
expect "userspace that cannot be built: the last line is the sum" env NNACCEL_MESON_OPTIONS=-Dnosuch=1 \
	bash -c "$(declare -f sum); tmp=$tmp; "'sum "$@"' - "0 passed, [2-9] failed" check GROUPS=unit NNACCEL_BUILD="$tmp/b2"
expect "packages that cannot be had: the last line is the sum" env PATH="$tmp/bin:$PATH" \
	bash -c "mkdir -p $tmp/bin; printf '#!/bin/sh\nexit 1\n' >$tmp/bin/dpkg-query; cp $tmp/bin/dpkg-query $tmp/bin/apt-get
		chmod +x $tmp/bin/*; $(declare -f sum); tmp=$tmp; "'sum "$@"' - "0 passed, 1 failed" \
	check GROUPS=unit NNACCEL_BUILD="$tmp/b3"

without_tests()
{
	meson setup -Dtests=false "$tmp/b4" && ! grep -q cmocka "$tmp/b4/build.ninja"
}
expect "a build without tests does not ask for cmocka" without_tests
# A variable of a test would have a shipped worker do what the test wants.
passes_no_test_variables()
{
	local object=lib/libnnipc/launch/libnnipc_launch.a.p/worker_launch.c.o

	ninja -C "$tmp/b4" "$object" && grep -q NNACCEL_FIRMWARE "$tmp/b4/$object" &&
		! grep -qE 'NNHAL_TEST_|NNACCEL_WORKER_FAULT' "$tmp/b4/$object"
}
expect "a build without tests passes no variables of tests on to workers" passes_no_test_variables

for name in $(all_targets); do
	[ -n "${called[$name]:-}" ] || expect "make $name is called here, or excluded: ${excluded[$name]:-no reason}" \
		test -n "${excluded[$name]:-}"
done
# Only text that is marked as code counts.
while read -r name; do
	expect "make $name, which the documentation names, exists" grep -qE "^$name:" Makefile
done < <(grep -ohE '(^    (sudo )?|`)make [a-z][a-z0-9-]+' README.md CONTRIBUTING.md Documentation/*.rst | sed 's/.*make //' | sort -u)
echo "1..$count"
