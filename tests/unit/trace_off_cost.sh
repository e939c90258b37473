#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# trace_off_cost.sh LIBRARY: what a trace point costs when tracing is off, from the code itself: beside the
# same function without one, the way that is taken then has one load, one test and one jump more. What the
# compiler keeps in registers around it (push, pop, mov) may differ by a few.
set -euo pipefail

hot()
{
	objdump -d --no-show-raw-insn --section=.text "$1" |
		awk -v name="<$2>:" '$2 == name { on = 1; next } /^$/ { on = 0 } on { print $2 }'
}

count()
{
	hot "$1" "$2" | grep -cE "$3" || :
}

failed=0
for function in with with_switch; do
	jumps=$(($(count "$1" "$function" '^j') - $(count "$1" without '^j')))
	tests=$(($(count "$1" "$function" '^(test|cmp)') - $(count "$1" without '^(test|cmp)')))
	calls=$(($(count "$1" "$function" '^call') - $(count "$1" without '^call')))
	more=$(($(hot "$1" "$function" | wc -l) - $(hot "$1" without | wc -l)))
	echo "$function: $more instructions more, $jumps jumps, $tests tests, $calls calls"

	if [ "$(hot "$1" "$function" | wc -l)" -eq 0 ] || [ "$jumps" -ne 1 ] || [ "$tests" -ne 1 ] ||
		[ "$calls" -ne 0 ] || [ "$more" -gt 6 ]; then
		hot "$1" "$function"
		failed=1
	fi
done
exit "$failed"
