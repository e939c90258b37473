#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# init.sh: process 1 of user-mode Linux, whose root is that of the host. Loads the module $NN_MODULE, which runs its KUnit suites,
# and leaves in $NN_OUT: results (KTAP), dmesg, and the coverage data (gcda). Then it powers off with $NN_BUSYBOX.
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t debugfs debugfs /sys/kernel/debug
"$NN_BUSYBOX" insmod "$NN_MODULE" >"$NN_OUT/insmod" 2>&1
echo $? >"$NN_OUT/status"
cat /sys/kernel/debug/kunit/*/results >"$NN_OUT/results"
"$NN_BUSYBOX" dmesg >"$NN_OUT/dmesg"
# debugfs reports size 0 for them, so they are not copied as files are.
find /sys/kernel/debug/gcov -name 'nnaccel_*.gcda' | while read -r file; do
	cat "$file" >"$NN_OUT/gcda/${file##*/}"
done
sync
"$NN_BUSYBOX" poweroff -f
