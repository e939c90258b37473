# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers for tests inside the guest, to be sourced. Each returns 0, or fails with a line that tells why. vm.sh
# provides NN_ROOT and NN_BUILD (the project, read-only below an overlay), NN_OUT (the results share,
# writable), NN_CARDS (emulated cards), NN_ACCEL (kvm or tcg). With NN_EMULATED=1 the card is not on the host, but
# a process of the guest: nnaccel-emud.

export PATH=$NN_BUILD/tools/nnctl:$PATH
NN_EMULATED=${NN_EMULATED:-0}
if [ "$NN_EMULATED" = 1 ]; then
	NN_CARDS=1
	emulated_dir=/run/nnaccel-emu
	export NNACCEL_CONTROL=$emulated_dir/control.sock
fi

vm_fail()
{
	echo "# $*"
	return 1
}

# slowness: current slowdown of this machine compared to an idle development machine, 1 to 20, times
# NN_SLOW_BASE (the slowdown by the kernel). Limits of tests are multiplied by it.
slowness()
{
	local t0=${EPOCHREALTIME/[.,]/} i us

	for ((i = 0; i < 3000; i++)); do :; done
	/bin/true && /bin/true && /bin/true
	us=$((${EPOCHREALTIME/[.,]/} - t0))
	i=$(((us + 299999) / 300000))
	echo $(((i > 20 ? 20 : i) * ${NN_SLOW_BASE:-1}))
}

