# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
echo c >/proc/sysrq-trigger
