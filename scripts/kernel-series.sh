#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kernel-series.sh OUT [TREE]: writes patches into the folder OUT (git format-patch) that add the driver to a kernel tree.
# kernel-series.sh check SERIES: makes them for the tree of kernel.sh's SERIES (6.12, newest) and tests them there; the last
# line is "PASSED FAILED", or "skipped REASON".
#
# TREE is a configured kernel source tree, for which "make modules_prepare" was done; the default is kernel.sh's. What it offers
# is found out by nnaccel_probe.sh; unifdef leaves of nnaccel_compat.h what that tree lacks, and the rest goes where the header
# was included. For the newest kernel that is nothing. See Documentation/kernel-series.rst.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT" || exit 1

driver=drivers/accel/nnaccel
docs=Documentation/accel/nnaccel
bindings=Documentation/devicetree/bindings
pages=(kernel uapi device-contract failure-and-recovery)
work=$NN_BUILD/kernel-series
title="DRM ACCEL DRIVER FOR NNACCEL"

# Sets answers, the options for unifdef: by compiling one object of the driver in TREE.
probe()
{
	local tree=$1 copy=$work/probe name names

	rm -rf "$copy"
	mkdir -p "$copy"
	cp -r Kbuild VERSION kernel uapi "$copy/"
	nn_logged kernel-series-probe make -C "$tree" M="$copy" KBUILD_MODPOST_WARN=1 kernel/nnaccel/nnaccel_ring.o
	answers=(-U_NNACCEL_CONFIG_H_ -UNNACCEL_VERSION)
	mapfile -t names < <(grep -o 'NNACCEL_HAVE_[A-Z_]*' kernel/nnaccel/nnaccel_compat.h | sort -u)
	for name in "${names[@]}"; do
		if grep -q "define $name 1" "$copy/kernel/nnaccel/nnaccel_config.h"; then
			answers+=("-D$name=1")
		else
			answers+=("-U$name")
		fi
	done
}

# unifdef's exit status says whether the text changed.
resolve()
{
	unifdef -B "${answers[@]}" "$1" || [ $? -eq 1 ]
}

# What TREE lacks, without guard and includes; for the newest kernel nothing
lacking()
{
	resolve kernel/nnaccel/nnaccel_compat.h | sed -e '1,/^#include "nnaccel_config.h"$/d' -e '/^#endif$/d' | cat -s |
		sed -e '1{' -e '/^$/d' -e '}'
}

source_file()
{
	# The contract's headers have a folder of their own: two of them are named like headers of the driver.
	resolve "$1" | sed -e 's,<nnaccel/\(nnaccel_[a-z]*\.h\)>,"contract/\1",' -e "s,uapi/nnaccel/,$driver/contract/,g" \
		-e "/^#include \"nnaccel_compat.h\"\$/{
			r $work/lacking
			d
		}"
}

# Pages of the project that are not in the series become plain words; pictures are left out.
page()
{
	local keep
	keep=$(IFS='|' && echo "${pages[*]}")

	# shellcheck disable=SC2016 # backquotes of the markup
	sed -E -e "s/:doc:\`(api\/device-contract)\`/the headers in \`\`${driver//\//\\/}\/contract\`\`/g" \
		-e "s/:doc:\`($keep)\`/:DOC:\`\1\`/g" -e 's/:doc:`([^`<]*)`/the page "\1" of the project/g' -e 's/:DOC:/:doc:/g' \
		-e 's/:ref:`([^<`]*) <[^`]*>`/\1/g' \
		-e "s,uapi/nnaccel,$driver/contract,g" -e "s,([^/])uapi/drm,\1include/uapi/drm,g" -e "s,kernel/nnaccel,$driver,g" \
		-e '/^\.\. graphviz::/,/^$/d' "$1"
}

# In place, in the order that the file has: the line goes before the first that sorts after it.
insert()
{
	local file=$1 line=$2 pattern=$3

	awk -v line="$line" -v pattern="$pattern" '
		!done && $0 ~ pattern && $0 > line { print line; done = 1 }
		$0 ~ pattern { seen = 1 }
		seen && !done && $0 !~ pattern { print line; done = 1 }
		{ print }
		END { if (seen && !done) print line }' "$file" >"$file.new"
	grep -qxF -- "$line" "$file.new" || nn_die "$file is not laid out as expected"
	mv "$file.new" "$file"
}

