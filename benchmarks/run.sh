#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh: every benchmark that makes sense here. NN_WHERE=host: the in-process device; card: in the VM with the
# driver loaded. Ratios come from one run on one machine; absolute times are this machine's, now.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${NNACCEL_BUILD:-build}
where=${NN_WHERE:-host}

run()
{
	echo "# ${*##*/}"
	"$@"
}

if [ "$where" = card ]; then
	run "$build/benchmarks/bench_submit"
	run "$build/benchmarks/bench_policy"
	run "$build/benchmarks/bench_burst" accel0
	run "$build/benchmarks/bench_trace" accel0
	run "$build/benchmarks/bench_copies" accel0
	run "$build/benchmarks/bench_cache" accel0
	run benchmarks/models.sh models accel0
else
	[ -x "$build/benchmarks/bench_ops" ] && run "$build/benchmarks/bench_ops"
	[ -x "$build/benchmarks/bench_control" ] && run "$build/benchmarks/bench_control"
	run "$build/benchmarks/bench_burst" cpu
	run "$build/benchmarks/bench_trace" cpu
	run "$build/benchmarks/bench_copies" cpu
	run "$build/benchmarks/bench_cache" cpu
	run "$build/benchmarks/bench_runtime_compile" "$build/tests/runtime/plugin"
	run "$build/benchmarks/bench_runtime"
	run "$build/benchmarks/bench_start" models/*/model.tflite
	for model in ../shared/models/{ad_int8,mobilenet_v2_1.0_224_quant}/model.tflite; do
		[ ! -f "$model" ] || run "$build/benchmarks/bench_start" "$model"
	done
	run benchmarks/models.sh models cpu
	if [ -d ../shared/models ]; then
		run benchmarks/models.sh ../shared/models cpu
	fi
fi
