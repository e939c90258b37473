#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# fresh.sh prepare | run [MAKE ARGUMENT...]
#
# Tests a machine without any of our packages: an empty Debian 12 by debootstrap with git, gcc and make. HEAD is cloned into
# it; `make check` and then `make install` run there. run prints lines "ROUTE<tab>WHAT<tab>PASSED<tab>FAILED" for check.sh,
# or "skipped REASON" where such a system cannot be made (no root, no mount namespaces, no debootstrap, or no network and
# nothing cached). prepare fetches what run needs. Exit status 3: the mirror answers, and then fails.
#
# Cache, $NNACCEL_CACHE/fresh: that of base-system.sh, and nnaccel (the cache in the system, with its kernel).
# Mirror, security archive and key are those of apt's sources on this machine (apt.sh); NNACCEL_MIRROR names another mirror.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"
# shellcheck source=scripts/enter.sh
. "$(dirname "$0")/enter.sh"
# shellcheck source=scripts/base-system.sh
. "$(dirname "$0")/base-system.sh"

store=$NN_BASE_STORE
work=$NN_BUILD/fresh
root=$work/root

skip()
{
	echo "skipped $*"
	exit 0
}

nn_proxy

# The system below $root, with the project in it.
unpack()
{
	nn_base_unpack "$root"
	[ -z "$(git -C "$NN_ROOT" status --porcelain -uno)" ] ||
		nn_say "fresh: the tree has changes that are not committed; what is tested is HEAD"
	nn_base_clone "$root/root/nnaccel"
}

# inside COMMAND: in the system, with its own cache
inside()
{
	local keep=() name

	for name in CI NN_STRESS; do
		[ -z "${!name:-}" ] || keep+=("$name=${!name}")
	done
	mkdir -p "$store/nnaccel" "$root/root/.cache/nnaccel"
	NN_BASE_BIND=$store/nnaccel:/root/.cache/nnaccel nn_base_inside "$root" "$1" "${keep[@]}"
}

passed=0
failed=0

# expect TITLE COMMAND: one test inside
expect()
{
	if inside "$2" >"$work/$1.log" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		nn_say "FAILED fresh: $1 (the end of $work/$1.log follows)"
		tail -n 15 "$work/$1.log" >&2
	fi
}

run()
{
	local why sum broken rc=0

	why=$(nn_base_obstacle "$work/trial")
	[ -z "$why" ] || skip "$why"
	nn_lock "$work/.lock"
	[ -s "$NN_BASE" ] || nn_online || skip "$(nn_offline), and the cache has no base system"
	nn_base_prepare || rc=$?
	[ "$rc" -ne 3 ] || exit 3
	[ "$rc" -eq 0 ] || { printf 'debootstrap\tbuilds\t0\t1\n'; return; }
	nn_online || [ -n "$(ls -A "$store/lists" 2>/dev/null)" ] ||
		skip "$(nn_offline), and the cache has no package lists"
	nn_say "fresh: unpacking the empty system"
	unpack
	nn_say "fresh: make check $* in it"
	inside "cd ~/nnaccel && make check $(printf '%q ' "$@")" >"$work/check.log" 2>&1 || rc=$?
	grep -E '^\[ *[0-9.]+ s\] |^  FAILED' "$work/check.log" | sed 's/^/  fresh: /' >&2 || :
	! grep -m 1 ': infrastructure: ' "$work/check.log" >&2 || nn_infra_die "the mirror failed in the empty system ($work/check.log)"
	sum=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/check.log" | tail -n 1)
	if [ -z "$sum" ] || { [ "$rc" -ne 0 ] && [[ $sum == *" 0" ]]; }; then
		nn_say "fresh: make check ended with $rc and the sum '$sum' (the end of $work/check.log follows)"
		tail -n 20 "$work/check.log" >&2
		failed=1
	fi
	# The table of that check, with its groups as routes.
	awk -F'\t' -v OFS='\t' 'NF == 6 { print $1 ", " $2, $3, $4, $5, $6 }' "$root/root/nnaccel/build/check/table.tsv" || failed=1
	broken=$(awk -F'\t' 'NF == 6 { n += $5 } END { print n + 0 }' "$root/root/nnaccel/build/check/table.tsv") || broken=1
	expect "kernel-resolves" 'cd ~/nnaccel && rm -rf /tmp/none && NNACCEL_CACHE=/tmp/none scripts/kernel.sh release'
	# As a user calls it: no variable of ours is set.
	# shellcheck disable=SC2016 # for the shell inside
	expect "install-prefix" 'cd ~/nnaccel && TESTS=1 make install PREFIX=/opt/nn && cd / && /opt/nn/bin/nnctl certify cpu &&
		[ ! -e /opt/nn/lib/udev ] && MANPATH=/opt/nn/share/man && test -s $MANPATH/man1/nnctl.1 &&
		make -C ~/nnaccel uninstall PREFIX=/opt/nn && [ -z "$(find /opt/nn -type f)" ]'
	expect "install" 'cd ~/nnaccel && make install'
	expect "installed-nnctl" 'cd / && nnctl --version && nnctl list && nnctl run \
		~/nnaccel/models/shapes_int8/model.tflite --input /root/nnaccel/models/pictures/star.png --device cpu'
	expect "installed-library" 'cd /tmp && gcc -o first /root/nnaccel/examples/first_inference.c -lneuralnetworks &&
		./first'
	# shellcheck disable=SC2016 # for the shell inside
	expect "installed-model-library" 'cd /tmp && gcc -o run_file /root/nnaccel/examples/run_file.c $(pkg-config --cflags --libs nnaccel_model) &&
		cd ~/nnaccel/models/shapes_int8 && /tmp/run_file model.tflite in0_0.bin | cmp - out0_0.bin'
	expect "installed-python" 'cd / && /usr/bin/python3 -B ~/nnaccel/tests/python/door_models.py nnaccel-cpu ~/nnaccel/models'
	expect "installed-manual" 'test -s /usr/local/share/man/man1/nnctl.1'
	expect "uninstall" 'cd ~/nnaccel && make uninstall && ! command -v nnctl && ! ldconfig -p | grep -q neuralnetworks'
	nn_base_keep "$root"
	mkdir -p "$work/logs"
	cp -a "$root/root/nnaccel/build/logs/." "$work/logs/" 2>/dev/null || :
	[ $((failed + broken)) -gt 0 ] || rm -rf "$root"
	printf 'installation\tcases\t%s\t%s\n' "$passed" "$failed"
}

mkdir -p "$work" "$store" "$NN_LOGS"
case ${1:-} in
prepare)
	[ -n "$(nn_base_obstacle "$work/trial")" ] || nn_base_prepare
	;;
run) run "${@:2}" ;;
*) nn_die "prepare or run" ;;
esac
