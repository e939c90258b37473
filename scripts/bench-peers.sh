#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bench-peers.sh [--json FILE] [--rounds N] [--peers "NAME ..."] FOLDER: the models of a folder (*/model.tflite), or one .tflite,
# here and in TensorFlow Lite, on one thread each. Prints a table of ratios of processor time (above 1: ours is faster), the
# resident sizes on MobileNetV2, and the geometric means last.
#
# bench-peers.sh --layers [--json FILE] [--rounds N] [--peers "NAME ..."]: layers of large networks with random weights
# (benchmarks/peers/layers.py) instead: a table of times and rates. Default peers: ours with each set of instructions of this
# machine but scalar, and xnnpack, onednn and onednn-symmetric if their system is there.
#
# bench-peers.sh --networks [--json FILE] [--rounds N] [--starts N] [--peers "NAME ..."] [NAME...]: whole networks with random weights
# (benchmarks/peers/networks.py; up to 340 MB each, made once) instead: the table of models, and one of
# first results (medians of N starts, default 5) and memory. Default peers: ours, cached, and builtin, xnnpack and onnxruntime if
# their system is there.
#
# bench-peers.sh --doors [--json FILE] [--rounds N] FOLDER: the models of a folder through our doors, beside XNNPACK instead: a table
# of processor times of one run, and of the share of the nodes that the delegate runs.
#
# --processes N, beside any of them: N processes of a peer at the same time, and a table of inferences a second instead.
#
# Peers: nnaccel (ours through the NNAPI runtime), cached (the same from its compilation cache), nnhal (ours without the runtime), builtin (TensorFlow Lite's own kernels),
# xnnpack (its XNNPACK delegate), onednn and onednn-symmetric (the same layers in oneDNN, with the models' zero points and without any:
# for --layers), onnxruntime (ONNX Runtime's CPU provider, where a model.onnx is beside the model: that of
# --networks), tflite-nnaccel (TensorFlow Lite's NNAPI delegate and our runtime: for models with operations that NNAPI lacks),
# delegate (its interpreter with our delegate), provider (ONNX Runtime with our provider), python (our Python package).
# nnaccel:ISA and nnhal:ISA: with that set of instructions (NNACCEL_ISA). Default: nnaccel, builtin, xnnpack and tflite-nnaccel.
# The foreign ones are in a Debian of their own (peers-root.sh), which needs root once.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/peers.sh
. "$(dirname "$0")/peers.sh"

json='' rounds=15 starts=5 processes='' wanted='' layers='' networks='' doors=''
while [ $# -gt 0 ] && [[ $1 = --* ]]; do
	case $1 in
	--layers)
		layers=$NN_BUILD/bench/layers
		shift
		continue
		;;
	--networks)
		networks=$NN_BUILD/bench/networks
		shift
		continue
		;;
	--doors)
		doors=1
		shift
		continue
		;;
	--json) json=${2:?} ;;
	--rounds) rounds=${2:?} ;;
	--starts) starts=${2:?} ;;
	--processes) processes=${2:?} ;;
	--peers) wanted=${2:?} ;;
	*) nn_die "unknown option $1" ;;
	esac
	shift 2
