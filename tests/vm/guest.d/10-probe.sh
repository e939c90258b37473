#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock swiotlb two-cards preempt slub smoke debug debug-stress
#
# The driver binds every card and no other device, and its nodes are those of a DRM accel device.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

bound()
{
	local dev count=0

	for dev in $(card_slots); do
		[ "$(basename "$(readlink -f "/sys/bus/pci/devices/$dev/driver")")" = nnaccel ] && count=$((count + 1))
	done
	[ "$count" -eq "$NN_CARDS" ] || vm_fail "$count bound"
}

# A device with ivshmem's ids but without interrupts is not a card.
foreign_is_free()
{
	local dev

	for dev in $(card_slots); do
		if [ ! -e "/sys/bus/pci/devices/$dev/resource1" ]; then
			[ ! -e "/sys/bus/pci/devices/$dev/driver" ] || vm_fail "$dev is bound" || return 1
		fi
	done
}

has_interrupts()
{
	local node dev

	for node in $(accel_nodes); do
		dev=$(readlink -f "/sys/class/accel/${node##*/}/device")
		[ -n "$(ls "$dev/msi_irqs")" ] || vm_fail "no MSI-X vectors on ${dev##*/}" || return 1
	done
}

is_accel_node()
{
	[ -c "$1" ] && [ "$(stat -c %Hr "$1")" = 261 ]
}

check "the driver loads and every card has a node" load_driver
check "as many devices bound as there are cards" bound
check "a foreign ivshmem device is left alone" foreign_is_free
check "MSI-X vectors are in use" has_interrupts
check "accel0 is a character device of the accel major" is_accel_node /dev/accel/accel0
check "nnctl list names the card" bash -c 'nnctl list | grep -q accel0'
check "nnctl info reads the card" nnctl info --device accel0
tap_done
