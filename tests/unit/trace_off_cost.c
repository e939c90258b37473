/* SPDX-License-Identifier: Apache-2.0 */
/* Not run: trace_off_cost.sh disassembles this trace point. */
#include "nntrace.h"

int without(int x);
int with(int x);
int with_switch(int x);
void work(int *x);

int without(int x)
{
	work(&x);
	return x;
}

int with(int x)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "with");

	work(&x);
	return x;
}

int with_switch(int x)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "with_switch");

	NNTRACE_RT_SWITCH(NNTRACE_PHASE_RESULTS, "with_switch results");
	work(&x);
	return x;
}
