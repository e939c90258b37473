#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# models-check.sh FOLDER cpu|card: every model of the folder, every sample, by the acceptance rule (see
# Documentation/testing.md). The last line is "N passed, N failed", a model being one. The runs on the card
# are made in one boot of the VM; the comparison is always made here.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# -eq 2 ] || nn_die "usage: models-check.sh FOLDER cpu|card"
[ -d "$1" ] || nn_die "no folder $1"
models=$(cd "$1" && pwd)
device=$2
check=$NN_ROOT/scripts/models-check.py
work=$NN_BUILD/models-check/$device
rm -rf "$work"
mkdir -p "$work/results"

count=$("$check" plan "$models" "$work")
case $device in
cpu)
	nn_say "models: $count runs on the in-process device"
	NN_OUT=$work/results NN_NNCTL=$NN_BUILD/tools/nnctl/nnctl \
		bash "$NN_ROOT/scripts/models-run.sh" "$work/jobs.tsv" cpu
	;;
card)
	nn_say "models: $count runs on the card"
	rc=0
	"$NN_ROOT/tests/vm/vm.sh" --out "$NN_BUILD/vm/models" --timeout 900 -- \
		bash tests/vm/models.sh "$work/jobs.tsv" || rc=$?
	find "$NN_BUILD/vm/models" -maxdepth 1 -name '[0-9]*.*' -exec mv -t "$work/results" {} +
	[ "$rc" -eq 0 ] || nn_say "models: the guest ended with $rc ($(<"$NN_BUILD/vm/models/outcome"))"
	;;
*) nn_die "unknown device '$device' (cpu, card)" ;;
esac
"$check" compare "$models" "$work"
