# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
echo "a test without TAP fails by its exit code"
exit 3
