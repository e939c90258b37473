#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock
# timeout: 150
#
# With udev no manual step is needed: the PCI alias loads the module, and the rule gives the node to the group
# render. What nnaccel-sensord writes of the kernel's sensors belongs to its group.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

udevd=/lib/systemd/systemd-udevd

start_udev()
{
	mkdir -p /run/udev /etc/udev/rules.d
	groupadd --system nnaccel-sensors
	cp "$NN_ROOT"/kernel/udev/*.rules /etc/udev/rules.d/ && cp "$NN_ROOT/kernel/udev/nnaccel-sensor-access" /usr/lib/udev/ || return 1
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

# As nnaccel-sensord does it: the new trigger's files are the group's when udev has seen it.
sets_timer()
{
	"$NN_ROOT/kernel/udev/nnaccel-sensor-access" timers
	# shellcheck disable=SC2016 # for the user's shell
	setpriv --reuid 4321 --regid nnaccel-sensors --clear-groups sh -c '
		timer=/sys/kernel/config/iio/triggers/hrtimer/nnaccel-test
		mkdir "$timer" || exit
		for trigger in /sys/bus/iio/devices/trigger*; do
			[ "$(cat "$trigger/name")" = nnaccel-test ] || continue
			for turn in $(seq 100); do
				[ ! -w "$trigger/sampling_frequency" ] || break
				sleep 0.1
			done
			echo 50 >"$trigger/sampling_frequency" && grep -q "^50" "$trigger/sampling_frequency" && rmdir "$timer"
			exit
		done
		exit 1'
}

sensor_is_the_group_s()
{
	local have rc=0

	mkfifo /run/nnaccel/udev-hub
	"$NN_BUILD/tests/sensors/uhid_sensors" --sensors accel_3d --min-interval 5 <>/run/nnaccel/udev-hub >/dev/null &
	wait_until 20 compgen -G '/sys/bus/iio/devices/iio:device*' >/dev/null || rc=1
	udevadm settle --timeout=30
	have=$(stat -c '%G %a' /dev/iio:device0)
	[ "$have" = "nnaccel-sensors 660" ] || vm_fail "the node is: $have" || rc=1
	have=$(find -L /sys/bus/iio/devices/iio:device0 -maxdepth 2 -perm /u+w -type f -group nnaccel-sensors -perm -g+w 2>/dev/null |
		sed 's|.*device0/||' | sort | tr '\n' ' ')
	[[ " $have " == *" buffer/enable "* && " $have " == *" trigger/current_trigger "* && $have == *sampling_frequency* ]] ||
		vm_fail "the group's files are: $have" || rc=1
	echo stop >/run/nnaccel/udev-hub
	wait $!
	return "$rc"
}

modprobe -r nnaccel 2>/dev/null
check "not loaded at first" bash -c '! [ -d /sys/module/nnaccel ]'
check "udev runs" start_udev
check "the PCI alias loaded the driver" wait_until 20 driver_loaded
check "the node is there" wait_until 20 node_count_is "$NN_CARDS"
udevadm settle --timeout=30
check "group render, mode 0660" node_is "render 660"
check "the sensors' modules" load_sensors
check "a user of the sensors' group sets a timer" sets_timer
check "sensors belong to the group" sensor_is_the_group_s
check "udev ends" udevadm control --exit
check "the driver is loaded at the end" load_driver
tap_done
