// SPDX-License-Identifier: Apache-2.0
/* How long a worker may take to answer: the table of isolation.rst. */
#include "host/nnipc_host.h"
#include "nnutil_clock.h"

/* What a call may take beyond its deadline. */
#define LATE_NS (5 * NNUTIL_NS_PER_S)

int64_t nnipc_limit_ns(enum nnipc_limit limit, int64_t deadline_ns)
{
	int64_t left;

	if (limit == NNIPC_LIMIT_CALL)
		return nnipc_settings()->call_ns;
	/* other negative deadlines are refused by the vendor library, at once */
	if (deadline_ns < 0)
		return nnipc_settings()->work_ns;
	left = deadline_ns - nnutil_boottime_ns();
	if (left < 0)
		left = 0;
	return left > INT64_MAX - LATE_NS ? INT64_MAX : left + LATE_NS;
}
