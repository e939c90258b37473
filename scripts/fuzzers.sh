#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# fuzzers.sh [SECONDS [TARGET...]]: the fuzz targets of tests/fuzz as libFuzzer programs with ASan and UBSan (clang), in
# build/fuzzers. Each runs for SECONDS (60; 0: they are only built), from its seeds; new inputs stay in
# build/fuzzers/corpus/TARGET. What a run finds is in build/fuzzers/found/TARGET-*; fails then.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=${1:-60}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(program cache model trace coredump capture config tflite request control ipc_frame ipc_message sensor_call virtual recording iio_text)
build=$NN_BUILD/fuzzers
fuzz=$NN_ROOT/tests/fuzz
cc=${NNACCEL_FUZZ_CC:-clang-16}
command -v "$cc" >/dev/null || nn_die "$cc is not installed: run scripts/bootstrap.sh clang"

export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export NNACCEL_FIRMWARE=$build/firmware/core/libnnaccel-fw.so NNACCEL_CALIBRATION=off NNACCEL_THREADS=1
export NNAPI_CONFIG=/dev/null NNAPI_LOG=off

if [ ! -f "$build/build.ninja" ]; then
	# b_lundef: the sanitizers' own symbols are resolved at run time
	CC=$cc nn_logged meson-setup-fuzzers meson setup -Dfuzzers=true -Db_lundef=false \
		-Db_sanitize=address,undefined -Doptimization=1 "$build" "$NN_ROOT"
fi
nn_logged ninja-fuzzers ninja -C "$build" fuzzers
[ "$seconds" != 0 ] || exit 0

# what a target begins from, beside what it found before
seeds()
{
	case $1 in
	trace)
		"$NN_ROOT/tests/trace/unpack.py" "$build/seeds/trace"
		echo "$build/seeds/trace"
		;;
	tflite)
		"$NN_ROOT/tests/import/generate.py" 4000 "$RANDOM" "$build/corpus/generated-tflite"
		echo "$NN_ROOT/models/shapes_int8 $NN_ROOT/models/shapes_fp32 $build/corpus/generated-tflite" \
			"$build/tests/import/cases/right" "$build/tests/import/cases/refused"
		;;
	*)
		mkdir -p "$build/seeds/$1"
		"$build/tests/fuzz/fuzz_$1" --seeds "$build/seeds/$1" >&2
		echo "$build/seeds/$1"
		[ ! -d "$fuzz/corpus/$1" ] || echo "$fuzz/corpus/$1"
		;;
	esac
}

mkdir -p "$build/found"
failed=0
for target in "${targets[@]}"; do
	corpus=$build/corpus/$target
	mkdir -p "$corpus"
	log=$NN_LOGS/fuzz-$target.log
	nn_say "fuzz_$target, $seconds s"
	# shellcheck disable=SC2046 # several folders
	"$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/found/$target-" "$corpus" $(seeds "$target") >"$log" 2>&1 </dev/null || {
		nn_say "fuzz_$target found something (the end of ${log#"$NN_ROOT"/} follows)"
		tail -n 40 "$log" >&2
		failed=1
	}
	sed -n 's/^stat::number_of_executed_units: */  inputs: /p; s/^stat::new_units_added: */  new: /p' "$log" >&2
done
exit "$failed"
