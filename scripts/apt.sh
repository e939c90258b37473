# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# apt, quietly and as root; sourced after lib.sh. With APT_CONFIG set, apt has a private state (arm64.sh) and needs no root.

NN_MIRROR=${NNACCEL_MIRROR:-http://deb.debian.org/debian}

# Where apt goes through a proxy, debootstrap and python go through the same one, if the environment names none.
nn_proxy()
{
	local proxy=

	eval "$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null || :)"
	[ -z "$proxy" ] || export http_proxy="${http_proxy:-$proxy}"
}

# Whether Debian's mirror answers; by python, which knows the proxy's variables.
nn_online()
{
	nn_proxy
	python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=20).read(1)' \
		"$NN_MIRROR/dists/bookworm/Release" >/dev/null 2>&1
}

# nn_apt ARGUMENTS...: apt-get as root. Waits for another apt to finish.
nn_apt()
{
	local as_root=()

	if [ "$(id -u)" -ne 0 ] && [ -z "${APT_CONFIG:-}" ]; then
		command -v sudo >/dev/null || nn_die "apt-get $1 needs root, and there is no sudo"
		as_root=(sudo)
	fi
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq \
		-o DPkg::Lock::Timeout=600 -o APT::Get::Assume-Yes=true "$@"
}

# The package lists, refreshed at most once in a run of the outermost script.
nn_apt_update()
{
	[ -z "${NN_APT_UPDATED:-}" ] || return 0
	nn_say "refreshing the package lists"
	nn_logged apt-update nn_apt update
	export NN_APT_UPDATED=1
}

# nn_deb DIR PACKAGE[=VERSION]: unpacks a package under DIR without installing it.
nn_deb()
{
	local dir=$1 pkg=$2 tmp rc=0

	tmp=$(mktemp -d "$dir/.deb.XXXXXX")
	# Not nn_apt: a download needs no root, and apt's own user cannot write into the cache.
	(cd "$tmp" && apt-get -qq -o APT::Sandbox::User=root download "$pkg" &&
		dpkg-deb -x ./*.deb "$dir") || rc=$?
	rm -rf "$tmp"
	return "$rc"
}
