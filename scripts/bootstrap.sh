#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bootstrap.sh [--list|--names|--size] [build] [vm] [check] [full] [style] [lint] [docs] [clang] [cross] [arm64-vm] [debug]    (no
# set named: all but arm64-vm and debug)
#
# Installs the Debian packages of these sets that are missing and nothing else. --list prints what is missing, --names
# prints the sets, --size how many packages apt would fetch and how large, in words; these install nothing. When nothing is missing,
# it does not touch the network. The kernel is not installed but unpacked into the cache by scripts/kernel.sh, so that /boot of the
# machine stays as it is. Exit status 3: the network or a mirror failed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"

build_set=(
	gcc g++ make python3 git meson ninja-build pkg-config kmod xz-utils pahole
	libdrm-dev libudev-dev librandom123-dev zlib1g-dev libpng-dev libjpeg-dev libcjson-dev nettle-dev libseccomp-dev libiio-dev
	libcmocka-dev libtraceevent-dev libtracefs-dev libtracecmd-dev libelf1 binutils
)
vm_set=(qemu-system-x86 seabios cpio zstd udev util-linux strace)
# Beside build and vm, what the tests of make check run.
check_set=(perl systemd unifdef patch python3-numpy python3-pytest python3-yaml)
# What full and long need beside them: the other shells that nnctl completes for (tests/nnctl/completion_fish.sh, completion_zsh.sh), a
# browser for its report (tests/nnctl/report_browser.sh), and what keeps their five builds of userspace.
full_set=(fish zsh chromium fonts-dejavu-core ccache)
# What the gate's style stage runs, a part of make lint.
style_set=(shellcheck perl clang-format)
# What make lint runs.
lint_set=(abigail-tools sparse shellcheck perl clang-format clang-tidy-16 mypy flake8 python3-numpy)
# What make docs runs.
docs_set=(python3-sphinx graphviz perl)
# The other compiler (scripts/clang.sh, scripts/fuzzers.sh; clang 14 has no _Float16) and the other architecture (scripts/arm64.sh).
clang_set=(clang-16 libclang-rt-16-dev)
cross_set=(gcc-aarch64-linux-gnu qemu-user)
# What boots a kernel for arm64 (scripts/arm64.sh guest).
arm64_vm_set=(qemu-system-arm device-tree-compiler)
# What a kernel is configured and built with (scripts/own-kernel.sh, scripts/kernel-series.sh).
debug_set=(flex bison bc libelf-dev libssl-dev)

installed()
{
	local status

	status=$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) || return 1
	[ "$status" = installed ]
}

list=0 names=0 size=0
wanted=()
for arg in "$@"; do
	case $arg in
	--list) list=1 ;;
	--names) names=1 ;;
	--size) size=1 ;;
	build) wanted+=("${build_set[@]}") ;;
	vm) wanted+=("${vm_set[@]}") ;;
	check) wanted+=("${check_set[@]}") ;;
	full) wanted+=("${full_set[@]}") ;;
	style) wanted+=("${style_set[@]}") ;;
	lint) wanted+=("${lint_set[@]}") ;;
	docs) wanted+=("${docs_set[@]}") ;;
	clang) wanted+=("${clang_set[@]}") ;;
	cross) wanted+=("${cross_set[@]}") ;;
	arm64-vm) wanted+=("${arm64_vm_set[@]}") ;;
	debug) wanted+=("${debug_set[@]}") ;;
	*) nn_die "unknown set '$arg' (build, vm, check, full, style, lint, docs, clang, cross, arm64-vm, debug)" ;;
	esac
done
[ "${#wanted[@]}" -gt 0 ] || wanted=("${build_set[@]}" "${vm_set[@]}" "${check_set[@]}" "${full_set[@]}" "${lint_set[@]}"
	"${docs_set[@]}" "${clang_set[@]}" "${cross_set[@]}")
if [ "$names" = 1 ]; then
	printf '%s\n' "${wanted[@]}"
	exit 0
fi

command -v dpkg-query >/dev/null || nn_die "this needs Debian's dpkg; install by hand: ${wanted[*]}"

missing=()
for pkg in "${wanted[@]}"; do
	installed "$pkg" || missing+=("$pkg")
done
if [ "$list" = 1 ]; then
	[ "${#missing[@]}" -eq 0 ] || printf '%s\n' "${missing[@]}"
	exit 0
fi
[ "${#missing[@]}" -gt 0 ] || exit 0

in_lists()
{
	local pkg

	for pkg in "${missing[@]}"; do
		[ -n "$(apt-cache show --no-all-versions "$pkg" 2>/dev/null)" ] || return 1
	done
}

install_missing()
{
	nn_logged apt-install nn_apt install --no-install-recommends "${missing[@]}"
}

if [ "$size" = 1 ]; then
	in_lists || nn_apt_update
	# a line 'URI' FILE SIZE HASH each
	bytes=$(apt-get install --print-uris -y --no-install-recommends "${missing[@]}" 2>/dev/null | awk '
		/^\047/ { n++; bytes += $3 }
		END { if (n) printf "%d packages (%d MB)", n, (bytes + 999999) / 1000000 }') || :
	echo "${bytes:-${#missing[@]} packages}"
	exit 0
fi
nn_say "installing packages: ${missing[*]}"
if ! in_lists; then
	nn_apt_update
fi
# Lists that are older than the archive name files that are gone: refresh once.
if ! install_missing && { nn_apt_update && ! install_missing; }; then
	! nn_fetch_failed apt-install ||
		nn_infra_die "packages cannot be fetched from apt's sources (${NN_LOGS#"$NN_ROOT"/}/apt-install.log): look at the network, then run again"
	nn_die "apt cannot install the packages (${NN_LOGS#"$NN_ROOT"/}/apt-install.log): ${missing[*]}"
fi
nn_say "packages installed"