maintainers()
{
	awk -v title="$title" -v file="$work/entry" '
		!done && /^DRM / && $0 > title { while ((getline line < file) > 0) print line; print ""; done = 1 }
		{ print }' MAINTAINERS >MAINTAINERS.new
	grep -qxF "$title" MAINTAINERS.new || nn_die "no place for the entry in MAINTAINERS"
	mv MAINTAINERS.new MAINTAINERS
}

# The prefix of compatible strings, in the order of the file
vendor_prefix()
{
	awk -v entry="  \"^nnaccel,.*\":" '
		!done && /^  "\^[a-z]/ && tolower($0) > entry { print entry; print "    description: The nnaccel project"; done = 1 }
		{ print }' "$bindings/vendor-prefixes.yaml" >vendor-prefixes.new
	grep -qF '"^nnaccel,' vendor-prefixes.new || nn_die "no place for the prefix in vendor-prefixes.yaml"
	mv vendor-prefixes.new "$bindings/vendor-prefixes.yaml"
}

# patch SUBJECT FILE...: commits the files; standard input is the body
patch_of()
{
	local subject=$1

	shift
	git add "$@"
	{ printf '%s\n\n' "$subject" && cat; } | git commit -q --signoff -F -
}

# The series as commits on top of the files of TREE that it changes
commits()
{
	local tree=$1 out=$2 file name mail

	rm -rf "$out"
	mkdir -p "$out"
	name=$(git -C "$NN_ROOT" log -1 --format=%an) mail=$(git -C "$NN_ROOT" log -1 --format=%ae)
	cat >"$work/entry" <<-END
		$title
		M:	$name <$mail>
		L:	dri-devel@lists.freedesktop.org
		S:	Supported
		T:	git https://gitlab.freedesktop.org/drm/misc/kernel.git
		F:	$docs/
		F:	$driver/
		F:	include/uapi/drm/nnaccel_accel.h
	END
	(
		cd "$out"
		git init -q
		git config user.name "$name"
		git config user.email "$mail"
		git config commit.gpgsign false
		git config core.hooksPath /dev/null
		for file in MAINTAINERS drivers/accel/{Kconfig,Makefile} Documentation/accel/index.rst "$bindings/vendor-prefixes.yaml"; do
			mkdir -p "${file%/*}"
			[ "$file" = MAINTAINERS ] && rmdir MAINTAINERS
			cp "$tree/$file" "$file"
		done
		git add .
		git commit -q -m base
		git tag base
		mkdir -p "$driver/contract" "$docs" include/uapi/drm

		cp "$NN_ROOT/uapi/drm/nnaccel_accel.h" include/uapi/drm/
		maintainers
		patch_of "accel/nnaccel: add the uAPI header" MAINTAINERS include <<-'END'
			nnaccel is a DRM accel driver for neural network accelerators that
			take jobs from rings in host memory and reach buffers through page
			tables of their own, one address space per open file. A client
			compiles its programs in userspace; the kernel sees buffers, queues
			and jobs.

			Queries are extensible by size, structures by flags that are checked,
			and times are absolute CLOCK_MONOTONIC.
		END
		for file in "$NN_ROOT"/uapi/nnaccel/*.h; do
			[[ $file == *_result.h || $file == *_soc.h ]] && continue
			cp "$file" "$driver/contract/"
		done
		patch_of "accel/nnaccel: add the device contract" "$driver" <<-'END'
			These headers describe the registers, rings, page tables and status
			codes between host and device. They are no uAPI: userspace never sees
			the device's side.
		END
		cp -r "$NN_ROOT/$bindings/npu" "$bindings/"
		vendor_prefix
		patch_of "dt-bindings: npu: add nnaccel" "$bindings" <<-'END'
			An accelerator of a system on a chip: registers, a doorbell, two
			interrupts, clocks, a reset that ends its accesses to memory, and
			memory for the firmware.
		END
		for file in "$NN_ROOT"/kernel/nnaccel/*.[ch]; do
			[[ $file == */nnaccel_co@(mpat|nfig).h || $file == */nnaccel_emu_* || $file == *.mod.c ]] ||
				(cd "$NN_ROOT" && source_file "kernel/nnaccel/${file##*/}") >"$driver/${file##*/}"
		done
		cd "$driver"
		patch_of "accel/nnaccel: add device, rings and handshake" nnaccel_{module,shared,trouble,device,dma,hw,ring,admin,fw,cq,pci,platform,irq,slot,account}* <<-'END'
			The device behind a small set of operations, with a backend for PCI
			and one for what a device tree describes; rings with private indices
			whose contents are checked once copied; admin commands; the
			firmware's handshake and versions; charges of files and users.

			The lock order is stated at struct nnaccel_device.
		END
		patch_of "accel/nnaccel: add buffers and address spaces" nnaccel_{bo,gem,mmu,pt}* <<-'END'
			Buffers are shmem objects, in huge pages where the kernel has them.
			Each open file has an address space with page tables that the device
			walks. Pages return to the system only when the device cannot write to
			them any more.
		END
		patch_of "accel/nnaccel: add queues and jobs" nnaccel_{queue,submit,sync,fence,job,complete,dispatch}* <<-'END'
			A queue is one drm_sched entity and one ring. SUBMIT copies and checks
			everything before the first fence is published; from then on nothing
			on a job's way allocates or waits for memory.

			A job that has nothing to wait for enters the ring from SUBMIT itself.
		END
		patch_of "accel/nnaccel: add watchdogs and recovery" nnaccel_{watch,reset}* <<-'END'
			Every fence ends in bounded time: a job without progress is aborted,
			a device that does not answer is reset, and the jobs of others go on.
			The guilty context is banned and can be queried.
		END
		patch_of "accel/nnaccel: add debugfs and tracepoints" nnaccel_{debugfs,trace}* <<-'END'
			State of the device and its queues, counters of the firmware, and
			tracepoints for the life of a job.
		END
		cat >Kconfig <<-'END'
			# SPDX-License-Identifier: GPL-2.0-only

			config DRM_ACCEL_NNACCEL
				tristate "nnaccel neural network accelerators"
				depends on DRM_ACCEL
				depends on 64BIT && PCI && PCI_MSI && MMU && SHMEM
				depends on HWMON || HWMON=n
				select DRM_EXEC
				select DRM_GEM_SHMEM_HELPER
				select DRM_SCHED
				select FW_LOADER
				select SYNC_FILE
				help
				  Choose this option if you have a neural network accelerator of
				  the nnaccel device contract, or a virtual machine with the
				  emulated card.

				  The interface exposed to userspace is described in
				  include/uapi/drm/nnaccel_accel.h and is used by the NNAPI runtime
				  of the nnaccel project.

				  If unsure, say N.

				  To compile this driver as a module, choose M here: the
				  module will be called nnaccel.
		END
		{
			printf '# SPDX-License-Identifier: GPL-2.0-only\n\n'
			sed -n '/^nnaccel-y := /,/[^\\]$/p' "$NN_ROOT/kernel/nnaccel/Kbuild"
			# shellcheck disable=SC2016 # for make
			printf '\n# The trace header is included by its name.\nCFLAGS_nnaccel_trace.o := -I$(src)\n\n'
			# shellcheck disable=SC2016 # for make
			echo 'obj-$(CONFIG_DRM_ACCEL_NNACCEL) += nnaccel.o'
		} >Makefile
		cd "$out"
		insert drivers/accel/Kconfig "source \"$driver/Kconfig\"" '^source "drivers/accel/'
		# shellcheck disable=SC2016 # for make
		insert drivers/accel/Makefile "$(printf 'obj-$(CONFIG_DRM_ACCEL_NNACCEL)\t\t+= nnaccel/')" '^obj-'
		patch_of "accel/nnaccel: add the driver" drivers <<-'END'
			Files, queries, the table of ioctls, the module, and the driver's
			place in Kconfig and Makefile.
		END
		for file in "$NN_ROOT"/kernel/nnaccel/nnaccel_emu_*.[ch]; do
			(cd "$NN_ROOT" && source_file "kernel/nnaccel/${file##*/}") >"$driver/${file##*/}"
		done
		cat >>"$driver/Kconfig" <<-'END'

			config DRM_ACCEL_NNACCEL_EMU
				tristate "nnaccel accelerator emulated by a process"
				depends on DRM_ACCEL_NNACCEL
				select EVENTFD
				help
				  Choose this option to develop and test with an accelerator
				  that a process of this machine emulates. The process sees
				  the memory of all clients of that device.

				  If unsure, say N.

				  To compile this driver as a module, choose M here: the
				  module will be called nnaccel_emu.
		END
		{
			echo
			sed -n '/^nnaccel_emu-y := /,/[^\\]$/p' "$NN_ROOT/kernel/nnaccel/Kbuild"
			# shellcheck disable=SC2016 # for make
			echo 'obj-$(CONFIG_DRM_ACCEL_NNACCEL_EMU) += nnaccel_emu.o'
		} >>"$driver/Makefile"
		patch_of "accel/nnaccel: add a device that a process emulates" drivers <<-'END'
			A second backend, in a module of its own: the process that opens its
			node speaks the device contract, as the firmware of a card does. For
			development and tests; it taints the kernel.

			Memory reaches the process by page frames in a VMA of the node, which
			are zapped before anything is freed, outside of the fence-signalling
			path.
		END
		for file in "${pages[@]}"; do
			page "$NN_ROOT/Documentation/$file.rst" >"$docs/$file.rst"
		done
		{
			printf '.. SPDX-License-Identifier: GPL-2.0-only\n\n%s\n%s\n%s\n\n' "====================" \
				"accel/nnaccel driver" "===================="
			printf '.. toctree::\n   :maxdepth: 1\n\n'
			printf '   %s\n' "${pages[@]}"
		} >"$docs/index.rst"
		[ ! -d "$NN_ROOT/Documentation/ABI" ] || cp -r "$NN_ROOT/Documentation/ABI" Documentation/
		insert Documentation/accel/index.rst "   nnaccel/index" '^   [a-z]+/index'
		patch_of "Documentation/accel: describe the nnaccel driver" Documentation <<-'END'
			How the driver works inside, its uAPI in prose, what it asks of a
			device, and what happens to whom when something fails.
		END
		[ -z "$(git status --porcelain)" ] || nn_die "left out of the series: $(git status --porcelain)"
	)
}

