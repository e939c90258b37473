#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# identity.sh SCRIPT: the number is of the sources, the compiler and its options, and of nothing else.
set -euo pipefail

script=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

of()
{
	local text=$1

	shift
	"$script" "$tmp/out.h" "$tmp/out.d" BUILD "$text" "$@"
	sed -n 's/^#define BUILD \(0x[0-9a-f]\{16\}\)ull$/\1/p' "$tmp/out.h"
}

expect()
{
	if ! test "$2" "$3" "$4" || [ -z "$2" ]; then
		echo "identity.sh: $1: $2 and $4" >&2
		failed=1
	fi
}

mkdir -p "$tmp/a/part" "$tmp/elsewhere"
echo 'int one;' >"$tmp/a/one.c"
echo 'int two;' >"$tmp/a/part/two.h"
first=$(of gcc "$tmp/a")
grep -q "$tmp/a/one.c" "$tmp/out.d" && grep -q "$tmp/a/part/two.h" "$tmp/out.d" || {
	echo "identity.sh: the files are no dependencies" >&2
	failed=1
}
touch "$tmp/a/one.c"
expect "a file that was touched" "$(of gcc "$tmp/a")" = "$first"
cp -r "$tmp/a" "$tmp/elsewhere/a"
expect "the same files elsewhere" "$(of gcc "$tmp/elsewhere/a")" = "$first"
echo 'text' >"$tmp/a/README"
expect "a file that is no source" "$(of gcc "$tmp/a")" = "$first"
printf '[TWO]\ntypes = "F32@1"\n' >"$tmp/a/part/two.toml"
described=$(of gcc "$tmp/a")
expect "a description" "$described" != "$first"
printf '[case.TWO]\nvalid = []\n' >>"$tmp/a/part/two.toml"
expect "a case of a test" "$(of gcc "$tmp/a")" = "$described"
rm "$tmp/a/part/two.toml"
echo 'int test;' >"$tmp/a/part/test_two.c"
expect "a test" "$(of gcc "$tmp/a")" = "$first"
expect "another compiler" "$(of clang "$tmp/a")" != "$first"
echo 'int two; ' >"$tmp/a/part/two.h"
expect "another header" "$(of gcc "$tmp/a")" != "$first"
cp "$tmp/elsewhere/a/part/two.h" "$tmp/a/part/two.h"
mv "$tmp/a/one.c" "$tmp/a/three.c"
expect "another name" "$(of gcc "$tmp/a")" != "$first"
exit "$failed"
