#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock newest swiotlb two-cards preempt slub zram smoke gate races debug debug-recovery debug-stress debug-swiotlb debug-two-cards arm64 arm64-16k template
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

# Devices with ivshmem's ids but without interrupts are not cards, though their memory starts as a register page. One has
# no ROM, the other one has one that is not the card's.
foreign_slots()
{
	local dev

	for dev in $(card_slots); do
		[ -e "/sys/bus/pci/devices/$dev/resource1" ] || echo "/sys/bus/pci/devices/$dev"
	done
}

# Clears PCI_COMMAND, memory space among it: a driver that touches the device has to set it.
foreign_off()
{
	local dev

	for dev in $(foreign_slots); do
		printf '\0\0' | dd of="$dev/config" bs=1 seek=4 conv=notrunc status=none
	done
}

foreign_is_free()
{
	local dev

	for dev in $(foreign_slots); do
		[ ! -e "$dev/driver" ] || vm_fail "$dev is bound" || return 1
		[ "$(<"$dev/enable")" = 0 ] || vm_fail "$dev was enabled" || return 1
		[ "$(od -An -tu2 -j4 -N2 "$dev/config" | tr -d ' ')" = 0 ] || vm_fail "$dev: PCI_COMMAND changed" || return 1
	done
}

foreign_count()
{
	local count

	count=$(foreign_slots | wc -l)
	[ "$count" -eq "${NN_FOREIGN:-0}" ] || vm_fail "$count foreign devices"
}

has_interrupts()
{
	local node dev

	for node in $(device_nodes); do
		dev=$(readlink -f /sys/class/{accel,drm}/"${node##*/}"/device | head -n 1)
		[ -n "$(ls "$dev/msi_irqs")" ] || vm_fail "no MSI-X vectors on ${dev##*/}" || return 1
	done
}

# Majors: 261 of accel nodes, 226 of DRM's others
is_node()
{
	local major=261

	[[ $1 == /dev/accel/* ]] || major=226
	[ -c "$1" ] && [ "$(stat -c %Hr "$1")" = "$major" ]
}

emulated_is_refused()
{
	! modprobe nnaccel_emu 2>/dev/null && dmesg | grep -q 'nnaccel_emu: pages of 16384 bytes are not supported'
}

is_listed()
{
	nnctl list | grep -q "$1"
}

check "the foreign devices of this boot are there" foreign_count
foreign_off
check "the driver loads and every card has a node" load_driver
check "as many devices bound as there are cards" bound
check "foreign ivshmem devices are left alone" foreign_is_free
check "MSI-X vectors are in use" has_interrupts
check "the node is a character device of the right major" is_node "$(device_nodes | head -n 1)"
check "nnctl list names the card" is_listed "$(node_name)"
check "nnctl info reads the card" nnctl info --device "$(node_name)"
# It maps pages of the device's size.
[[ $(uname -r) != *-16k ]] || check "the emulated device refuses pages of 16 KiB" emulated_is_refused
tap_done
