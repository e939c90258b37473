#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# docs.sh [build|html|man|check|install FOLDER]
#
#   build    html, man and check
#   html     HTML in build/docs/html; any warning is an error
#   man      man pages in build/docs/man; any warning is an error
#   check    only compare the names in Documentation with the tree (scripts/docs-check.py)
#   install  copy the man pages, if they were built, below FOLDER/share/man; print the path of each copy
#
# Sphinx reads the headers with the kernel's kernel-doc, which scripts/kernel.sh unpacks into the cache.
# NNACCEL_KERNEL_DOC names another copy. NNACCEL_DOCS_WARNINGS=allow: a warning is no error, as with an older kernel-doc.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"
docs=$NN_BUILD/docs

check()
{
	local nnctl=$NN_BUILD/tools/nnctl/nnctl

	[ -x "$nnctl" ] || nnctl=
	python3 scripts/docs-check.py ${nnctl:+--nnctl "$nnctl"} || nn_die "Documentation names things that do not exist"
}

sphinx()
{
	# -E reads every page: Sphinx repeats no warning of a page that has not changed.
	local strict=(-W --keep-going)

	[ "${NNACCEL_DOCS_WARNINGS:-}" != allow ] || strict=()
	nn_logged "docs-$1" sphinx-build -q -E -n "${strict[@]}" -j auto -d "$docs/doctrees-$1" -b "$1" Documentation "$docs/$1"
}

# "man nnhal_open" shows the page that describes it: a page of one line that includes the other.
functions()
{
	local page=$1 name

	shift
	python3 scripts/docs-check.py --functions "$@" | while read -r name; do
		echo ".so man3/$page.3" >"$docs/man/man3/$name.3"
	done
}

prepare()
{
	command -v sphinx-build >/dev/null || nn_die "sphinx-build is missing: run scripts/bootstrap.sh docs"
	NNACCEL_KERNEL_DOC=${NNACCEL_KERNEL_DOC:-$(scripts/kernel.sh kernel-doc)}
	export NNACCEL_KERNEL_DOC
	mkdir -p "$docs"
}

man()
{
	rm -rf "$docs/man"
	sphinx man
	mkdir -p "$docs/man/man1"
	cp Documentation/man/*.1 "$docs/man/man1/"
	functions nnhal lib/libnnhal/nnhal.h lib/libnnhal/nnhal_types.h
	functions nnmodel lib/libnnmodel/nnmodel.h
	functions nnsensors lib/libnnsensors/nnsensors.h lib/libnnsensors/nnsensors_records.h
	functions nnaccel_model lib/libnnaccel_model/nnaccel_model.h
	functions nnaccel_runtime lib/libneuralnetworks/include/nnaccel_runtime.h \
		lib/libneuralnetworks/include/android/NeuralNetworksExtensions.h
}

build()
{
	prepare
	sphinx html
	man
	check
	nn_say "documentation: ${docs#"$NN_ROOT"/}/html/index.html, $(find "$docs/man" -name '*.[1-8]' | wc -l) man pages"
}

# The page of nnctl is installed by meson.
install_pages()
{
	local page to

	[ -d "$docs/man" ] || return 0
	for page in "$docs"/man/man[2-8]/*.[1-8]; do
		to=$1/share/man/man${page##*.}/${page##*/}
		install -D -m 644 "$page" "$to"
		echo "$to"
	done
}

case ${1:-build} in
build) build ;;
html)
	prepare
	sphinx html
	;;
man)
	prepare
	man
	;;
check) check ;;
install) install_pages "${2:?install needs a folder}" ;;
*) nn_die "unknown command '$1' (build, html, man, check, install)" ;;
esac