# series OUT TREE
series()
{
	local out=$1 tree=$2

	command -v unifdef >/dev/null || nn_die "unifdef is missing: scripts/bootstrap.sh check installs it"
	[ -e "$tree/include/generated/autoconf.h" ] || nn_die "$tree is no tree in which 'make modules_prepare' was done"
	mkdir -p "$work" "$out"
	probe "$tree"
	lacking >"$work/lacking"
	commits "$tree" "$work/repository"
	rm -f "$out"/[0-9]*.patch
	git -C "$work/repository" format-patch -q --cover-letter -o "$out" base
	mv "$out"/0000-* "$work/cover-letter"
}

passed=0 failed=0
# expect NAME COMMAND...: one case; its output is a log
expect()
{
	local name=$1

	shift
	if "$@" >"$NN_LOGS/kernel-series-$name.log" 2>&1 </dev/null; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		nn_say "FAILED kernel-series $name (the end of $NN_LOGS/kernel-series-$name.log follows)"
		tail -n 15 "$NN_LOGS/kernel-series-$name.log" >&2
	fi
}

applies_by_git()
{
	rm -rf "$work/am"
	git clone -q "$work/repository" "$work/am" &&
		git -C "$work/am" checkout -q base &&
		git -C "$work/am" -c user.name=a -c user.email=a@b -c core.hooksPath=/dev/null am "$1"/*.patch &&
		git -C "$work/am" diff --quiet HEAD origin/HEAD
}

# In the tree: applied by patch, configured, compiled with W=1 and sparse. An overlay on the cache's tree, in a namespace of its
# own, keeps that as it is.
builds()
{
	local tree=$1 patches=$2

	rm -rf "$work/overlay" 2>/dev/null || :
	mkdir -p "$work/overlay"/{upper,work,tree}
	{
		cat scripts/kernel-series.config
		echo CONFIG_DRM_ACCEL_NNACCEL=m
		echo CONFIG_DRM_ACCEL_NNACCEL_EMU=m
	} >"$work/config"
	# shellcheck disable=SC2016 # for the shell in the namespace
	unshare --map-root-user --mount bash -ec '
		mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/overlay/upper,workdir=$2/overlay/work" "$2/overlay/tree"
		cd "$2/overlay/tree"
		for patch in "$3"/*.patch; do
			patch -p1 -s --fuzz=0 <"$patch"
		done
		make -s KCONFIG_ALLCONFIG="$2/config" allnoconfig
		grep -x CONFIG_DRM_ACCEL_NNACCEL=m .config
		grep -x CONFIG_DRM_ACCEL_NNACCEL_EMU=m .config
		# the modules that it uses, in a configuration where no other driver selects them
		for helper in EXEC GEM_SHMEM_HELPER SCHED; do
			grep -xE "CONFIG_DRM_$helper=[my]" .config
		done
		make -s -j"$(nproc)" modules_prepare
		make -j"$(nproc)" W=1 C=2 CHECK=sparse drivers/accel/nnaccel/
		test -s drivers/accel/nnaccel/nnaccel.o
	' - "$tree" "$work" "$patches"
}

silent()
{
	! grep -E 'warning:|error:' "$NN_LOGS/kernel-series-builds.log"
}

# The kernel's files that this tree has copies of, in the tree of the series that is pinned
copies()
(
	rc=0
	for file in tests/kselftest/harness/kselftest{,_harness}.h; do
		cmp "$file" "$1/tools/testing/selftests/${file##*/}" || rc=1
	done
	for file in scripts/checkpatch/{checkpatch.pl,spelling.txt,const_structs.checkpatch}; do
		cmp "$file" "$1/scripts/${file##*/}" || rc=1
	done
	exit "$rc"
)

