# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# All that it reports is good, and then it dies.
echo "1..1"
echo "ok 1 before the crash"
kill -SEGV $$