done
folder=${1:-$layers}
[ -z "$layers" ] || "$NN_ROOT/benchmarks/peers/layers.py" "$layers"
if [ -n "$networks" ]; then
	# From their names to the files; the same weights each time, so what is there stays.
	made=$networks/$(cat "$NN_ROOT"/benchmarks/peers/{networks,onnx_network,random_weights}.py | sha256sum | cut -c1-12)
	[ -d "$made" ] || rm -rf "$networks"
	mapfile -t names < <([ $# -eq 0 ] && "$NN_ROOT/benchmarks/peers/networks.py" --list || printf '%s\n' "$@")
	models=()
	for name in "${names[@]}"; do
		models+=("$made/$name/model.tflite")
		[ -s "${models[-1]}" ] || "$NN_ROOT/benchmarks/peers/networks.py" "$made" "$name"
	done
elif [ -f "$folder" ]; then
	models=("$folder")
else
	mapfile -t models < <(compgen -G "$folder/*/model.tflite" | sort)
fi
[ "${#models[@]}" -gt 0 ] || nn_die "no models (*/model.tflite) in '$folder'"

# One thread each; what this build has, not what is installed; no device but the one in process.
export NNACCEL_THREADS=1 NNACCEL_CALIBRATION=off NNAPI_CONFIG=/dev/null NNAPI_LOG=${NNAPI_LOG:-error}
export NNACCEL_FIRMWARE=$NN_BUILD/firmware/core/libnnaccel-fw.so
nn_logged ninja-peers ninja -C "$NN_BUILD" benchmarks/peer_nnaccel
isa=$("$NN_BUILD/tools/nnctl/nnctl" info --device cpu | sed -n 's/^instructions *//p')
if [ -z "$wanted" ] && [ -n "$layers" ]; then
	usable=${isa#*usable: }
	for name in ${usable%%,*}; do
		[ "$name" = scalar ] || wanted+="nnaccel:$name "
	done
	[ ! -e "$NN_CACHE/peers/root/.peer" ] || wanted+="xnnpack onednn onednn-symmetric"
fi
if [ -z "$wanted" ] && [ -n "$networks" ]; then
	wanted="nnaccel cached"
	[ ! -e "$NN_CACHE/peers/root/.peer" ] || wanted+=" builtin xnnpack onnxruntime"
fi
[ -z "$doors" ] || wanted=${wanted:-nnaccel delegate python xnnpack}
peers=()
tflite=
for name in ${wanted:-nnaccel builtin xnnpack tflite-nnaccel}; do
	case $name in
	nnaccel) command="$NN_BUILD/benchmarks/peer_nnaccel nnapi" ;;
	nnaccel:*) command="env NNACCEL_ISA=${name#*:} $NN_BUILD/benchmarks/peer_nnaccel nnapi" ;;
	cached)
		command="$NN_BUILD/benchmarks/peer_nnaccel cached $NN_BUILD/bench/compilations"
		rm -rf "$NN_BUILD/bench/compilations"
		mkdir -p "$NN_BUILD/bench/compilations"
		;;
	nnhal) command="$NN_BUILD/benchmarks/peer_nnaccel nnhal" ;;
	nnhal:*) command="env NNACCEL_ISA=${name#*:} $NN_BUILD/benchmarks/peer_nnaccel nnhal" ;;
	python)
		command="env PYTHONPATH=$NN_BUILD/python LD_LIBRARY_PATH=$NN_BUILD/lib/libneuralnetworks:$NN_BUILD/lib/libnnaccel_model"
		command+=" /usr/bin/python3 -B $NN_ROOT/benchmarks/peers/peer_python.py nnaccel-cpu"
		;;
	onnxruntime | provider)
		root=$("$NN_ROOT/scripts/peers-root.sh")
		command="env PYTHONHOME=$root/usr PYTHONPATH=$root/usr/lib/python3/dist-packages"
		command+=" $(peers_command "$root" "$(readlink -f "$root/usr/bin/python3")") -B $NN_ROOT/benchmarks/peers/peer_onnxruntime.py"
		[ "$name" = onnxruntime ] || command+=" $NN_BUILD/lib/libnnaccel_onnxruntime/libnnaccel_onnxruntime.so"
		;;
	onednn | onednn-symmetric)
		root=$("$NN_ROOT/scripts/peers-root.sh")
		command="env OMP_NUM_THREADS=1 $(peers_command "$root" "$root/src/peer_onednn")"
		[ "$name" = onednn ] && command+=" model" || command+=" symmetric"
		;;
	builtin | xnnpack | tflite-nnaccel | delegate)
		if [ -z "$tflite" ]; then
			root=$("$NN_ROOT/scripts/peers-root.sh")
			tflite=$(peers_command "$root" "$root/src/peer_tflite")
		fi
		case $name in
		tflite-nnaccel) command="$tflite nnapi" ;;
		delegate) command="$tflite $NN_BUILD/lib/libnnaccel_tflite/libnnaccel_tflite.so" ;;
		*) command="$tflite $name" ;;
		esac
		;;
	*) nn_die "unknown peer $name (nnaccel, nnhal, builtin, xnnpack, onednn, onednn-symmetric, onnxruntime, provider, tflite-nnaccel, delegate, python)" ;;
	esac
	peers+=(--peer "$name=$command")
done

# TensorFlow Lite's NNAPI delegate leaves the files of its pools.
pools()
{
	compgen -G "/dev/shm/*_pool-tmp-file*" | sort
}

before=$(pools) || :
sweep()
{
	comm -13 <(echo "$before") <(pools) | xargs -r -d '\n' rm -f
}
trap sweep EXIT

nn_say "peers: ${#models[@]} models, $rounds rounds"
"$NN_ROOT/benchmarks/peers/rounds.py" --rounds "$rounds" ${json:+--json "$json"} \
	${layers:+--products "$layers/products.json"} ${doors:+--doors} ${networks:+--costs --starts "$starts"} \
	${processes:+--processes "$processes" --budget-ms 200} \
	--facts "processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) in use, load $(cut -d' ' -f1 /proc/loadavg)" \
	--facts "ours=$(git -C "$NN_ROOT" describe --always --dirty 2>/dev/null || cat "$NN_ROOT/VERSION"), $isa" \
	"${peers[@]}" "${models[@]}"
