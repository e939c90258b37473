# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Succeeds, but the kernel's log reports a fault meanwhile.
echo "WARNING: CPU: 0 PID: 1 at selftest" >/dev/kmsg
