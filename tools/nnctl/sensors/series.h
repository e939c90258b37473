/* SPDX-License-Identifier: Apache-2.0 */
/* The times of a sensor's events: rate, how even it is, how late the events come. */
#ifndef NNCTL_SENSORS_SERIES_H
#define NNCTL_SENSORS_SERIES_H

#include <stdint.h>

#define SERIES_MAX 4096u

/** struct series - of all events: count and rate; of the last SERIES_MAX: the spread */
struct series {
	uint64_t events;
	int64_t first_ns, last_ns; /* stamps */
	int64_t intervals[SERIES_MAX], delays[SERIES_MAX];
};

/** struct series_figures - NAN where there are too few events */
struct series_figures {
	double rate_hz; /* between the first and the last event */
	double jitter_p50_ms, jitter_p99_ms; /* distance of an interval from the median interval */
	double delay_p50_ms, delay_p99_ms; /* from the stamp to here */
};

/** @now_ns: CLOCK_BOOTTIME, as stamps are */
void series_add(struct series *series, int64_t stamp_ns, int64_t now_ns);
/** Not while another thread adds. */
struct series_figures series_figures(const struct series *series);

#endif
