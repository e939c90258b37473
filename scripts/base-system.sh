# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# An empty Debian 12 with git, gcc and make, made by debootstrap once and unpacked for each use; sourced after lib.sh, apt.sh and
# enter.sh. fresh.sh and deb.sh use it, and lab.sh without these packages.
#
# Cache, $NNACCEL_CACHE/fresh: base.tar.zst (what debootstrap made), archives (packages), lists (the last package lists, for a
# machine without network). Without it all is fetched again.

nn_mirror || :
NN_BASE_SUITE=bookworm
NN_BASE_STORE=$NN_CACHE/fresh
NN_BASE=$NN_BASE_STORE/base.tar.zst
# Packages beside Debian's required ones. Add none: it would hide a package that bootstrap.sh or debian/control forgets.
NN_BASE_PACKAGES=git,gcc,make
[[ $NN_MIRROR != https:* ]] || NN_BASE_PACKAGES+=,ca-certificates

# nn_base_obstacle FOLDER: why it cannot be made and used here; nothing if it can. FOLDER is for a trial.
nn_base_obstacle()
{
	if [ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ]; then
		echo "this is no amd64 Debian"
	elif ! git -C "$NN_ROOT" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		echo "$NN_ROOT is no git checkout, and the system gets a clone of HEAD"
	else
		nn_enter_obstacle "$1"
	fi
}

nn_base_make()
{
	local tmp rc=0

	nn_say "an empty Debian 12 by debootstrap (100 MB, once)"
	mkdir -p "$NN_BASE_STORE"
	tmp=$(mktemp -d "$NN_BASE_STORE/.base.XXXXXX")
	nn_debootstrap --variant=minbase ${NN_BASE_PACKAGES:+"--include=$NN_BASE_PACKAGES"} "$NN_BASE_SUITE" "$tmp/root" "$NN_MIRROR" || rc=$?
	if [ "$rc" -eq 0 ]; then
		# Package lists are not part of it: who uses the system has to get them.
		rm -rf "$tmp"/root/var/cache/apt/archives/*.deb "$tmp"/root/var/lib/apt/lists/*
		nn_base_pack "$tmp/root" "$NN_BASE"
	fi
	rm -rf "$tmp"
	[ "$rc" -ne 3 ] ||
		nn_infra_die "debootstrap cannot fetch $NN_BASE_SUITE from $NN_MIRROR (${NN_LOGS#"$NN_ROOT"/}/debootstrap.log)"
	[ -s "$NN_BASE" ]
}

# nn_base_pack ROOT FILE: a system as a file, which is there as a whole or not at all
nn_base_pack()
{
	tar -C "$1" --exclude=./dev/'*' -cf - . | zstd -q -3 -T0 >"$2.$$" && mv "$2.$$" "$2"
}

# The file of the empty system; exit status 3: the mirror answers, and then fails.
nn_base_prepare()
{
	[ -s "$NN_BASE" ] && return 0
	(
		nn_lock "$NN_BASE_STORE/.lock"
		[ -s "$NN_BASE" ] || nn_base_make
	)
}

# nn_base_share FROM TO: copies the files of a folder into another one, as hard links if possible.
nn_base_share()
{
	mkdir -p "$1" "$2"
	find "$1" -maxdepth 1 -type f ! -name lock -print0 |
		xargs -0 -r cp -al --no-clobber -t "$2" 2>/dev/null ||
		find "$1" -maxdepth 1 -type f ! -name lock -print0 | xargs -0 -r cp -a --no-clobber -t "$2"
}

# nn_base_unpack ROOT [FILE]: the empty system, or that of FILE, below ROOT, with apt's sources and the packages of earlier runs
nn_base_unpack()
{
	local root=$1 file

	rm -rf "$root"
	mkdir -p "$root"
	zstd -dc "${2:-$NN_BASE}" | tar -C "$root" -xpf -
	nn_sources "$root" "$NN_MIRROR $NN_BASE_SUITE" "$NN_MIRROR $NN_BASE_SUITE-updates" \
		${NN_SECURITY:+"$NN_SECURITY $NN_BASE_SUITE-security"}
	for file in /etc/resolv.conf /etc/hosts; do
		rm -f "$root$file"
		cp -L "$file" "$root$file"
	done
	nn_base_share "$NN_BASE_STORE/archives" "$root/var/cache/apt/archives"
	if ! nn_online; then
		nn_say "no network: the package lists of the last run"
		nn_base_share "$NN_BASE_STORE/lists" "$root/var/lib/apt/lists"
	fi
}

# nn_base_clone FOLDER: a clone of HEAD
nn_base_clone()
{
	git -c advice.detachedHead=false clone -q --no-hardlinks "$NN_ROOT" "$1"
	git -C "$1" checkout -q "$(git -C "$NN_ROOT" rev-parse HEAD)"
}

# nn_base_keep ROOT: saves packages and lists for later runs; removes packages that were unused for 60 days.
nn_base_keep()
{
	nn_base_share "$1/var/cache/apt/archives" "$NN_BASE_STORE/archives"
	find "$NN_BASE_STORE/archives" -name '*.deb' -atime +60 -delete
	find "$1/var/lib/apt/lists" -maxdepth 1 -type f -name '*_Packages*' -print -quit | grep -q . || return 0
	rm -rf "$NN_BASE_STORE/lists"
	nn_base_share "$1/var/lib/apt/lists" "$NN_BASE_STORE/lists"
}

# nn_base_inside ROOT COMMAND [VARIABLE=VALUE...]: a command of the shell in the system, with no other variables than these and those
# of a proxy. NN_BASE_BIND=FROM:TO has a folder of this machine in it.
nn_base_inside()
{
	local root=$1 command=$2 keep=() name

	shift 2
	for name in http_proxy https_proxy no_proxy; do
		[ -z "${!name:-}" ] || keep+=("$name=${!name}")
	done
	# shellcheck disable=SC2016 # for the shell in the namespace
	nn_enter "$root" bash -c '
		root=$1 bind=$2 command=$3
		shift 3
		[ -z "$bind" ] || mount --bind "${bind%%:*}" "$root${bind#*:}" || exit
		exec chroot "$root" env -i HOME=/root USER=root LANG=C.UTF-8 TERM=dumb SHELL=/bin/bash \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" bash -c "$command"
	' - "$root" "${NN_BASE_BIND:-}" "$command" "${keep[@]}" "$@"
}