# wait_until SECONDS COMMAND...: polls until the command succeeds.
wait_until()
{
	local end=$((SECONDS + $1 * ${NN_SLOW:-1}))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

# The device nodes that belong to our driver, one a line, in order: accel nodes, or render nodes of a kernel without those.
device_nodes()
{
	local sys driver folder

	for sys in /sys/class/accel/accel* /sys/class/drm/renderD*; do
		driver=$(readlink -f "$sys/device/driver") && [ "${driver##*/}" = nnaccel ] || continue
		folder=/dev/accel
		[[ $sys != *drm* ]] || folder=/dev/dri
		echo "$folder/${sys##*/}"
	done | sort -V
}

# node_name [N]: of the Nth node (0), as nnctl takes it
node_name()
{
	device_nodes | sed -n "$((${1:-0} + 1))s,.*/,,p"
}

# node_device [N]: the folder in sysfs of the device that the Nth node is of
node_device()
{
	readlink -f "/sys/class/accel/$(node_name "${1:-0}")/device" || readlink -f "/sys/class/drm/$(node_name "${1:-0}")/device"
}

node_count_is()
{
	[ "$(device_nodes | wc -l)" -eq "$1" ]
}

# Loads what a hub of HID sensors and its triggers need; tests/sensors/uhid_sensors.c is such a hub.
load_sensors()
{
	local module

	for module in uhid hid-sensor-hub hid-sensor-accel-3d hid-sensor-gyro-3d hid-sensor-magn-3d hid-sensor-incl-3d hid-sensor-als \
		hid-sensor-press hid-sensor-temperature hid-sensor-prox hid-sensor-rotation iio-trig-hrtimer; do
		modprobe "$module" || vm_fail "modprobe $module failed: $(dmesg | tail -n 3)" || return 1
	done
	# timers of the kernel as triggers are made there
	[ -d /sys/kernel/config/iio ] || mount -t configfs none /sys/kernel/config || return 1
	wait_until 10 test -c /dev/uhid
}

emulated_runs()
{
	[ -e "$emulated_dir/slot.pid" ] && kill -0 "$(<"$emulated_dir/slot.pid")" 2>/dev/null
}

# One engine, as the card on the host has: tests count on it.
emulated_start()
{
	modprobe nnaccel_emu devices=2 || vm_fail "modprobe nnaccel_emu failed: $(dmesg | tail -n 3)" || return 1
	# Its log is a file: a caller that reads our output waits for all that have it open.
	emulated_runs || "$NN_BUILD/firmware/board/nnaccel-emud" --dir "$emulated_dir" --threads 1 </dev/null >"$NN_OUT/emud.log" 2>&1
}

emulated_end()
{
	local pid

	if emulated_runs; then
		pid=$(<"$emulated_dir/slot.pid")
		kill "$pid"
		wait_until 20 test ! -e "/proc/$pid" || vm_fail "nnaccel-emud does not end" || return 1
	fi
	# Clients that are being closed hold it.
	wait_until 20 modprobe -q -r nnaccel_emu
}

# The chip around the accelerator of a board, which stays, and the firmware where the driver looks for it.
board_start()
{
	mkdir -p /lib/firmware/nnaccel && cp "$NN_OUT/firmware.bin" /lib/firmware/nnaccel/npu.bin &&
		modprobe nnaccel_vmboard || vm_fail "modprobe nnaccel_vmboard failed: $(dmesg | tail -n 3)" || return 1
	# As a PCI card does, it sleeps only for the tests of that.
	echo on >/sys/bus/platform/devices/npu/power/control
}

# board_count NAME: power, clocks, deasserted, violations, boots, refused of the chip around the accelerator
board_count()
{
	awk -v name="$1" '$1 == name { print $2 }' /sys/bus/platform/devices/npu-board/counters
}

# Loads the driver as a user would and waits for the node of every card.
load_driver()
{
	[ "${NN_BOARD:-0}" = 0 ] || board_start || return 1
	[ "$NN_EMULATED" = 0 ] || emulated_start || vm_fail "no emulated device" || return 1
	modprobe nnaccel || vm_fail "modprobe nnaccel failed: $(dmesg | tail -n 3)" || return 1
	wait_until 20 node_count_is "$NN_CARDS" ||
		vm_fail "$NN_CARDS cards, but the nodes are: $(device_nodes | tr '\n' ' ')"
}

unload_driver()
{
	[ "$NN_EMULATED" = 0 ] || emulated_end || vm_fail "the emulated device does not go" || return 1
	modprobe -r nnaccel || vm_fail "modprobe -r nnaccel failed"
}

driver_loaded()
{
	[ -d /sys/module/nnaccel ]
}

# Whether cards have the node numbers of a fresh boot: a card that is bound while its old node is open gets
# another number. Render nodes have numbers in common with other drivers.
nodes_in_order()
{
	local i

	if [ ! -d /sys/class/accel ]; then
		[ -e /dev/dri/renderD128 ]
		return
	fi
	for ((i = 0; i < NN_CARDS; i++)); do
		[ -e "/dev/accel/accel$i" ] || return 1
	done
}

# Tests take the first node for the card in the first slot.
fresh_nodes()
{
	nodes_in_order || { unload_driver && load_driver; }
}

# The driver's state of each card, one a line.
cards_states()
{
	cat /sys/class/{accel/accel,drm/renderD}*/device/nnaccel/state 2>/dev/null
}

cards_online()
{
	[ "$(cards_states | grep -cx online)" -eq "$NN_CARDS" ]
}

# Whether every card is online, if need be after a restart of the cards and one reload of the driver. A driver that is not
# loaded is the next test's concern.
cards_usable()
{
	local card

	[ "$NN_CARDS" -gt 0 ] && driver_loaded || return 0
	! wait_until 20 cards_online || return 0
	for ((card = 0; card < NN_CARDS; card++)); do
		card_control -n "$card" reset-line on >/dev/null
		card_control -n "$card" fault none >/dev/null
	done
	unload_driver && load_driver && wait_until 20 cards_online
}

# The PCI addresses of the cards (ivshmem's ids), one a line.
card_slots()
{
	local dev

	for dev in /sys/bus/pci/devices/*; do
		[ "$(<"$dev/vendor"):$(<"$dev/device")" = 0x1af4:0x1110 ] && echo "${dev##*/}"
	done
	return 0
}

