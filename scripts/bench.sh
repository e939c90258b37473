#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bench.sh [NAME...]: runs benchmarks/run.sh here (NN_WHERE=host) and in the VM with the card (NN_WHERE=card), all of
# it or what is named. Results are printed and stay in build/bench.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

[ -f "$NN_ROOT/benchmarks/run.sh" ] || nn_die "benchmarks/run.sh is missing"
mkdir -p "$NN_BUILD/bench"
nn_logged ninja-benchmarks ninja -C "$NN_BUILD" benchmarks
nn_say "benchmarks on the in-process device"
NN_WHERE=host bash "$NN_ROOT/benchmarks/run.sh" "$@" | tee "$NN_BUILD/bench/host.txt"
nn_say "benchmarks on the card"
"$NN_ROOT/tests/vm/vm.sh" --out "$NN_BUILD/vm/bench" --timeout 2400 --env NN_WHERE=card --stream -- \
	bash tests/vm/shell.sh "bash benchmarks/run.sh $*"
cp "$NN_BUILD/vm/bench/output.log" "$NN_BUILD/bench/card.txt"
