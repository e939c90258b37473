#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# deb.sh [build|check]: Debian packages of HEAD, in build/deb. Without a word: both.
#
#   build   in an empty Debian 12 with what debian/control names: dpkg-buildpackage, then lintian, which may find neither errors
#           nor warnings, and appstreamcli
#   check   the packages in another empty Debian 12: scripts/check/packages.sh
#
# Prints a line for each step, and last "N passed, N failed". "NOT TESTED REASON" instead: such a system cannot be made here.
# The version is that of debian/changelog on a tag v*, else one before it, with the number and name of the commit.
#
# Cache, $NNACCEL_CACHE: that of base-system.sh; deb/builder-*.tar.zst, the system with what the build needs, for 30 days.
# Exit status 3: the mirror answers, and then fails.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"
# shellcheck source=scripts/enter.sh
. "$(dirname "$0")/enter.sh"
# shellcheck source=scripts/base-system.sh
. "$(dirname "$0")/base-system.sh"
cd "$NN_ROOT"

work=$NN_BUILD/deb-work
out=$NN_BUILD/deb
root=$work/builder
store=$NN_CACHE/deb
tools="dpkg-dev lintian appstream"
passed=0 failed=0

# step NAME COMMAND...: counts it
step()
{
	local name=$1

	shift
	if nn_logged "deb-$name" "$@"; then
		passed=$((passed + 1))
		echo "$name: passed"
	else
		failed=$((failed + 1))
		echo "$name: FAILED (${NN_LOGS#"$NN_ROOT"/}/deb-$name.log)"
		return 1
	fi
}

sum()
{
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

# The system that builds, from the cache or made
builder()
{
	local file old

	file=$store/builder-$({ echo "$tools"; sed '/^Package:/,$d' debian/control; cat scripts/base-system.sh; } | sha256sum | cut -c1-16).tar.zst
	mkdir -p "$store"
	find "$store" -name 'builder-*' -mtime +30 -delete
	if [ ! -s "$file" ]; then
		nn_say "deb: a system with what the build needs"
		nn_base_unpack "$root"
		nn_base_clone "$root/root/nnaccel"
		nn_logged deb-builder nn_base_inside "$root" "export DEBIAN_FRONTEND=noninteractive; apt-get -q update &&
			apt-get -qy install --no-install-recommends $tools && apt-get -qy build-dep --no-install-recommends /root/nnaccel" || {
			! nn_fetch_failed deb-builder || nn_infra_die "packages cannot be fetched (${NN_LOGS#"$NN_ROOT"/}/deb-builder.log)"
			return 1
		}
		nn_base_keep "$root"
		rm -rf "$root/root/nnaccel" "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
		for old in "$store"/builder-*; do
			rm -f "$old"
		done
		nn_base_pack "$root" "$file"
	fi
	nn_base_unpack "$root" "$file"
}

# The version of a commit that is no release sorts before that of the release.
version()
{
	local version

	version=$(dpkg-parsechangelog -S Version)
	if [ "$(git describe --tags --exact-match --match "v$version" 2>/dev/null)" != "v$version" ]; then
		version+="~$(git rev-list --count HEAD).g$(git rev-parse --short=8 HEAD)"
	fi
	echo "$version"
}

build()
{
	local source=/root/packages/nnaccel

	step builder builder || sum
	mkdir -p "$root${source%/*}"
	nn_base_clone "$root$source"
	sed -i "1s/(.*)/($(version))/; s/^ -- \(.*>\)  .*/ -- \1  $(git log -1 --format=%cD)/" "$root$source/debian/changelog"
	nn_say "deb: the packages of $(version)"
	step build nn_base_inside "$root" "cd $source && dpkg-buildpackage -us -uc" "DEB_BUILD_OPTIONS=parallel=$(nproc)" || sum
	rm -rf "$out"
	mkdir -p "$out"
	find "$root${source%/*}" -maxdepth 1 -type f -exec cp -t "$out" {} +
	step lintian nn_base_inside "$root" "lintian --allow-root --fail-on error,warning --tag-display-limit 0 ${source%/*}/nnaccel_*.changes" || :
	step appstream nn_base_inside "$root" "appstreamcli validate --no-net $source/kernel/nnaccel-dkms.metainfo.xml" || :
	[ "$failed" -gt 0 ] || rm -rf "$root"
}

check()
{
	local lines p f

	lines=$(scripts/check/packages.sh "$out") || :
	read -r p _ f _ <<<"$(tail -n 1 <<<"$lines" | tr -d ,)"
	sed '$d' <<<"$lines"
	if [[ $p =~ ^[0-9]+$ && $f =~ ^[0-9]+$ ]]; then
		passed=$((passed + p)) failed=$((failed + f))
	else
		failed=$((failed + 1))
		echo "check: FAILED, without a result"
	fi
}

case ${1:-all} in
all | build | check) ;;
*) nn_die "build or check" ;;
esac
why=$(nn_base_obstacle "$work/trial")
[ -n "$why" ] || [ -s "$NN_BASE" ] || nn_online || why="$(nn_offline), and the cache has no base system"
if [ -n "$why" ]; then
	echo "NOT TESTED $why"
	exit 0
fi
mkdir -p "$work" "$NN_LOGS"
nn_lock "$work/.lock"
nn_proxy
nn_base_prepare
[ -z "$(git status --porcelain -uno)" ] || nn_say "deb: the tree has changes that are not committed; what is built is HEAD"
[ "${1:-}" = check ] || build
[ "${1:-}" = build ] || check
sum
