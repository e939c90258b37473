# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# It succeeds, but the kernel log reports a fault meanwhile.
echo "WARNING: CPU: 0 PID: 1 at selftest" >/dev/kmsg
