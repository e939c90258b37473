# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Shared by the shell scripts: paths, progress lines, locks. Sourced, never run.

NN_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
NN_BUILD=${NNACCEL_BUILD:-$NN_ROOT/build}
NN_LOGS=$NN_BUILD/logs
NN_CACHE=${NNACCEL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/nnaccel}
NN_T0=${NN_T0:-$EPOCHREALTIME}
# depmod and modprobe are not on a plain user's path.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
# Debian's python3: the shim of a version manager starts a shell or two before each program.
[[ $(command -v python3) != */shims/* ]] || PATH=/usr/bin:$PATH
export NN_ROOT NN_BUILD NN_LOGS NN_CACHE NN_T0
# ccache, where it is installed: clones of one source share its objects, in whatever folder they are.
export CCACHE_DIR=${CCACHE_DIR:-$NN_CACHE/ccache} CCACHE_BASEDIR=${CCACHE_BASEDIR:-$NN_ROOT} CCACHE_NOHASHDIR=1

# Tenths of a second since the outermost script started, as "12.3".
nn_elapsed()
{
	local now=${EPOCHREALTIME/[.,]/} start=${NN_T0/[.,]/}
	local ds=$(((now - start) / 100000))

	printf '%d.%d' $((ds / 10)) $((ds % 10))
}

# Prints a progress line on stderr; stdout is for a script's result.
nn_say()
{
	printf '[%6s s] %s\n' "$(nn_elapsed)" "$*" >&2
}

nn_die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# nn_infra_die TEXT: the network or a mirror failed, and nothing is known of the project: exit status 3. Scripts pass it on.
nn_infra_die()
{
	printf '%s: infrastructure: %s\n' "${0##*/}" "$*" >&2
	exit 3
}

# nn_logged NAME COMMAND...: runs a command with its output in build/logs/NAME.log; shows the log's end on failure.
nn_logged()
{
	local log=$NN_LOGS/$1.log rc=0

	shift
	mkdir -p "$NN_LOGS"
	"$@" >"$log" 2>&1 </dev/null || rc=$?
	if [ "$rc" -ne 0 ]; then
		nn_say "failed ($rc): $* (the end of ${log#"$NN_ROOT"/} follows)"
		tail -n 30 "$log" >&2
	fi
	return "$rc"
}

# nn_ccache: prints "ccache" where it is installed. meson uses it by itself, but not with a compiler that is named.
nn_ccache()
{
	! command -v ccache >/dev/null || echo ccache
}

# nn_lock FILE: holds an exclusive lock on FILE until this shell ends. Children inherit the descriptor: do not call this in
# a shell that leaves a background process behind.
nn_lock()
{
	mkdir -p "$(dirname "$1")"
	exec {NN_LOCK_FD}>"$1"
	flock -n "$NN_LOCK_FD" && return 0
	nn_say "waiting for another run that holds ${1##*/}"
	flock "$NN_LOCK_FD"
}

# nn_scratch: one folder for all temporary files of this run, $NN_SCRATCH, which is also TMPDIR; it is removed when this shell ends.
# Scripts that this one calls use it too. A folder whose run was killed goes with the next run. A script with an EXIT trap of its
# own sets that after this call, and calls nn_scratch_end there.
nn_scratch()
{
	local old pid

	if [ -n "${NN_SCRATCH:-}" ] && [ -d "$NN_SCRATCH" ]; then
		export TMPDIR=$NN_SCRATCH
		return
	fi
	for old in "${TMPDIR:-/tmp}"/nnaccel-run.*; do
		pid=${old#*/nnaccel-run.}
		if [ -O "$old" ] && [ ! -e "/proc/${pid%%.*}" ]; then
			rm -rf "$old"
		fi
	done
	# a short name: sockets are in it
	NN_SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/nnaccel-run.$$.XXXX") || nn_die "no folder for temporary files in ${TMPDIR:-/tmp}"
	# tests become other users, as in /tmp
	chmod 1777 "$NN_SCRATCH"
	NN_SCRATCH_PID=$BASHPID
	export NN_SCRATCH TMPDIR=$NN_SCRATCH
	trap nn_scratch_end EXIT
}

# Removes the folder in the shell that made it, and nowhere else.
nn_scratch_end()
{
	[ "${NN_SCRATCH_PID:-}" != "$BASHPID" ] || rm -rf "${NN_SCRATCH:?}"
}
