#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kernel-check.sh: tests which kernel scripts/kernel.sh takes, with an archive and an apt that are made here: pinned, gone,
# cached, changed, out of reach. Prints TAP; needs no network, and takes ten seconds.
#
# shellcheck disable=SC2016 # expect evaluates the conditions
set -uo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
nn_scratch
dir=$(mktemp -d)
archive=$dir/archive lists=$dir/lists
export FAKE_ARCHIVE=$archive FAKE_LISTS=$lists
export NNACCEL_CACHE=$dir/cache NNACCEL_BUILD=$dir/build NNACCEL_KERNEL_PIN=$dir/pin
unset APT_CONFIG NNACCEL_KERNEL_SERIES NNACCEL_KERNEL_ARCH NN_APT_UPDATED NN_APT_UPDATE_FAILED
count=0

# The archive and the lists have a file PACKAGE=VERSION each. Without the file "up" the network is down.
mkdir -p "$dir/bin" "$archive" "$lists"
cat >"$dir/bin/apt-cache" <<'END'
#!/bin/bash
cd "$FAKE_LISTS"
newest() { ls -d "$1"=* 2>/dev/null | sort -V | tail -n 1; }
case $1 in
show)
	[[ $2 == *=* ]] && file=$2 || file=$(newest "$2")
	[ -n "$file" ] && [ -e "$file" ] || exit 100
	echo "Filename: pool/$file"
	printf 'Size: %s\nSHA256: %s\n' "$(stat -c %s "$file")" "$(sha256sum <"$file" | cut -d' ' -f1)"
	;;
