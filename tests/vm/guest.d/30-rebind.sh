#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock newest two-cards arm64 arm64-16k
# timeout: 120
#
# Unbind and bind, PCI remove and rescan: device and node disappear and come back.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

first_card()
{
	basename "$(node_device 0)"
}

one_less()
{
	wait_until 10 node_count_is $((NN_CARDS - 1)) || vm_fail "nodes: $(device_nodes | tr '\n' ' ')"
}

all_there()
{
	wait_until 20 node_count_is "$NN_CARDS" || vm_fail "nodes: $(device_nodes | tr '\n' ' ')"
}

any_classifies()
{
	local node

	for node in $(device_nodes); do
		classifies "${node##*/}" || return 1
	done
}

check "loaded" load_driver
card=$(first_card)
check "unbind" bash -c "echo $card >/sys/bus/pci/drivers/nnaccel/unbind"
check "the node is gone" one_less
check "bind" bash -c "echo $card >/sys/bus/pci/drivers/nnaccel/bind"
check "the node is back" all_there
check "PCI remove" bash -c "echo 1 >/sys/bus/pci/devices/$card/remove"
check "the node is gone again" one_less
check "PCI rescan" bash -c "echo 1 >/sys/bus/pci/rescan"
check "the node is back again" all_there
check "every card classifies as expected" any_classifies
tap_done
