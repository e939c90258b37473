#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# systemd.sh ROOT: inside the guest, for vm.sh: systemd as process 1 of the Debian system in ROOT, in namespaces of its own but
# with the guest's devices and cgroups, and our installed units in it: udev's rules, socket activation, clients, crashes, attacks.
# ROOT has udev, systemd and our packages; what is written there stays in the guest. scripts/check/packages.sh calls it.
set -uo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"
root=$1 init=0 starter=0
sockets="nnaccel-hald.socket nnaccel-sensord.socket"

# Highest exposure that systemd-analyze may compute for a unit: "exposed" begins at 5.
exposure=5.0

# An accelerometer of the kernel, until the guest ends.
sensor()
{
	load_sensors || return 1
	mkfifo /run/nnaccel/units/hub
	"$NN_BUILD/tests/sensors/uhid_sensors" --sensors accel_3d --min-interval 5 <>/run/nnaccel/units/hub >/run/nnaccel/units/hub.log 2>&1 &
	wait_until 20 compgen -G '/sys/bus/iio/devices/iio:device*' >/dev/null
}

lists_sensor()
{
	as "$1" nnctl sensors list | grep -i accel
}

# Rates, triggers and buffers are files of sysfs.
watches_sensor()
{
	local handle lines

	handle=$(as alice nnctl sensors list --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["handle"])')
	lines=$(as alice nnctl sensors watch "$handle" --rate 20 --seconds 3 | wc -l)
	[ "$lines" -ge 3 ] || vm_fail "$lines lines of sensor $handle; $(inside journalctl -u nnaccel-sensord -o cat | tail -n 5)"
}

# systemd in ROOT; its shell becomes process 1. Sets init to its pid here.
start_systemd()
{
	mkdir -p "$root/lib/modules/$(uname -r)"
	# Not /run of the guest: what has begun there is not this system's.
	# shellcheck disable=SC2016 # for the shell in the namespaces
	unshare --pid --mount --uts --ipc --cgroup --fork --propagation private bash -c '
		mount --bind "$1" "$1" && mount --rbind "/lib/modules/$(uname -r)" "$1/lib/modules/$(uname -r)" &&
			mount -t proc proc "$1/proc" && cd "$1" && mkdir -p .old && pivot_root . .old && cd / &&
			umount -l /.old && rmdir /.old &&
			exec env -i /lib/systemd/systemd --log-target=kmsg --log-level=notice --show-status=no' - "$root" </dev/null >/run/nnaccel/units/start 2>&1 &
	starter=$!
	wait_until 10 systemd_is_one
}

systemd_is_one()
{
	init=$(pgrep -P "$starter") && [ "$(cat "/proc/$init/comm")" = systemd ]
}

# inside COMMAND...: as root of that system
inside()
{
	nsenter -t "$init" -a env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root "$@"
}

# as USER COMMAND...: with the groups of a login
as()
{
	local user=$1

	shift
	inside prlimit --nofile=4096:4096 setpriv --reuid "$user" --regid "$user" --init-groups "$@"
}

boots()
{
	wait_until 120 inside systemctl is-system-running --quiet ||
		{ inside systemctl is-system-running; inside systemctl --failed --no-legend; inside journalctl -b -p warning -o cat | tail -n 20; return 1; }
}

# Whether the property of a unit has a value.
property_is()
{
	local is

	is=$(inside systemctl show --property "$2" --value "$1")
	[ "$is" = "$3" ] || vm_fail "$1: $2 is '$is', not '$3'"
}

sockets_listen()
{
	local socket

	for socket in $sockets; do
		property_is "$socket" ActiveState active && property_is "${socket%.socket}.service" ActiveState inactive || return 1
	done
}

node_is()
{
	local have

	have=$(inside stat -c '%G %a' /dev/accel/accel0)
	[ "$have" = "render 660" ] || vm_fail "it is: $have"
}