policy) printf '  Candidate: %s\n' "$(newest "$2" | cut -d= -f2-)" ;;
depends) printf '  Depends: %s\n' "$(ls -d linux-image-6.12.* | sort -V | tail -n 1 | cut -d= -f1)" ;;
esac
END
cat >"$dir/bin/apt-get" <<'END'
#!/bin/bash
for word in "$@"; do
	case $word in
	update)
		[ -e "$FAKE_ARCHIVE.up" ] || { echo "W: Failed to fetch: Could not resolve"; exit 0; }
		rm -f "$FAKE_LISTS"/*
		cp "$FAKE_ARCHIVE"/* "$FAKE_LISTS"/
		exit
		;;
	esac
done
file=${*: -1}
[[ $file == *=* ]] || file=$(basename "$(ls -d "$FAKE_ARCHIVE/$file"=* | sort -V | tail -n 1)")
[ -e "$FAKE_ARCHIVE.up" ] || { echo "E: Failed to fetch $file: Could not connect"; exit 100; }
[ -e "$FAKE_ARCHIVE/$file" ] || { echo "E: Failed to fetch $file: 404 Not Found"; exit 100; }
cp "$FAKE_ARCHIVE/$file" ./a.deb
END
printf '#!/bin/bash\nexec "$@"\n' >"$dir/bin/sudo"
chmod +x "$dir"/bin/*
PATH=$dir/bin:$PATH

# offer PACKAGE VERSION FILE...: a package in the archive
offer()
{
	local root=$dir/package file

	rm -rf "$root"
	mkdir -p "$root/DEBIAN"
	printf 'Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: %s %s\n' "$1" "$2" >"$root/DEBIAN/control"
	for file in "${@:3}"; do
		mkdir -p "$root/${file%/*}"
		echo "$2" >"$root/$file"
	done
	dpkg-deb -b -Znone "$root" "$archive/$1=$2" >/dev/null
}

# offer_kernel BASE VERSION
offer_kernel()
{
	offer "linux-image-$1-amd64" "$2" boot/vmlinuz
	offer "linux-headers-$1-amd64" "$2" "usr/src/linux-headers-$1-amd64/Makefile" "usr/src/linux-headers-$1-amd64/scripts/mod/modpost"
	offer "linux-headers-$1-common" "$2" "usr/src/linux-headers-$1-common/Makefile"
	offer "linux-kbuild-$1" "$2" "usr/lib/linux-kbuild-$1/scripts/kernel-doc"
	offer linux-source-6.12 "$2" usr/src/linux-source-6.12.tar.xz
}

# Empty lists and cache; the archive has 6.12.1, which is pinned, and busybox 1.
start()
{
	rm -rf "$archive" "$lists" "$NNACCEL_CACHE" "$NNACCEL_BUILD" "$NNACCEL_KERNEL_PIN"
	mkdir -p "$archive" "$lists"
	: >"$archive.up"
	offer_kernel 6.12.1 6.12.1-1
	offer busybox-static 1 bin/busybox
	kernel pin
}

# The archive moves on, as security suites do. The lists are of before until apt updates them.
move_on()
{
	rm -f "$archive"/*
	offer_kernel 6.12.2 6.12.2-1
	offer busybox-static 2 bin/busybox
}

kernel()
{
	rc=0
	# shellcheck disable=SC2034 # read by what expect evaluates
	out=$("$NN_ROOT/scripts/kernel.sh" "$@" 2>"$dir/err") || rc=$?
}

# expect TITLE CONDITION
expect()
{
	count=$((count + 1))
	if eval "$2"; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		{ echo "exit status $rc, output: $out" && cat "$dir/err"; } | sed 's/^/# /'
	fi
}

start
expect "pin writes every package that is used" '[ "$(grep -c "^[a-z].* [0-9a-f]\{64\}$" "$NNACCEL_KERNEL_PIN")" = 6 ]'
kernel release headers busybox kernel-doc
expect "the pinned kernel is used" '[ $rc = 0 ] && [[ $out == 6.12.1-amd64* && $out == *kernel-doc ]]'
kernel note
expect "it has no note" '[ -z "$out" ]'
kernel missing
expect "what is missing" '[[ $out == "kernel image (1 MB)" ]]'

offer_kernel 6.12.2 6.12.2-1
rm -rf "$NNACCEL_CACHE"
kernel release
expect "a newer kernel in the archive changes nothing" '[ "$out" = 6.12.1-amd64 ]'

start
offer "linux-headers-6.12.1-common" 6.12.1-1 other/file
kernel headers
expect "another file under the same version is refused" '[ $rc = 1 ] && grep -q "has not the checksum" "$dir/err"'

start
move_on
rm -f "$lists"/*
kernel release
expect "gone and no cache: the newest of the series" '[ $rc = 0 ] && [ "$out" = 6.12.2-amd64 ]'
kernel note
expect "with a note" '[[ $out == "kernel 6.12.2-1 is not the pinned 6.12.1-1: "*"raise scripts/kernel.pin"* ]]'
kernel busybox
kernel note
expect "busybox too" '[[ $out == *"busybox-static 2 is not the pinned 1: "* ]]'
rm -f "$archive"/*
kernel release
expect "what was chosen stays" '[ "$out" = 6.12.2-amd64 ]'
move_on
kernel pin
kernel release
expect "a raised pin is used" '[ "$out" = 6.12.2-amd64 ]'
rm -rf "$NNACCEL_CACHE"
kernel note
expect "without a note" '[ -z "$out" ]'

start
kernel headers
mkdir "$NNACCEL_CACHE/kernel/6.12.1-amd64_6.12.1-1/image"
rm "$NNACCEL_CACHE"/kernel/current*
move_on
rm -f "$archive.up" "$lists"/*
kernel headers
expect "gone, in the cache, no network: the cache" '[ $rc = 0 ] && [[ $out == */linux-headers-6.12.1-amd64 ]]'

start
move_on
kernel headers
expect "gone since the lists were fetched: the newest, whole" '[ $rc = 0 ] && [[ $out == *_6.12.2-1/*/linux-headers-6.12.2-amd64 ]]'
expect "it is reported" 'grep -q "is not the pinned 6.12.1-1" "$dir/err"'

start
rm -f "$archive.up" "$lists"/*
kernel release
expect "no network and no lists: infrastructure" '[ $rc = 3 ] && grep -q "infrastructure: " "$dir/err"'

start
rm -f "$archive.up"
kernel headers
expect "no network and no cache: infrastructure" '[ $rc = 3 ] && grep -q "infrastructure: cannot download" "$dir/err"'

start
mkdir -p "$NNACCEL_CACHE/kernel"
echo "6.12.0-amd64 6.12.0-1" >"$NNACCEL_CACHE/kernel/current-6.12"
kernel release
expect "an older choice in the cache does not count" '[ "$out" = 6.12.1-amd64 ]'
echo "6.12.1 6.12.1-1_0123456789ab" >"$NNACCEL_CACHE/kernel/current-6.12"
kernel release
expect "a kernel that was built here does" '[ "$out" = 6.12.1 ]'
echo "1..$count"
rm -rf "$dir"
