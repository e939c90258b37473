#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: debug debug-recovery debug-stress debug-swiotlb debug-two-cards debug-emu
# timeout: 120
#
# Results of the debug kernel for all earlier tests: lockdep is still on, nothing leaked, and the driver unmaps its
# DMA mappings when it is unbound, with clients and without.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

leaks=/sys/kernel/debug/kmemleak

# Lockdep turns itself off after its first report.
locks_checked()
{
	grep -qE '^ *debug_locks: +1$' /proc/lockdep_stats || vm_fail "$(grep debug_locks /proc/lockdep_stats)"
}

# An object is a leak if it is older than 5 s and two scans found no reference to it.
scan()
{
	local i

	for i in 1 2; do
		sleep $((6 * i))
		echo scan >"$leaks"
	done
}

# Objects with the driver in their stack trace; an unloaded module leaves only addresses.
leaked()
{
	awk '/^unreferenced object/ { text = "" } { text = text "\n" $0 }
		/nnaccel|^ *(\[<.*>\] )?0xffffffff[0-9a-f]*$/ { print text; text = "" }' "$leaks"
}

no_leaks()
{
	local found

	scan
	found=$(leaked)
	[ -z "$found" ] || vm_fail "$found"
}

first_card()
{
	node_device 0
}

# A client that keeps the device open and uses it, across the unbind.
unbind_with_clients()
{
	local card driver fd rc=0

	card=$(first_card)
	driver=$(readlink -f "$card/driver")
	exec {fd}<>"$(device_nodes | head -n 1)"
	"$NN_BUILD/kselftest/bo" >/dev/null 2>&1 &
	"$NN_BUILD/kselftest/queue" >/dev/null 2>&1 &
	# Both clients are at work; what they do then does not matter.
	sleep 3
	echo "${card##*/}" >"$driver/unbind" || rc=1
	wait
	exec {fd}<&-
	echo "${card##*/}" >"$driver/bind" || rc=1
	return "$rc"
}

no_dma_left()
{
	! dmesg | grep -E 'DMA-API: .*(pending DMA allocations|leaked DMA)'
}

log_has_no_splat()
{
	dmesg >"/run/nnaccel/log.$$"
	bash "$NN_ROOT/tests/vm/logscan.sh" "/run/nnaccel/log.$$"
}

check "loaded" load_driver
check "kmemleak is there" test -e "$leaks"
check "nothing leaked while the driver was in use" no_leaks
check "unbind with open clients" unbind_with_clients
check "no DMA mapping outlived the driver" no_dma_left
check "the module unloads" wait_until 20 unload_driver
check "nothing leaked when it left" no_leaks
check "no DMA mapping outlived the module" no_dma_left
check "loads again" load_driver
check "lockdep is still awake" locks_checked
check "no splat in the whole log" log_has_no_splat
tap_done