# By the unit of the boot; one that udev has started again found what is stored.
calibrated()
{
	as alice nnctl calibrate --device accel0 --show && calibration_ended
}

calibration_ended()
{
	local result

	result=$(inside systemctl show --property Result --value nnaccel-calibrate@accel0.service)
	[ "$result" = success ] || [ "$result" = exec-condition ] || vm_fail "the unit's result is $result"
}

calibrations()
{
	inside sh -c 'cd /var/cache/nnaccel && stat -c "%n %y %i" calibration-*'
}

# The unit starts again when the device comes again, and finds what is stored.
calibrated_once()
{
	local before

	before=$(calibrations) && [ -n "$before" ] || return 1
	inside systemctl start nnaccel-calibrate@accel0.service
	property_is nnaccel-calibrate@accel0.service Result exec-condition || return 1
	[ "$(calibrations)" = "$before" ] || vm_fail "calibrated again"
}

# main_pid UNIT: 0 if it does not run
main_pid()
{
	inside systemctl show --property MainPID --value "$1.service"
}

# is_confined UNIT: the service is no root
is_confined()
{
	local pid status

	pid=$(main_pid "$1")
	status=$(inside cat "/proc/$pid/status") || return 1
	grep -qx 'CapEff:[[:space:]]*0*' <<<"$status" || vm_fail "capabilities: $(grep CapEff <<<"$status")" || return 1
	grep -qx 'NoNewPrivs:[[:space:]]*1' <<<"$status" || vm_fail "new privileges" || return 1
	[ "$(awk '$1 == "Uid:" { print $2 }' <<<"$status")" -ne 0 ] || vm_fail "it is root"
}

refused()
{
	! "$@" || vm_fail "it succeeded: $*"
}

# A process that dies starts again, also many times in a row.
comes_again()
{
	local unit=$1 round old

	shift
	for round in 1 2 3 4 5 6; do
		old=$(main_pid "$unit")
		inside systemctl kill --signal SEGV --kill-whom main "$unit.service"
		wait_until 20 changed_pid "$unit" "$old" || vm_fail "$round: no process after $old" || return 1
	done
	property_is "$unit.socket" ActiveState active && "$@"
}

changed_pid()
{
	local new

	new=$(main_pid "$1")
	[ "$new" -ne 0 ] && [ "$new" -ne "$2" ]
}

# connections SOCKET COUNT: connects one after the other, and holds as many as it gets
connections()
{
	as mallory python3 -c '
import socket, sys
held = []
for i in range(int(sys.argv[2])):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(5)
    try:
        s.connect(sys.argv[1])
        held.append(s)
    except OSError:
        s.close()
print(len(held), "of", sys.argv[2], flush=True)
sys.stdin.read()
' "$@"
}

# A user who connects as often as possible takes the service from no other user.
survives_connections()
{
	local unit=$1 socket=$2 fifo=/run/nnaccel/units/fifo rc=0

	shift 2
	rm -f "$fifo"
	mkfifo "$fifo"
	connections "$socket" 1500 <"$fifo" >/run/nnaccel/units/held &
	exec {hold}>"$fifo"
	wait_until 60 test -s /run/nnaccel/units/held || rc=1
	[ "$rc" -ne 0 ] || "$@" || rc=1
	exec {hold}>&-
	wait $! || rc=1
	cat /run/nnaccel/units/held
	[ "$rc" -eq 0 ] && property_is "$unit.socket" ActiveState active && property_is "$unit.service" ActiveState active
}

# Its own limit of exposure by systemd's measure
exposed_at_most()
{
	local report rc=0

	report=$(inside systemd-analyze security --no-pager --threshold "$(tr -d . <<<"$exposure")" "$1") || rc=1
	tail -n 1 <<<"$report"
	return "$rc"
}

# Each time that it started it made the cgroups of users: systemd has given it its own.
users_have_limits()
{
	local log

	log=$(inside journalctl -u nnaccel-hald -o cat)
	[ "$(grep -c 'workers of a user have [0-9]* MiB' <<<"$log")" -eq "$(grep -c 'listens on' <<<"$log")" ] ||
		{ grep 'memory of a user' <<<"$log"; return 1; }
}

