#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# output.sh NNCTL MODELS: every command fails when its output cannot be written.
set -euo pipefail
# shellcheck source=tests/nnctl/lib.sh
. "$(dirname "$0")/lib.sh"

# Some containers have none; root can make one.
full=/dev/full
if [ ! -c "$full" ]; then
	full=$folder/full
	mknod "$full" c 1 7 || die "no /dev/full here, and none can be made"
fi
input=$models/pictures/star.png

# full COMMAND...: its output goes where there is no room
full()
{
	local rc=0

	"$@" >"$full" 2>"$folder/err" </dev/null || rc=$?
	[ "$rc" -eq 1 ] || die "$* >/dev/full: ended with $rc: $(cat "$folder/err")"
	printed err 'No space left on device|Input/output error'
}

# file COMMAND...: its output goes there
file()
{
	run 1 "$@"
	printed err 'No space left on device|Input/output error'
}

full "$nnctl" --version
full "$nnctl" help
full "$nnctl" list
full "$nnctl" list --json
full "$nnctl" info --device cpu
full "$nnctl" info --device cpu --json
full "$nnctl" ops --device cpu --op ADD
full "$nnctl" ops --device cpu --op ADD --json
full "$nnctl" run "$model" --input "$input" --device cpu
full "$nnctl" run "$model" --input "$input" --device cpu --json
full "$nnctl" bench "$model" --device cpu --runs 1
full "$nnctl" bench "$model" --device cpu --runs 1 --json
full "$nnctl" explain "$model"
full "$nnctl" explain "$model" --json
full "$nnctl" extensions
full "$nnctl" extensions --json
mkdir -p "$folder/root/sys/class/accel/accel0/device" "$folder/root/proc"
ln -s nnaccel "$folder/root/sys/class/accel/accel0/device/driver"
for option in --once --csv --json; do
	full "$nnctl" top --root "$folder/root" --interval 0.05 "$option"
done
full "$nnctl" metrics --root "$folder/root"
full "$nnctl" completion bash
full "$nnctl" cdi
full "$nnctl" doctor
full "$nnctl" validate --device cpu
full "$nnctl" validate --device cpu --json
full "$nnctl" models-check "$models" --device cpu
full "$nnctl" verify "$models" --device cpu
run 0 "$nnctl" trace record --files -o "$folder/trace" -- "$nnctl" run "$model" --input "$input" --device cpu
for option in --strict --json --tsv --tsv-threads --print-detail --per-execution; do
	full "$nnctl" trace report "$option" "$folder/trace"
done
full "$nnctl" trace export "$folder/trace" -o -
file "$nnctl" run "$model" --input "$input" --device cpu --output "$full"
file "$nnctl" trace export "$folder/trace" -o "$full"
[ -c "$full" ] || die "a device node was removed"
file "$nnctl" trace record --files -o "$full" -- "$nnctl" run "$model" --input "$input" --device cpu
