// SPDX-License-Identifier: Apache-2.0
#include "nnutil_log.h"

#include "nnutil_clock.h"

bool nnutil_log_rate_take(struct nnutil_log_rate *rate, int64_t now_ns, unsigned int *dropped)
{
	const int64_t passed_ms = (now_ns - rate->counted_ns) / NNUTIL_NS_PER_MS;
	const int64_t more = passed_ms * rate->per_second / 1000;

	*dropped = 0;
	if (more > 0) {
		rate->left = more + rate->left > rate->at_once ? rate->at_once
							       : rate->left + (unsigned int)more;
		rate->counted_ns = now_ns;
	}
	if (!rate->left) {
		rate->dropped += rate->dropped < UINT32_MAX;
		return false;
	}
	rate->left--;
	*dropped = rate->dropped;
	rate->dropped = 0;
	return true;
}
