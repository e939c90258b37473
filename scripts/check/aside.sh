# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Work aside of check.sh's tests: scripts/aside.sh runs it, this adds to it and waits for it. Sourced by check.sh.

aside=$NN_BUILD/check/aside
aside_pid=
rm -rf "$aside"

# aside NAME COMMAND: adds what only computes; await gives its output. In the gate await runs nothing: there is none.
aside()
{
	mkdir -p "$aside"
	printf '%s\t%s\n' "$1" "$2" >>"$aside/plan"
}

aside_begin()
{
	[ -f "$aside/plan" ] || return 0
	# the number of the process, and of its session: a background job of a script leads no group
	setsid scripts/aside.sh "$aside" </dev/null >/dev/null {NN_LOCK_FD}>&- &
	aside_pid=$!
}

aside_end()
{
	[ -z "$aside_pid" ] || kill -- "-$aside_pid" 2>/dev/null
	return 0
}

# await NAME: waits until it is done, prints its output, shows its log if it failed, and returns its exit status.
await()
{
	local rc

	while [ ! -f "$aside/$1" ] && kill -0 "$aside_pid" 2>/dev/null; do
		sleep 0.2
	done
	rc=$(cat "$aside/$1.rc" 2>/dev/null) || rc=1
	[ "$rc" = 0 ] || tail -n 60 "$aside/$1.log" >&2
	cat "$aside/$1" 2>/dev/null
	return "$rc"
}
