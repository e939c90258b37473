# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# All its reports are ok, then it crashes.
echo "1..1"
echo "ok 1 before the crash"
kill -SEGV $$
