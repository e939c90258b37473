# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
echo "not reached: the guest died before"
