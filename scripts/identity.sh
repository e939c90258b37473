#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# identity.sh OUT DEPFILE NAME TEXT FOLDER...: writes a header that defines NAME as a 64-bit digest of the sources (every .c, .h,
# .py, .toml and meson.build in the folders) and of TEXT (compiler, options). What is for the tests does not count: test_*.c, and the
# cases at the end of a description. DEPFILE gets these files as make dependencies. OUT stays as it is where the digest is the same.
set -euo pipefail

sources=('(' -name '*.[ch]' -o -name '*.py' -o -name '*.toml' -o -name meson.build ')' '!' -name 'test_*.c')

out=$1 depfile=$2 name=$3 text=$4
shift 4
files=()
digest=$(
	for folder in "$@"; do
		printf '/%s\n' "${folder##*/}"
		cd "$folder"
		# Relative names: the digest does not depend on the checkout's path.
		find . -type f "${sources[@]}" '!' -name '*.toml' | LC_ALL=C sort | xargs -d '\n' sha256sum
		find . -type f -name '*.toml' | LC_ALL=C sort | while read -r file; do
			printf '%s\n' "$file"
			sed '/^\[case\./,$d' "$file"
		done
	done | sha256sum
)
digest=$(printf '%s\n%s\n' "$text" "$digest" | sha256sum)
while read -r file; do
	files+=("$file")
done < <(find "$@" -type f "${sources[@]}")
line="#define $name 0x${digest:0:16}ull"
if [ ! -f "$out" ] || [ "$(<"$out")" != "$line" ]; then
	printf '%s\n' "$line" >"$out"
fi
printf '%s: %s\n' "$out" "${files[*]}" >"$depfile"
