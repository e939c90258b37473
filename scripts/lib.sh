# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Shared by the project's shell scripts: where things are, progress lines, locks. Sourced, never run.

NN_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
NN_BUILD=${NNACCEL_BUILD:-$NN_ROOT/build}
NN_LOGS=$NN_BUILD/logs
NN_CACHE=${NNACCEL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/nnaccel}
NN_T0=${NN_T0:-$EPOCHREALTIME}
# depmod, modprobe and their like, which are not on a plain user's path.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export NN_ROOT NN_BUILD NN_LOGS NN_CACHE NN_T0

# Tenths of a second since the outermost script started, as "12.3".
nn_elapsed()
{
	local now=${EPOCHREALTIME/[.,]/} start=${NN_T0/[.,]/}
	local ds=$(((now - start) / 100000))

	printf '%d.%d' $((ds / 10)) $((ds % 10))
}

# One progress line; it goes to stderr so that a script's stdout stays its answer.
nn_say()
{
	printf '[%6s s] %s\n' "$(nn_elapsed)" "$*" >&2
}

nn_die()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# nn_logged NAME COMMAND...: runs quietly, the full output in build/logs/NAME.log; shows its end on failure.
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

# nn_lock FILE: holds an exclusive lock on FILE until this shell ends. The descriptor is closed in children
# only by their end, so never call this in a shell that leaves a background process behind.
nn_lock()
{
	mkdir -p "$(dirname "$1")"
	exec {NN_LOCK_FD}>"$1"
	flock -n "$NN_LOCK_FD" && return 0
	nn_say "waiting for another run that holds ${1##*/}"
	flock "$NN_LOCK_FD"
}
