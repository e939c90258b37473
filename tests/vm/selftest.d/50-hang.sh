# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# timeout: 2
sleep 1000
