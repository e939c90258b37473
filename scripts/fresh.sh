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
# Cache, $NNACCEL_CACHE/fresh: base.tar.zst (what debootstrap made), archives (packages), lists (the last package lists,
# for a machine without network), nnaccel (the cache in the system, with its kernel). Without it all is fetched again.
# Mirror, security archive and key are those of apt's sources on this machine (apt.sh); NNACCEL_MIRROR names another mirror.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"
# shellcheck source=scripts/enter.sh
. "$(dirname "$0")/enter.sh"

nn_mirror || :
suite=bookworm
store=$NN_CACHE/fresh
base=$store/base.tar.zst
work=$NN_BUILD/fresh
root=$work/root
# Packages beside Debian's required ones. Add none: it would hide a package that bootstrap.sh forgets.
only=git,gcc,make
[[ $NN_MIRROR != https:* ]] || only+=,ca-certificates

skip()
{
	echo "skipped $*"
	exit 0
}

nn_proxy

obstacle()
{
	if [ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ]; then
		echo "this is no amd64 Debian"
	elif ! git -C "$NN_ROOT" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		echo "$NN_ROOT is no git checkout, and the system gets a clone of HEAD"
	else
		nn_enter_obstacle "$work/trial"
	fi
}

make_base()
{
	local tmp rc=0

	nn_say "an empty Debian 12 by debootstrap (100 MB, once)"
	mkdir -p "$store"
	tmp=$(mktemp -d "$store/.base.XXXXXX")
	nn_debootstrap --variant=minbase "--include=$only" "$suite" "$tmp/root" "$NN_MIRROR" || rc=$?
	if [ "$rc" -eq 0 ]; then
		# Package lists are not part of it: bootstrap.sh has to get them.
		rm -rf "$tmp"/root/var/cache/apt/archives/*.deb "$tmp"/root/var/lib/apt/lists/*
		tar -C "$tmp/root" --exclude=./dev/'*' -cf - . | zstd -q -3 -T0 >"$tmp/base.tar.zst" &&
			mv "$tmp/base.tar.zst" "$base"
	fi
	rm -rf "$tmp"
	[ "$rc" -ne 3 ] || nn_infra_die "debootstrap cannot fetch $suite from $NN_MIRROR (${NN_LOGS#"$NN_ROOT"/}/debootstrap.log)"
	[ -s "$base" ]
}

prepare()
{
	[ -s "$base" ] && return 0
	(
		nn_lock "$store/.lock"
		[ -s "$base" ] || make_base
	)
}

# share FROM TO: copies the files of a folder into another one, as hard links if possible.
share()
{
	mkdir -p "$1" "$2"
	find "$1" -maxdepth 1 -type f ! -name lock -print0 |
		xargs -0 -r cp -al --no-clobber -t "$2" 2>/dev/null ||
		find "$1" -maxdepth 1 -type f ! -name lock -print0 | xargs -0 -r cp -a --no-clobber -t "$2"
}

# The system below $root, with the project in it.
unpack()
{
	local file

	rm -rf "$root"
	mkdir -p "$root"
	zstd -dc "$base" | tar -C "$root" -xpf -
	nn_sources "$root" "$NN_MIRROR $suite" "$NN_MIRROR $suite-updates" ${NN_SECURITY:+"$NN_SECURITY $suite-security"}
	for file in /etc/resolv.conf /etc/hosts; do
		rm -f "$root$file"
		cp -L "$file" "$root$file"
	done
	share "$store/archives" "$root/var/cache/apt/archives"
	if ! nn_online; then
		nn_say "no network: the package lists of the last run"
		share "$store/lists" "$root/var/lib/apt/lists"
	fi
	[ -z "$(git -C "$NN_ROOT" status --porcelain -uno)" ] ||
		nn_say "fresh: the tree has changes that are not committed; what is tested is HEAD"
	git -c advice.detachedHead=false clone -q --no-hardlinks "$NN_ROOT" "$root/root/nnaccel"
	git -C "$root/root/nnaccel" checkout -q "$(git -C "$NN_ROOT" rev-parse HEAD)"
}

# Saves packages and lists for later runs; removes packages that were unused for 60 days.
keep()
{
	share "$root/var/cache/apt/archives" "$store/archives"
	find "$store/archives" -name '*.deb' -atime +60 -delete
	find "$root/var/lib/apt/lists" -maxdepth 1 -type f -name '*_Packages*' -print -quit | grep -q . || return 0
	rm -rf "$store/lists"
	share "$root/var/lib/apt/lists" "$store/lists"
}

# inside COMMAND: in the system, with its own cache
inside()
{
	local keep=() name

	for name in http_proxy https_proxy no_proxy CI NN_STRESS; do
		[ -z "${!name:-}" ] || keep+=("$name=${!name}")
	done
	mkdir -p "$store/nnaccel" "$root/root/.cache/nnaccel"
	# shellcheck disable=SC2016 # for the shell in the namespace
	nn_enter "$root" bash -c '
		root=$1 cache=$2 command=$3
		shift 3
		mount --bind "$cache" "$root/root/.cache/nnaccel" &&
			exec chroot "$root" env -i HOME=/root USER=root LANG=C.UTF-8 TERM=dumb SHELL=/bin/bash \
				PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" bash -c "$command"
	' - "$root" "$store/nnaccel" "$1" "${keep[@]}"
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

	why=$(obstacle)
	[ -z "$why" ] || skip "$why"
	nn_lock "$work/.lock"
	[ -s "$base" ] || nn_online || skip "$(nn_offline), and the cache has no base system"
	prepare || rc=$?
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
	expect "install-prefix" 'cd ~/nnaccel && make install PREFIX=/opt/nn && cd / && /opt/nn/bin/nnctl info --device cpu &&
		[ ! -e /opt/nn/lib/udev ] && MANPATH=/opt/nn/share/man && test -s $MANPATH/man1/nnctl.1 &&
		make -C ~/nnaccel uninstall PREFIX=/opt/nn && [ -z "$(find /opt/nn -type f)" ]'
	expect "install" 'cd ~/nnaccel && make install'
	expect "installed-nnctl" 'cd / && nnctl --version && nnctl list && nnctl run \
		~/nnaccel/models/shapes_int8/model.tflite --input /root/nnaccel/models/pictures/star.png --device cpu'
	expect "installed-library" 'cd /tmp && gcc -o first /root/nnaccel/examples/first_inference.c -lneuralnetworks &&
		./first'
	expect "installed-manual" 'test -s /usr/local/share/man/man1/nnctl.1'
	expect "uninstall" 'cd ~/nnaccel && make uninstall && ! command -v nnctl && ! ldconfig -p | grep -q neuralnetworks'
	keep
	mkdir -p "$work/logs"
	cp -a "$root/root/nnaccel/build/logs/." "$work/logs/" 2>/dev/null || :
	[ $((failed + broken)) -gt 0 ] || rm -rf "$root"
	printf 'installation\tcases\t%s\t%s\n' "$passed" "$failed"
}

mkdir -p "$work" "$store" "$NN_LOGS"
case ${1:-} in
prepare)
	[ -n "$(obstacle)" ] || prepare
	;;
run) run "${@:2}" ;;
*) nn_die "prepare or run" ;;
esac
