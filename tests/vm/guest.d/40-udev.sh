#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
#
# With udev no manual step is needed: the PCI alias loads the module, and the rule gives the node to the group
# render.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

udevd=/lib/systemd/systemd-udevd

start_udev()
{
	mkdir -p /run/udev /etc/udev/rules.d
	cp "$NN_ROOT"/kernel/udev/*.rules /etc/udev/rules.d/ || return 1
	"$udevd" --daemon
	udevadm trigger --action=add --subsystem-match=pci
	udevadm settle --timeout=30
}

node_is()
{
	local have

	have=$(stat -c '%G %a' /dev/accel/accel0)
	[ "$have" = "$1" ] || vm_fail "it is: $have"
}

modprobe -r nnaccel 2>/dev/null
check "not loaded at first" bash -c '! [ -d /sys/module/nnaccel ]'
check "udev runs" start_udev
check "the PCI alias loaded the driver" wait_until 20 driver_loaded
check "the node is there" wait_until 20 accel_count_is "$NN_CARDS"
udevadm settle --timeout=30
check "group render, mode 0660" node_is "render 660"
check "udev ends" udevadm control --exit
check "the driver is loaded at the end" load_driver
tap_done
