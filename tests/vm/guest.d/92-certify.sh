#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boots: stock:full stock:long emu:long board
# timeout: 600
#
# nnctl certify on a device with a node: all routes that libnnhal has, and tests of the driver that take the device away. The other
# programs of tests/hal and tests/kselftest run as tests of their own.
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

tests=$NN_TEST_TMP/tests
mkdir -p "$tests/hal" "$tests/kselftest"
ln -s "$NN_BUILD"/tests/hal/test_hal_{execute,burst} "$tests/hal/"
ln -s "$NN_BUILD"/kselftest/{query,submit,sync,unplug,recover} "$tests/kselftest/"
certificate=$NN_TEST_TMP/certificate.json

certify()
{
	nnctl certify "$(node_name)" --tests "$tests" --models "$NN_ROOT/models" --output "$certificate" --report "$NN_TEST_TMP/page.html" \
		>"$NN_TEST_TMP/certify.log" 2>&1 || vm_fail "$(grep -A 2 -E 'FAIL|^nnctl|failed' "$NN_TEST_TMP/certify.log" | cut -c 1-300)"
}

# of_certificate EXPRESSION: whether it holds for the certificate c
of_certificate()
{
	python3 -c 'import json, sys
c = json.load(open(sys.argv[1]))
groups = {}
for s in c["steps"]:
    groups.setdefault(s["group"], []).append(s)
value = eval(sys.argv[2])
print(sys.argv[2], "is", value)
sys.exit(not value)' "$certificate" "$1"
}

check "loaded" load_driver
check "the device passes" certify
check "all operations are supported" of_certificate 'c["totals"]["combinations_supported"] == c["totals"]["combinations"] > 390'
check "the tests of the driver ran" of_certificate '[s["name"] for s in groups["driver"]] == ["query", "recover", "submit", "sync", "unplug"] and all(s["passed"] for s in groups["driver"])'
check "the tests of the HAL ran" of_certificate 'len(groups["hal"]) == 2 and all(s["passed"] for s in groups["hal"])'
check "each route ran all examples" of_certificate '[s["passed"] > 630 for s in groups["conformance"] if "not_run" not in s] == [True] * 4'
check "the device computes after all of it" of_certificate '[s["passed"] for s in groups["models"] if s["name"] == "after" and s["route"] == "device"] == [2]'
tap_done
