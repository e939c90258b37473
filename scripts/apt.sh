# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# apt, quietly and as root; sourced after lib.sh. After nn_private_apt it has a state of its own and needs no root.
#
# No mirror's name is here: what is fetched comes from apt's sources on this machine, or from NNACCEL_MIRROR.

# Sets NN_MIRROR, NN_SECURITY (empty without one) and NN_KEYRING: Debian's archive, its security archive, and the key, as in apt's
# sources. They are also used for systems of other suites. Returns 1 if apt has no source of Debian that is reached by http.
nn_mirror()
{
	local origin component release uri entry score best=0

	[ -z "${NN_MIRROR:-}" ] || return 0
	NN_MIRROR='' NN_SECURITY='' NN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
	if [ -n "${NNACCEL_MIRROR:-}" ]; then
		NN_MIRROR=${NNACCEL_MIRROR%/}
		NN_SECURITY=${NN_MIRROR%/debian}/debian-security
	else
		# Before the first update, apt knows no origin and prints the format's word for it.
		# shellcheck disable=SC2016 # the format's words
		while IFS='|' read -r origin component release uri entry; do
			# the images of clouds: a file with the list of mirrors
			[[ $uri != mirror+file:* ]] || uri=$(grep -m 1 -oE '^https?:[^[:space:]]+' "${uri#mirror+file:}" 2>/dev/null) || continue
			[[ $component == main && $uri == http?(s):* ]] || continue
			uri=${uri%/}
			score=1
			[[ $uri != */debian && $uri != */debian-security ]] || score=2
			[ "$origin" != Debian ] || score=3
			if [[ $release == *-security && -z $NN_SECURITY && $score -ge 2 ]]; then
				NN_SECURITY=$uri
			elif [[ $release != *-* && $score -gt $best ]]; then
				NN_MIRROR=$uri best=$score
				nn_keyring "${entry%:*}"
			fi
		done < <(env -u APT_CONFIG apt-get indextargets 'Created-By: Packages' \
			--format '$(ORIGIN)|$(COMPONENT)|$(RELEASE)|$(REPO_URI)|$(SOURCESENTRY)' 2>/dev/null)
	fi
	export NN_MIRROR NN_SECURITY NN_KEYRING
	[ -n "$NN_MIRROR" ]
}

# nn_keyring FILE: sets NN_KEYRING to the key that this file of apt's sources names.
nn_keyring()
{
	local key

	key=$(sed -nE 's/.*[Ss]igned-[Bb]y[:=] *(\/[^] ]+).*/\1/p' "$1" 2>/dev/null | head -n 1)
	[ ! -r "$key" ] || NN_KEYRING=$key
}

# nn_sources ROOT "MIRROR SUITE"...: apt's sources in another system; the key is copied where it is not Debian's own.
nn_sources()
{
	local root=$1 options=

	shift
	if [ "$NN_KEYRING" != /usr/share/keyrings/debian-archive-keyring.gpg ]; then
		install -D -m 644 "$NN_KEYRING" "$root$NN_KEYRING"
		options="[signed-by=$NN_KEYRING] "
	fi
	printf "deb $options%s main\n" "$@" >"$root/etc/apt/sources.list"
}

# Why nn_online fails
nn_offline()
{
	if nn_mirror; then
		echo "$NN_MIRROR does not answer"
	else
		echo "apt has no source of Debian that is reached by http (NNACCEL_MIRROR names one)"
	fi
}

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
	nn_mirror || return 1
	nn_proxy
	python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=20).read(1)' \
		"$NN_MIRROR/dists/bookworm/InRelease" >/dev/null 2>&1
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

# nn_fetch_failed NAME: whether build/logs/NAME.log, of apt or debootstrap, reports a mirror or network that failed, or a package
# that apt does not know after an update of the lists failed.
nn_fetch_failed()
{
	local errors=$nn_fetch_errors

	[ -z "${NN_APT_UPDATE_FAILED:-}" ] || errors+="|Unable to locate package|no installation candidate|was not found"
	grep -qE "$errors" "$NN_LOGS/$1.log" 2>/dev/null
}
nn_fetch_errors='Failed to fetch|Unable to fetch|Some index files failed|Could not (resolve|connect|handshake)|Temporary failure|Unable to connect'
nn_fetch_errors+='|Connection (failed|timed out|refused|reset)|Network is unreachable|Hash Sum mismatch|has unexpected size|Failed getting release'
nn_fetch_errors+="|Couldn't download|Invalid Release (file|signature)"

# The package lists, refreshed at most once in a run of the outermost script. A failure ends nothing: what needs the lists fails
# then, and nn_fetch_failed knows why.
nn_apt_update()
{
	[ -z "${NN_APT_UPDATED:-}" ] || return 0
	nn_say "refreshing the package lists"
	if ! nn_logged apt-update nn_apt update || grep -qE "$nn_fetch_errors" "$NN_LOGS/apt-update.log"; then
		export NN_APT_UPDATE_FAILED=1
	fi
	export NN_APT_UPDATED=1
}

# nn_private_apt DIR ARCHITECTURE "MIRROR SUITE"...: all apt commands from here on know only these suites and have their state in
# DIR. Packages can be fetched, not installed: this apt takes the machine for an empty one, and would replace its C library by
# that of another suite.
nn_private_apt()
{
	local apt=$1 arch=$2 other=''

	[ "$arch" = amd64 ] || other='"amd64";'
	shift 2
	mkdir -p "$apt"/{lists/partial,archives/partial,none}
	: >"$apt/status"
	printf "deb [signed-by=$NN_KEYRING] %s main\n" "$@" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-END
		APT::Architecture "$arch";
		#clear APT::Architectures;
		APT::Architectures { "$arch"; $other };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt";
		Dir::Bin::dpkg "/bin/false";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "$apt/none";
		Dir::Etc::preferencesparts "$apt/none";
		Debug::NoLocking "1";
	END
	export APT_CONFIG=$apt/apt.conf
	unset NN_APT_UPDATED NN_APT_UPDATE_FAILED
}

# The private apt of Debian 12's packages for arm64, with those of its security suite
nn_arm64_apt()
{
	nn_mirror || nn_infra_die "$(nn_offline)"
	nn_private_apt "$NN_CACHE/arm64/apt" arm64 "$NN_MIRROR bookworm" ${NN_SECURITY:+"$NN_SECURITY bookworm-security"}
}

# nn_machine_apt COMMAND...: a command with the machine's own apt, also after nn_private_apt
nn_machine_apt()
(
	[ -z "${APT_CONFIG:-}" ] || unset APT_CONFIG NN_APT_UPDATED NN_APT_UPDATE_FAILED
	"$@"
)

# nn_deb DIR PACKAGE[=VERSION] [SHA256]: unpacks a package under DIR without installing it, if it has the checksum.
nn_deb()
{
	local dir=$1 pkg=$2 sum=${3:-} tmp rc=0

	tmp=$(mktemp -d "$dir/.deb.XXXXXX")
	# Not nn_apt: a download needs no root, and apt's own user cannot write into the cache.
	(cd "$tmp" && apt-get -qq -o APT::Sandbox::User=root download "$pkg" &&
		{ [ -z "$sum" ] || echo "$sum  $(echo ./*.deb)" | sha256sum -c --quiet -; } &&
		dpkg-deb -x ./*.deb "$dir") || rc=$?
	rm -rf "$tmp"
	return "$rc"
}
