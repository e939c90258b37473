# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What check.sh counts and prints: the table, the notes below it, progress, the sum. Sourced by check.sh after lib.sh.

passed=0
failed=0
unstable=0
table=$NN_BUILD/check/table.tsv
# tally.py and the groups append to it: what was not tested, and why.
notes=$NN_BUILD/check/notes
export NN_CHECK_NOTES=$notes
# Seconds of each stage: of this run, and of the last complete one.
stages=$NN_BUILD/check/stages.tsv
stage_name=
stage_start=0
# The mirror or the network failed: exit status 3 instead of 1.
infrastructure=

# add GROUP ROUTE WHAT "PASSED FAILED [UNSTABLE]": adds one count to the sum and to the table. WHAT is what is counted: cases,
# vectors...
add()
{
	local p f u

	read -r p f u <<<"$4"
	if ! [[ ${p:-} =~ ^[0-9]+$ && ${f:-} =~ ^[0-9]+$ ]]; then
		p=0 f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	[[ ${u:-} =~ ^[0-9]+$ ]] || u=0
	unstable=$((unstable + u))
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$p" "$f" "$u" >>"$table"
	nn_say "$1, $2: $p $3 passed, $f failed$([ "$u" = 0 ] || echo ", $u unstable")"
}

# add_lines GROUP "LINES": the same for a script that counts several things, a line
# "ROUTE<tab>WHAT<tab>PASSED<tab>FAILED[<tab>UNSTABLE]" each
add_lines()
{
	local route what p f u any=0

	while IFS=$'\t' read -r route what p f u; do
		[ -n "$f" ] || continue
		any=1
		add "$1" "$route" "$what" "$p $f $u"
	done <<<"$2"
	[ "$any" = 1 ] || add "$1" all cases "0 1"
}

# note TEXT: a line below the table
note()
{
	nn_say "$1"
	printf '%s\n' "$1" >>"$notes"
}

# Seconds of the last run: of stage $1, of all, and of $1 with all that followed.
stages_forecast()
{
	awk -F '\t' -v name="$1" '$1 == name { own = $2; on = 1 } { all += $2 } on { left += $2 }
		END { if (own != "") printf " (last time %d of %d s; %d s left)", own, all, left }' "$stages_before" 2>/dev/null
}

# begin NAME: a stage of the run; the progress line names its share and the time left, as the last run took.
begin()
{
	local now=${EPOCHSECONDS}

	[ -z "$stage_name" ] || printf '%s\t%s\n' "$stage_name" $((now - stage_start)) >>"$stages"
	stage_name=$1 stage_start=$now
	[ -z "$1" ] || nn_say "$1$(stages_forecast "$1")"
}

# step NAME COMMAND...: what tests depend on; its failure counts as one. Exit status 3 of the command: the mirror failed.
step()
{
	local name=$1 rc=0

	shift
	"$@" || rc=$?
	[ "$rc" -ne 0 ] || return 0
	[ "$rc" -ne 3 ] || infrastructure=$name
	add "$name" host builds "0 1"
	return 1
}

# needs GROUP ROUTE WHAT FLAG REASON: whether the group can run; if not, it counts as one failure.
needs()
{
	[ "$4" = 1 ] && return 0
	nn_say "$1 cannot run: $5"
	add "$1" "$2" "$3" "0 1"
	return 1
}

# after_make PID TEXT: prints TEXT after make has printed its own error line.
after_make()
{
	local state

	[ -z "${NN_LOCK_FD:-}" ] || exec {NN_LOCK_FD}>&-
	while state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) && [[ $state != Z* ]]; do
		sleep 0.01
	done
	echo "$2"
}

# Prints the table, the notes, the ledger's lines and the sum; exits.
finish()
{
	local sum="$passed passed, $failed failed" rc=0

	[ "$unstable" = 0 ] || note "$unstable unstable: build/check/unstable.tsv has their logs"

	trap nn_scratch_end EXIT
	trap - TERM
	aside_end
	begin ""
	[ "$failed" -ne 0 ] || [ -z "$suite_name" ] || cp "$stages" "$stages_before"
	{
		scripts/tally.py table "$table"
		sort -u "$notes"
		if [ "$suite_name" = gate ]; then
			scripts/check/ledger.py state
		elif [ -n "$suite_name" ]; then
			scripts/check/ledger.py append "$suite_name" "$table"
		fi
		[ -z "$infrastructure" ] || echo "infrastructure: '$infrastructure' failed because the package mirror did; run again when it answers"
	} | tee "$NN_BUILD/check/table.txt"
	echo "$sum" >"$NN_BUILD/check/sum"
	echo "$sum"
	[ "$failed" -ne 0 ] || exit 0
	rc=1
	[ -z "$infrastructure" ] || rc=3
	[ -z "${NN_MAKE_PID:-}" ] || after_make "$NN_MAKE_PID" "$sum" &
	exit "$rc"
}

# The script ends before it has called finish, which counts as a failure. Nothing is written if the build folder was removed
# meanwhile: another run may have begun in one of the same name.
ended_early()
{
	[ "/proc/$$/fd/$NN_LOCK_FD" -ef "$NN_BUILD/.check.lock" ] || { nn_scratch_end; exit 1; }
	add "check itself" host cases "0 1"
	finish
}

table_begin()
{
	mkdir -p "$NN_BUILD/check" "$NN_LOGS" "$NN_CACHE/check"
	rm -rf "$NN_BUILD/check/sum" "$NN_BUILD/check/table.txt" "$NN_BUILD/check/unstable" "$NN_BUILD/check/unstable.tsv"
	: >"$table"
	: >"$notes"
	: >"$stages"
	stages_before=$NN_CACHE/check/stages-${suite_name:-groups}.tsv
}
