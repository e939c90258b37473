#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# identity.sh OUT DEPFILE NAME TEXT FOLDER...: writes a header that defines NAME as a 64-bit digest of the sources (every .c, .h,
# .py, .toml and meson.build in the folders, but the cases of the tests) and of TEXT (compiler, options). DEPFILE gets these files as
# make dependencies.
set -euo pipefail

sources=('(' -name '*.[ch]' -o -name '*.py' -o -name '*.toml' -o -name meson.build ')' '!' -name '*_cases.toml')

out=$1 depfile=$2 name=$3 text=$4
shift 4
files=()
digest=$(
	for folder in "$@"; do
		printf '/%s\n' "${folder##*/}"
		cd "$folder"
		# Relative names: the digest does not depend on the checkout's path.
		find . -type f "${sources[@]}" | LC_ALL=C sort | xargs -d '\n' sha256sum
	done | sha256sum
)
digest=$(printf '%s\n%s\n' "$text" "$digest" | sha256sum)
while read -r file; do
	files+=("$file")
done < <(find "$@" -type f "${sources[@]}")
printf '#define %s 0x%sull\n' "$name" "${digest:0:16}" >"$out"
printf '%s: %s\n' "$out" "${files[*]}" >"$depfile"