# The accel node of the emulated device.
emulated()
{
	local sys

	for sys in /sys/class/accel/accel*; do
		[ "$(basename "$(readlink -f "$sys/device")")" != nnaccel_emu.0 ] || echo "${sys##*/}"
	done | grep .
}

# The unit loads the module, and is started when the node is there.
emulates()
{
	inside systemctl start nnaccel-emud && emulated && inside udevadm settle
}

emulator_comes_again()
{
	local old

	old=$(main_pid nnaccel-emud)
	inside systemctl kill --signal KILL --kill-whom main nnaccel-emud.service
	wait_until 20 changed_pid nnaccel-emud "$old" && wait_until 20 emulated
}

emulator_goes()
{
	inside systemctl stop nnaccel-emud && wait_until 20 node_count_is "$NN_CARDS" && inside modprobe -r nnaccel_emu || return
	# udev has a new device calibrated: that has failed if the device went meanwhile.
	inside systemctl reset-failed "nnaccel-calibrate@*"
}

stops()
{
	inside systemctl stop nnaccel-hald.socket nnaccel-sensord.socket nnaccel-hald.service nnaccel-sensord.service &&
		[ -z "$(inside systemctl --failed --no-legend)" ] && [ -z "$(inside pgrep -x 'nnaccel-.*')" ]
}

log_mark systemd
mkdir -p /run/nnaccel/units
check "the driver" load_driver
check "a sensor" sensor
# Not by check, which would keep the number of the process to itself.
start_systemd
check "systemd is process 1" systemd_is_one || cat /run/nnaccel/units/start
check "it has started" boots
inside useradd -G render alice && inside useradd -G render mallory && inside useradd bob
check "the sockets listen, no service runs" sockets_listen
check "the rule: group render, mode 0660" node_is
inside udevadm trigger --settle --action=add --subsystem-match=accel
check "udev has had the card calibrated" wait_until 120 calibrated
check "a calibrated card is not calibrated again" calibrated_once

# A client waits five seconds for a service; to start one takes longer where QEMU has no processor of its own.
check "the first client starts the service" wait_until 30 as alice nnctl validate --device service:cpu
check "the service has no rights" is_confined nnaccel-hald
check "the card, behind the service" as alice nnctl validate --device service:accel0
check "no group, no service" refused as bob nnctl validate --device service:cpu
check "a service that crashes comes again" comes_again nnaccel-hald as alice nnctl validate --device service:cpu
check "each of its starts has limits of users' memory" users_have_limits
check "1,500 connections of a user" survives_connections nnaccel-hald /run/nnaccel/hald.sock as alice nnctl validate --device service:cpu

check "the first client starts the sensors' service" wait_until 30 lists_sensor alice
check "the sensors' service runs" property_is nnaccel-sensord.service ActiveState active
check "the sensors' service has no rights" is_confined nnaccel-sensord
check "it sets rates and reads records" watches_sensor
check "no group, no sensors" refused lists_sensor bob
check "a sensors' service that crashes comes again" comes_again nnaccel-sensord lists_sensor alice
check "1,500 connections of a user to it" survives_connections nnaccel-sensord /run/nnaccel/sensors.socket lists_sensor alice

check "a process is an accelerator" emulates
check "of which users compute" as alice nnctl validate --device "$(emulated)"
check "the process comes again when it was killed" emulator_comes_again

for unit in nnaccel-hald nnaccel-sensord nnaccel-calibrate@accel0 nnaccel-emud; do
	check "$unit: systemd's measure of exposure" exposed_at_most "$unit.service"
done
check "its unit stops, the device goes, the module unloads" wait_until 20 emulator_goes
check "units stop, and none has failed" stops
check "the kernel's log" log_clean systemd
kill -KILL "$init"
tap_done