# card_control [-n CARD] COMMAND...: sends one line to a card's slot on the host (kill, stop, cont, hold, start,
# fault SPEC, status) and prints the answer. The port has one user at a time: a busy port is retried. NNACCEL_CONTROL names the
# socket of a slot that is no virtio port.
card_control()
{
	local card='' port fd answer try

	if [ "$1" = -n ]; then
		[ "$2" -eq 0 ] || card=$2
		shift 2
	fi
	if [ -n "${NNACCEL_CONTROL:-}" ]; then
		answer=$(python3 -c 'import socket, sys
with socket.socket(socket.AF_UNIX) as s:
    s.settimeout(60)
    s.connect(sys.argv[1])
    s.sendall((sys.argv[2] + "\n").encode())
    print(s.makefile().readline().rstrip())' "$NNACCEL_CONTROL" "$*") || vm_fail "no answer to '$*' at $NNACCEL_CONTROL" || return 1
		echo "$answer"
		[[ $answer != error* ]]
		return
	fi
	port=/dev/virtio-ports/nnaccel.control$card
	[ -e "$port" ] || vm_fail "no $port: booted without that card" || return 1
	for try in {1..50}; do
		if { exec {fd}<>"$port"; } 2>/dev/null; then
			break
		fi
		sleep 0.1
	done
	[ -n "${fd:-}" ] || vm_fail "$port stayed busy ($try tries)" || return 1
	echo "$*" >&"$fd"
	if ! read -r -t 10 answer <&"$fd"; then
		exec {fd}>&-
		vm_fail "no answer to '$*' from the slot"
		return 1
	fi
	exec {fd}>&-
	echo "$answer"
	[[ $answer != error* && $answer != err* ]]
}

# set_cpus 0|1: takes all processors but the first offline, or online.
set_cpus()
{
	local cpu

	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -e "$cpu" ] || echo "$1" >"$cpu"
	done
}

# For tests that toggle trace events, until they exit: the kernel patches its code with temporary breakpoints, and
# QEMU's TCG (7.2; fixed in 8.1) may execute one that was removed: "Oops: int3" at another instruction. vm.sh would
# boot again, but here that is likely. One processor cannot run code that it is patching. --smp 1 is no alternative:
# TCG would omit the memory barriers that the card's process on the host needs.
patch_safely()
{
	grep -q 'QEMU TCG' /proc/cpuinfo || return 0
	trap 'set_cpus 1' EXIT
	set_cpus 0
}

# log_mark NAME / log_since NAME: the kernel log from a mark on.
log_mark()
{
	echo "nnaccel-mark: $1" >/dev/kmsg
}

log_since()
{
	dmesg | sed -n "/nnaccel-mark: $1\$/,\$p"
}

# log_clean NAME: fails, and prints the lines, if the kernel reported a fault since the mark.
log_clean()
{
	log_since "$1" >"/run/nnaccel/log.$$"
	bash "$NN_ROOT/tests/vm/logscan.sh" "/run/nnaccel/log.$$"
}

# check TITLE COMMAND...: one TAP result; the command's output follows as comments when it fails. tap_done
# ends the test: the plan, and the exit code.
TAP_COUNT=0
TAP_FAILED=0
check()
{
	local title=$1 output rc=0

	shift
	TAP_COUNT=$((TAP_COUNT + 1))
	output=$("$@" 2>&1) || rc=$?
	if [ "$rc" -eq 0 ]; then
		echo "ok $TAP_COUNT $title"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_COUNT $title"
		printf '%s\n' "exit $rc: $*" "$output" | head -n 40 | sed 's/^/# /'
	fi
}

tap_done()
{
	echo "1..$TAP_COUNT"
	[ "$TAP_FAILED" -eq 0 ]
	exit
}

# classifies DEVICE [SECONDS]: the classifier gives its expected outputs on a device.
classifies()
{
	timeout "${2:-60}" nnctl models-check "$NN_ROOT/models" --device "$1" --filter shapes_int8
}
