# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# nn_route DEVICE: sets NN_OPTIONS, nnctl's options that choose the device, and exports the environment for it. The runtime
# ignores this machine's configuration and sees only the tests' devices. The route service needs nn_hald_start before it.
# Sourced; needs NN_ROOT and NN_BUILD.
# shellcheck disable=SC2034 # used by the scripts that source it

# Prints every other operation of NNAPI, beginning with number FIRST (1 or 2), joined by +.
nn_every_other()
{
	sed -n '/^enum nnmodel_opcode/,/NNMODEL_OPCODE_COUNT/p' "$NN_ROOT/lib/libnnmodel/nnmodel.h" |
		grep -oE 'NNMODEL_[A-Z0-9_]+ =' | sed 's/^NNMODEL_//; s/ =$//' |
		awk -v first="$1" 'NR % 2 == first % 2' | paste -sd+
}

# Two devices with half of the operations each; $1 and $2 are the devices that they stand on.
nn_split()
{
	export NNHAL_TEST_DEVICES
	NNHAL_TEST_DEVICES="name=test-odd,inner=$1,exec=0.5,ops=$(nn_every_other 1)"
	NNHAL_TEST_DEVICES+=" name=test-even,inner=$2,exec=0.5,ops=$(nn_every_other 2)"
	NN_OPTIONS=(--runtime)
}

# The proxies of this build, not of an installation.
nn_ipc()
{
	export NNACCEL_IPC=$NN_BUILD/lib/libnnipc/host/libnnipc.so.1
	export NNACCEL_WORKER=$NN_BUILD/lib/libnnipc/worker/nnaccel-worker
	export NNACCEL_WORKER_LIBRARY=$NN_BUILD/lib/libnnhal/libnnhal.so.2
}

# nn_hald_start: nnaccel-hald of this build on a socket of its own, NN_HALD_SOCKET, until nn_hald_stop.
nn_hald_start()
{
	local i

	nn_ipc
	# the path of a socket is short
	NN_HALD_FOLDER=$(mktemp -d)
	NN_HALD_SOCKET=$NN_HALD_FOLDER/hald.sock
	"$NN_BUILD/tools/nnaccel-hald/nnaccel-hald" --listen "$NN_HALD_SOCKET" >"$NN_LOGS/nnaccel-hald.log" 2>&1 &
	NN_HALD_PID=$!
	for ((i = 0; i < 600; i++)); do
		[ ! -S "$NN_HALD_SOCKET" ] || return 0
		kill -0 "$NN_HALD_PID" 2>/dev/null || break
		sleep 0.1
	done
	nn_die "nnaccel-hald does not listen on $NN_HALD_SOCKET"
}

nn_hald_stop()
{
	[ -n "${NN_HALD_PID:-}" ] || return 0
	kill "$NN_HALD_PID" 2>/dev/null || true
	wait "$NN_HALD_PID" || true
	rm -rf "$NN_HALD_FOLDER"
	NN_HALD_PID=
}

nn_route()
{
	export NNAPI_CONFIG=/dev/null NNAPI_HAL_DIR=$NN_BUILD/tests/runtime/plugin NNAPI_ISOLATION=none NNACCEL_CALIBRATION=off
	case $1 in
	cpu) NN_OPTIONS=(--device cpu) ;;
	card) NN_OPTIONS=(--device accel0) ;;
	worker | worker-card)
		nn_ipc
		NN_OPTIONS=(--device worker:cpu)
		[ "$1" = worker ] || NN_OPTIONS=(--device worker:accel0)
		;;
	service)
		nn_ipc
		NN_OPTIONS=(--device "service=$NN_HALD_SOCKET:cpu")
		;;
	runtime)
		export NNHAL_TEST_DEVICES=
		NN_OPTIONS=(--runtime --devices nnapi-reference)
		;;
	split) nn_split cpu cpu ;;
	runtime-card)
		export NNHAL_TEST_DEVICES=name=test-card,inner=accel0
		NN_OPTIONS=(--runtime --devices test-card)
		;;
	split-card) nn_split accel0 cpu ;;
	esac
}
