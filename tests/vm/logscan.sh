#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# logscan.sh [--allow REGEX] FILE...: prints the lines of kernel logs that report a fault of the kernel; exits
# 1 when there are any. The patterns are those the kernel itself prints for WARN, BUG, Oops, lockdep, RCU and
# scheduler stalls, UBSAN, KASAN, DMA-API and list or reference count corruption.
set -euo pipefail

allow='^$'
if [ "${1:-}" = --allow ]; then
	allow=$2
	shift 2
fi
patterns='WARNING:|BUG:|\bBUG at |Oops|Kernel panic|general protection|Unable to handle|unable to handle'
patterns+='|Call Trace:|INFO: possible|INFO: task .* blocked|INFO: trying to register|possible recursive locking'
patterns+='|suspicious RCU usage|circular locking|inconsistent lock state|rcu.*(detected|self-detected) stall'
patterns+='|soft lockup|hard LOCKUP|UBSAN|KASAN|KCSAN|kmemleak: [0-9]|refcount_t:|list_(add|del) corruption'
patterns+='|DMA-API:|nobody cared|invalid opcode|double fault|stack guard page|scheduling while atomic'
patterns+='|sleeping function called from invalid context|Bad page state|slab.*(Poison|Redzone) overwritten'
patterns+='|swiotlb buffer is full|trying to free|held lock freed|irq event stamp'

# Messages of the debug kernel at boot.
harmless='DMA-API: (preallocated|debugging (enabled|disabled))'

# The pipe below would not notice.
command -v awk >/dev/null || { echo "logscan: no awk here: nothing was looked at" && exit 1; }

# The kernel prints a call trace when it ends a process of a memory cgroup that is at its limit, which is no fault.
without_cgroups_at_their_limit()
{
	local file

	for file; do
		[ ! -r "$file" ] || awk -v file="$file" '
			function release() { if (held != "") print held; held = "" }
			/invoked oom-killer:/ { report = NR }
			/Call Trace:/ && report && NR - report <= 4 { release(); held = file ":" $0; report = 0; next }
			/Memory cgroup out of memory: Killed/ { held = "" }
			/Out of memory: Killed/ { release() }
			{ print file ":" $0 }
			END { release() }' "$file"
	done
}

if without_cgroups_at_their_limit "$@" | grep -aE -- "$patterns" | grep -avE -- "$harmless" | grep -avE -- "$allow"; then
	exit 1
fi
