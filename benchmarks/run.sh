#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh [NAME...]: every benchmark that can run here, or the named ones (burst, trace, models, ...).
# NN_WHERE=host: the in-process device; card: in the VM with the driver loaded. Ratios are of one run on one machine; absolute
# times are valid for this machine only.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${NN_BUILD:-${NNACCEL_BUILD:-build}}
where=${NN_WHERE:-host}
wanted=("$@")
# Names that have run, and those of the other place.
ran=' '
# Use the firmware of this build, not an installed one, also for programs that contain the library.
build=$(cd "$build" && pwd)
export NNACCEL_BUILD=$build
export NNACCEL_FIRMWARE=$build/firmware/core/libnnaccel-fw.so

# run NAME COMMAND...
run()
{
	local name=$1

	shift
	[ "${#wanted[@]}" -eq 0 ] || [[ " ${wanted[*]} " == *" $name "* ]] || return 0
	ran+="$name "
	echo "# ${*##*/}"
	"$@"
}

# bench NAME [ARGUMENT...]
bench()
{
	run "$1" "$build/benchmarks/bench_$1" "${@:2}"
}

# clients of this build, and a model that is not small
export NNACCEL_IPC=$build/lib/libnnipc/host/libnnipc.so.1
export NNACCEL_WORKER=$build/lib/libnnipc/worker/nnaccel-worker
export NNACCEL_WORKER_LIBRARY=$build/lib/libnnhal/libnnhal.so.2
model=../shared/models/mobilenet_v2_1.0_224_quant/model.tflite
[ -f "$model" ] || model=models/shapes_int8/model.tflite
if [ "$where" = card ]; then
	elsewhere=' ops load control threads runtime_compile runtime start sensors '
	bench submit
	bench policy
	bench burst accel0
	bench trace accel0
	bench copies accel0
	bench cache accel0
	bench ipc --device accel0 "$model"
	run models benchmarks/models.sh models accel0
else
	elsewhere=' submit policy '
	bench ops
	bench load
	bench control
	bench burst cpu
	bench trace cpu
	bench copies cpu
	bench cache cpu
	bench ipc "$model"
	bench threads "$model"
	bench runtime_compile "$build/tests/runtime/plugin"
	bench runtime
	bench start models/*/model.tflite
	example=$build/examples/always_on
	[ -x "$example" ] || example=
	bench sensors ${example:+--example "$example"} "$build/tools/nnaccel-sensord/serve/nnaccel-sensord"
	for model in ../shared/models/{ad_int8,mobilenet_v2_1.0_224_quant}/model.tflite; do
		[ ! -f "$model" ] || bench start "$model"
	done
	run models benchmarks/models.sh models cpu
	if [ -d ../shared/models ]; then
		run models benchmarks/models.sh ../shared/models cpu
	fi
fi
for name in "${wanted[@]}"; do
	[[ $ran != *" $name "* ]] || continue
	if [[ $elsewhere == *" $name "* ]]; then
		echo "# $name is not measured on $where"
		continue
	fi
	echo "run.sh: no benchmark '$name'" >&2
	exit 1
done
