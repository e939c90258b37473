#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock swiotlb emu arm64 arm64-16k board
# timeout: 180
#
# The NNAPI runtime on the card: a foreign client with every way to compute, the examples, an extension, conformance
# with shared memory, and a client that keeps its handle while the card disappears and comes back.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

export NNAPI_CONFIG=/dev/null NNACCEL_CALIBRATION=off PYTHONDONTWRITEBYTECODE=1
library=$NN_BUILD/lib/libneuralnetworks/libneuralnetworks.so
runtime=$NN_ROOT/tests/runtime

hotplug()
{
	local device slot

	device=$(node_device 0)
	slot=$(basename "$device")
	python3 "$runtime/ctypes_hotplug.py" "$library" nnaccel-card0 "$(readlink -f "$device/driver")" "$slot"
}

runtime_buffers()
{
	NNAPI_HAL_DIR=$NN_BUILD/lib/libnnhal RT_DEVICE=nnaccel-card0 "$NN_BUILD/tests/runtime/test_rt_hardware_buffer"
}

check "loaded" load_driver
check "a client in Python" python3 "$runtime/ctypes_client.py" "$library" nnaccel-card0
check "first inference" "$NN_BUILD/examples/first_inference"
check "fenced pipeline" "$NN_BUILD/examples/fenced_pipeline"
check "an extension's operation" "$NN_BUILD/examples/own_extension"
check "there are dma-bufs" test -c /dev/udmabuf -o -c /dev/dma_heap/system
check "AHardwareBuffers, over dma-bufs" "$NN_BUILD/tests/unit/test_nativewindow"
check "a buffer of two processes on the card" env NNAPI_DEVICES=nnaccel-card0 "$NN_BUILD/examples/shared_buffer"
check "buffers as memory of models" runtime_buffers
check "a model over the runtime" nnctl run "$NN_ROOT/models/shapes_int8/model.tflite" --runtime \
	--devices nnaccel-card0 --input "$NN_ROOT/models/pictures/star.png" --labels "$NN_ROOT/models/shapes_int8/labels.txt"
check "the card goes and comes back" hotplug
tap_done
