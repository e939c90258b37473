#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# errors.sh NNCTL MODELS: commands that fail report the error and free everything (sanitizer builds find leaks).
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

# NNACCEL_AMX has the words of nnapi.conf, and others are reported
for word in 0 no False off 1 yes true ON ""; do
	run 0 env NNACCEL_AMX="$word" "$nnctl" run "$model" --input "$models/pictures/star.png" --device cpu
	grep NNACCEL_AMX "$folder/err" && die "NNACCEL_AMX=$word is reported"
done
run 0 env NNACCEL_AMX=maybe "$nnctl" run "$model" --input "$models/pictures/star.png" --device cpu
printed err 'NNACCEL_AMX="maybe" ignored: use 0, no, false, off, or 1, yes, true, on'

# What was on the stack when main() returned keeps nothing alive.
# Only here: a run that succeeds may leave a thread that frees what it had, by its stack.
export LSAN_OPTIONS=use_stacks=0

head -c 1000 "$model" >"$folder/cut.tflite"
: >"$folder/empty.tflite"
for file in "$folder/cut.tflite" "$folder/empty.tflite" "$folder/none.tflite"; do
	run 1 "$nnctl" explain "$file"
	run 1 "$nnctl" bench "$file" --device cpu
	run 1 "$nnctl" run "$file" --input /dev/null --device cpu
	printed err "${file##*/}"
done
run 1 "$nnctl" explain "$model" --devices nosuch
run 1 "$nnctl" run "$model" --input "$models/pictures/star.png" --device accel77
printed err 'accel77'

# help of a command
for arguments in "bench --help" "bench -h" "help bench" "bench $model --runs 5 --help"; do
	# shellcheck disable=SC2086 # words
	run 0 "$nnctl" $arguments
	printed out '^usage: nnctl bench MODEL\.tflite'
	printed out '^  latency: median'
done
run 0 "$nnctl" trace record --help
printed out '^usage: nnctl trace record'

# mistyped names
run 2 "$nnctl" lsit
printed err '^nnctl: unknown command lsit; is it list\?'
run 2 "$nnctl" explian "$model"
printed err 'unknown command explian; is it explain\?'
run 2 "$nnctl" xyzzy
printed err '^nnctl: unknown command xyzzy; nnctl help lists the commands$'
run 2 "$nnctl" help bnech
printed err '^nnctl: unknown command bnech; is it bench\?'
run 2 "$nnctl" run "$model" --devcie=cpu
printed err '^nnctl: unknown option --devcie=cpu; is it --device\?$'
run 2 "$nnctl" list --devicess cpu
printed err 'unknown option --devicess; is it --device\?'
run 2 "$nnctl" list --labelz x
printed err 'unknown option --labelz, or its value is missing'
run 2 "$nnctl" list --device
printed err 'unknown option --device, or its value is missing'
