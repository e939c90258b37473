# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
echo "the suite goes on after all of that"
