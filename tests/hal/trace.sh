#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# trace.sh PROGRAM...: runs tests of the HAL with tracing on and looks at what they wrote. In every thread ends
# match begins; every execution, of whatever kind and whether or not it succeeded, has its begin and its end
# by the names that the analyser looks for; and there are executions. On a device behind a process
# (NNHAL_TEST_DEVICE=worker:cpu), both processes write to the file: the driver's marks are the other process's, and
# for each of its executions the client has marks of IPC.
set -euo pipefail

proxied=0
case ${NNHAL_TEST_DEVICE:-} in
worker* | service*) proxied=1 ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
for program in "$@"; do
	trace=$dir/$(basename "$program")
	if ! NNTRACE=file:$trace NNTRACE_DETAIL=2 "$program" >"$dir/log" 2>&1 </dev/null; then
		tail -n 20 "$dir/log"
		echo "not ok - $program fails when it is traced"
		failed=1
		continue
	fi
	# COMM-TID ( TGID) [CPU] .... TIME: tracing_mark_write: B|PID|MARK or E|PID
	if awk -v proxied="$proxied" '
		/^#/ { next }
		!match($0, /-[0-9]+ +\( *[0-9]+\) \[[0-9]+\] .... +[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]: tracing_mark_write: /) {
			if (!bad++)
				print "# not a mark: " $0
			next
		}
		{
			mark = substr($0, RSTART + RLENGTH)
			split(substr($0, RSTART + 1), id, " ")
			tid = id[1]
			split(mark, fields, "|")
			pid = fields[2]
		}
		mark ~ /^B\|[0-9]+\|./ { depth[tid]++ }
		mark ~ /^E\|[0-9]+$/ && --depth[tid] < 0 { print "# thread " tid ": an end too many"; bad = 1; exit }
		mark ~ /\|HIDL::IPreparedModel::execute::server$/ { begun++ }
		mark ~ /\|HIDL::IExecutionCallback::notify::client$/ { ended++ }
		mark ~ /\|HIDL::IDevice::[A-Za-z_0-9]*::server$/ { served++; driver[pid] = 1 }
		mark ~ /\|HIDL::I(PreparedModel|Burst)::execute[A-Za-z]*::client$/ { requested++; client[pid] = 1 }
		mark ~ /\|\[NN_LI_PE\]IExecution::/ { requested++; client[pid] = 1 }
		END {
			for (tid in depth)
				if (depth[tid]) {
					print "# thread " tid ": " depth[tid] " scopes without an end"
					bad = 1
				}
			for (pid in client)
				if (pid in driver) {
					print "# process " pid " is client and driver"
					bad = 1
				}
			if (proxied && requested < begun || !proxied && requested) {
				print "# " requested + 0 " executions requested by IPC"
				bad = 1
			}
			printf "# %d executions begun, %d ended, %d calls of the device\n", begun, ended, served
			exit bad || !begun || begun != ended || !served
		}' "$trace"; then
		echo "ok - $(basename "$program")"
	else
		echo "not ok - $(basename "$program")"
		failed=1
	fi
done
exit "$failed"
