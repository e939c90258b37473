/* SPDX-License-Identifier: Apache-2.0 */
/* Limit of the lines that one source writes to a log: some at once, and more as time passes. */
#ifndef NNUTIL_LOG_RATE_H
#define NNUTIL_LOG_RATE_H

#include <stdbool.h>
#include <stdint.h>

/** struct nnutil_log_rate - one writer's lines. One thread at a time. */
struct nnutil_log_rate {
	unsigned int at_once, per_second; /* constant */
	/* private */
	int64_t counted_ns;
	unsigned int left, dropped;
};

/** @now_ns: CLOCK_MONOTONIC. */
static inline void nnutil_log_rate_init(struct nnutil_log_rate *rate, unsigned int at_once,
					unsigned int per_second, int64_t now_ns)
{
	*rate = (struct nnutil_log_rate){ at_once, per_second, now_ns, at_once, 0 };
}

/**
 * nnutil_log_rate_take() - whether the next line is written
 * @rate: of who writes it
 * @now_ns: CLOCK_MONOTONIC
 * @dropped: set to how many lines before it were left out since the last one that was written
 *
 * Return: true: write it, and before it that @dropped lines are left out, if there are any. False:
 * leave it out.
 */
bool nnutil_log_rate_take(struct nnutil_log_rate *rate, int64_t now_ns, unsigned int *dropped);

#endif
