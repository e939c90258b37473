#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: swiotlb two-cards smoke gate emu arm64 arm64-16k board template
# timeout: 180
#
# The models give right results on every card, with bounce buffers forced (a missing dma_sync shows here) and with
# two cards.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

swiotlb_if_forced()
{
	! grep -q swiotlb=force /proc/cmdline || [ "$(cat /sys/kernel/debug/swiotlb/io_tlb_used_hiwater)" -gt 0 ]
}

check "loaded" load_driver
for node in $(device_nodes); do
	check "own models on ${node##*/}" nnctl models-check "$NN_ROOT/models" --device "${node##*/}"
done
check "bounce buffers where swiotlb forces them" swiotlb_if_forced
tap_done