# checkpatch wants MAINTAINERS in every patch that adds a file; the first has the entry for all. The headers that userspace
# compiles as well, which the first two patches add, have the exceptions of lint.sh. The binding is in the series, not in the tree.
checkpatch()
(
	tree=$1 out=
	cd "$work" || exit
	for patch in "$2"/*.patch; do
		ignore=FILE_PATH_CHANGES,UNDOCUMENTED_DT_STRING
		[[ $patch != */000[12]-* ]] || ignore+=,BIT_MACRO,CAMELCASE,LINE_SPACING,LONG_LINE_COMMENT
		out+=$(perl "$tree/scripts/checkpatch.pl" --root="$tree" --strict --terse --show-types --no-summary --quiet \
			--max-line-length=100 --ignore "$ignore" "$patch" 2>&1) || :
	done
	printf '%s\n' "$out"
	[ -z "$out" ]
)

kernel_doc()
{
	local out

	out=$(cd "$work/repository" && "$1/scripts/kernel-doc" -none "$driver"/*.[ch] "$driver"/contract/*.h \
		include/uapi/drm/nnaccel_accel.h 2>&1) || { echo "$out" && return 1; }
	printf '%s\n' "$out"
	[ -z "$out" ]
}

# Sphinx with one of the kernel's extensions, its own directive, which reads the sources of the series. Older ones run a script.
pages_build()
{
	local script=()

	! grep -q "add_config_value('kerneldoc_bin'" "$1/Documentation/sphinx/kerneldoc.py" ||
		script=(-D "kerneldoc_bin=$1/scripts/kernel-doc")
	PYTHONPATH=$1/Documentation/sphinx:$1/tools/lib/python srctree=$work/repository sphinx-build -q -W -C -b dummy -D master_doc=index \
		-D "project=nnaccel" -D extensions=kerneldoc "${script[@]}" -D "kerneldoc_srctree=$work/repository" \
		"$work/repository/$docs" "$work/sphinx"
}

# The fixes of DRM's core apply, compile without a warning in a configuration that has all of it, and please checkpatch.
core_fixes()
{
	local tree=$1 file objects=() out

	mapfile -t objects < <(sed -n 's,^+++ b/\(.*\)\.c$,\1.o,p' kernel/core-fixes/*.patch | sort -u)
	[ "${#objects[@]}" -gt 0 ] || return
	out=$(for file in "$NN_ROOT"/kernel/core-fixes/*.patch; do
		perl "$tree/scripts/checkpatch.pl" --root="$tree" --strict --terse --show-types --no-summary --quiet "$file" 2>&1
	done)
	printf '%s\n' "$out"
	[ -z "$out" ] || return
	# on the overlay of builds(), whose configuration has the driver and so what it selects
	rm -rf "$work/overlay" 2>/dev/null || :
	mkdir -p "$work/overlay"/{upper,work,tree}
	# shellcheck disable=SC2016 # for the shell in the namespace
	unshare --map-root-user --mount bash -ec '
		mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/overlay/upper,workdir=$2/overlay/work" "$2/overlay/tree"
		cd "$2/overlay/tree"
		for patch in "$3"/*.patch "$4"/kernel/core-fixes/*.patch; do
			patch -p1 -s --fuzz=0 <"$patch"
		done
		make -s KCONFIG_ALLCONFIG="$2/config" allnoconfig
		make -s -j"$(nproc)" modules_prepare
		make -j"$(nproc)" W=1 KCFLAGS=-Werror "${@:5}"
	' - "$tree" "$work" "$work/patches" "$NN_ROOT" "${objects[@]}"
}

# Nothing of what is for building out of the tree is in the series.
clean()
(
	found=0
	cd "$work/repository" || exit
	! grep -rnE 'NNACCEL_HAVE_|nnaccel_(compat|config)\.h|nnaccel_probe|LINUX_VERSION_CODE' "$driver" "$docs" include || found=1
	[ -z "$(git ls-files '*.sh')" ] || found=1
	[ "$1" != newest ] || [ ! -s "$work/lacking" ] || { cat "$work/lacking" && found=1; }
	exit "$found"
)

check()
{
	local which=$1 why tree patches

	export NNACCEL_KERNEL_SERIES=$which
	work=$work/$which patches=$work/patches
	mkdir -p "$work" "$NN_LOGS"
	nn_lock "$work/.lock"
	why=$(scripts/kernel.sh obstacle tree)
	[ -n "$why" ] || unshare --map-root-user --mount true 2>/dev/null || why="unshare --map-root-user --mount is refused"
	if [ -n "$why" ]; then
		echo "skipped $why"
		return
	fi
	scripts/bootstrap.sh debug check docs || return
	tree=$(scripts/kernel.sh tree) || return
	rm -rf "$patches"
	expect made series "$patches" "$tree"
	if [ "$failed" = 0 ]; then
		expect applies applies_by_git "$patches"
		expect builds builds "$tree" "$patches"
		expect silent silent
		expect checkpatch checkpatch "$tree" "$patches"
		expect kernel-doc kernel_doc "$tree"
		expect pages pages_build "$tree"
		expect clean clean "$which"
		[ "$which" = newest ] || expect copies copies "$tree"
		# They are for the kernel that takes fixes.
		[ "$which" != newest ] || expect core-fixes core_fixes "$tree"
	fi
	echo "$passed $failed"
}

shopt -s extglob
case ${1:-} in
"" | --help) nn_die "kernel-series.sh OUT [TREE], or check SERIES (6.12, newest)" ;;
check) check "${2:-newest}" ;;
*)
	out=$(realpath -m "$1")
	tree=$(realpath "${2:-$(scripts/kernel.sh tree)}")
	series "$out" "$tree"
	find "$out" -name '[0-9]*.patch' | sort
	;;
esac
