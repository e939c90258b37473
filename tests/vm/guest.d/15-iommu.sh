#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: iommu
# timeout: 180
#
# The card behind an IOMMU. While that translates, the card refuses the addresses, and nothing else happens. After that the kernel
# passes its accesses on as they are, for the tests that follow.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

card=$(card_slots | head -n 1)
type=/sys/bus/pci/devices/$card/iommu_group/type

# "DMA" or "DMA-FQ"
translates()
{
	[[ $(<"$type") == DMA* ]] || vm_fail "the type is $(<"$type")"
}

# While no driver is bound.
passes_on()
{
	echo identity >"$type" && [ "$(<"$type")" = identity ]
}

fw_failed()
{
	local status

	status=$(card_control status)
	# NNACCEL_FW_FAILED
	[[ $status == *" fw_state=3"* ]] || vm_fail "$status"
}

log_tells()
{
	dmesg | grep -F "$1"
}

nnctl_refuses()
{
	local out

	! out=$(nnctl info --device accel0 2>&1) || vm_fail "nnctl uses it: $out"
	[[ $out == *"the firmware of the card cannot be used"* ]] || vm_fail "nnctl reports: $out"
}

kselftest_iommu()
{
	"$NN_BUILD/kselftest/iommu"
}

check "the IOMMU translates for the card" translates
check "the driver loads" load_driver
check "the device has failed" wait_until 20 grep -qx failed "/sys/bus/pci/devices/$card/nnaccel/state"
check "the log names the rings" log_tells "firmware did not take its rings"
check "the card does not run" fw_failed
check "clients: no job, but memory" kselftest_iommu
check "nnctl does not use it" nnctl_refuses
check "the module unloads" unload_driver
check "from here on the IOMMU passes on what the card does" passes_on
check "the driver loads again" load_driver
check "the device is online" wait_until 20 cards_online
check "the classifier is right" classifies accel0
tap_done
