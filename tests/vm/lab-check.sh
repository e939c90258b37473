#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# lab-check.sh: tests nnaccel-lab of the source tree, on the host. Prints TAP. Two boots: a command with one card, and a laboratory of
# two cards that runs until it is ended.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"

lab=$NN_ROOT/scripts/nnaccel-lab
results=$NN_BUILD/vm/lab
rm -rf "$results" "$results".lock
# A comma and a blank: QEMU's options and the guest's scripts have to quote the path.
folder="$results/a, folder"
mkdir -p "$folder"
count=0

# expect TITLE WANTED GOT
expect()
{
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count $1"
	else
		echo "not ok $count $1"
		printf '%s\n' "wanted '$2', got '$3'" | head -n 20 | sed 's/^/# /'
	fi
}

# refused TITLE FOLDER WORD ARGUMENT...: exit status 125 without a boot, and a message with that word
refused()
{
	local title=$1 in=$2 word=$3 rc=0 text

	shift 3
	text=$(cd "$in" && "$lab" "$@" 2>&1) || rc=$?
	expect "refused: $title" "125 yes" "$rc $(grep -qF -- "$word" <<<"$text" && echo yes || echo "$text")"
}

# line NAME: the value of "NAME=VALUE" that the command has printed
line()
{
	sed -n "s/^$1=//p" "$results/output"
}

# until_exists FILE: waits for a file that the guest makes, as long as the laboratory runs
until_exists()
{
	until [ -e "$1" ]; do
		kill -0 "$running" 2>/dev/null || return 1
		sleep 0.1
	done
}

echo "TAP version 13"
refused "no command" "$folder" "no command" run
refused "an unknown option" "$folder" --nosuch run --nosuch -- true
refused "an option without its value" "$folder" "--cards needs a value" run --cards
refused "the folder /" / "current folder is /" run -- true
refused "a fault outside of a guest" "$folder" "--out DIR" fault none
refused "a fault in a folder that is no laboratory" "$folder" "not the folder of a laboratory" fault --out "$folder" none

greeting=$'good day,\tguest'
cat >"$folder/command.sh" <<'END'
echo "folder=$PWD"
echo "argument=$1"
echo "variable=$GREETING"
echo "node=$(stat -c '%F' /dev/accel/accel0)"
echo "nnctl=$(command -v nnctl)"
echo "library=$(python3 -c 'import ctypes; ctypes.CDLL("libneuralnetworks.so"); print("loads")' 2>&1 | tail -n 1)"
echo "before=$(nnctl validate --device accel0 | tail -n 1)"
nnaccel-lab fault die-at-job=1,always >/dev/null
echo "armed=$(nnaccel-lab control status | grep -o 'fault=.*')"
echo "faulty=$(nnctl validate --device accel0 | tail -n 1)"
nnaccel-lab fault none >/dev/null
echo "after=$(nnctl validate --device accel0 | tail -n 1)"
nnaccel-lab fault nosuch >/dev/null 2>&1
echo "bad=$?"
touch /usr/nnaccel-lab-was-here
echo from the guest >made
exit 7
END
rc=0
(cd "$folder" && "$lab" run --env "GREETING=$greeting" --out "$results/one" -- bash command.sh "an argument") >"$results/output" 2>"$results/one.err" || rc=$?
expect "the command's exit status" 7 "$rc"
expect "the outcome" "done" "$(cat "$results/one/outcome")"
expect "the command runs in the current folder" "$folder" "$(line folder)"
expect "an argument with a blank" "an argument" "$(line argument)"
expect "a variable with a blank and a tabulator" "$greeting" "$(line variable)"
expect "the command sees /dev/accel/accel0" "character special file" "$(line node)"
expect "nnctl is that of this build" "$NN_BUILD/tools/nnctl/nnctl" "$(line nnctl)"
expect "the libraries are found" loads "$(line library)"
expect "the card computes" "2 passed, 0 failed" "$(line before)"
expect "a fault on demand is armed" "fault=die-at-job=1,always" "$(line armed)"
expect "and shows: no model is computed" "0 passed, 2 failed" "$(line faulty)"
expect "and ends on demand" "2 passed, 0 failed" "$(line after)"
expect "a fault that does not exist is refused" 1 "$(line bad)"
expect "the current folder is writable" "from the guest" "$(cat "$folder/made")"
expect "a file there is the caller's" "$(id -u)" "$(stat -c %u "$folder/made")"
expect "nothing else is" absent "$(if [ -e /usr/nnaccel-lab-was-here ]; then echo present; else echo absent; fi)"

# A command with a driver of its own, and faults from the host
cat >"$folder/long.sh" <<'END'
[ ! -e /sys/module/nnaccel ] && echo absent >driver
modprobe nnaccel
until [ "$(cat /sys/class/accel/accel*/device/nnaccel/state 2>/dev/null | grep -cx online)" = 2 ]; do sleep 0.1; done
touch ready
sleep 100000
END
(cd "$folder" && exec "$lab" run --no-driver --cards 2 --out "$results/two" -- bash long.sh) >"$results/two.txt" 2>&1 &
running=$!
trap 'kill "$running" 2>/dev/null' EXIT
until_exists "$folder/ready"
expect "two cards of a driver that the command has loaded" "0 absent" "$? $(cat "$folder/driver")"
"$lab" fault --out "$results/two" --card 1 hang-at-job=3 >"$results/fault" 2>&1
expect "a fault from the host" 0 $?
expect "the second card has it" fault=hang-at-job=3 "$("$lab" control --out "$results/two" --card 1 status | grep -o 'fault=.*')"
expect "the first card has not" fault=none "$("$lab" control --out "$results/two" status | grep -o 'fault=.*')"
work=$(<"$results/two/work")
kill "$running"
rc=0
wait "$running" || rc=$?
expect "a signal ends the laboratory" 125 "$rc"
expect "with its machine" absent "$(if [ -e "$work" ]; then echo present; else echo absent; fi)"
refused "a fault in a laboratory that has ended" "$folder" "has ended" fault --out "$results/two" none
echo "1..$count"
