/* SPDX-License-Identifier: Apache-2.0 */
/* The time of each operation beside what the processor could do. */
#ifndef NNCTL_ROOFLINE_H
#define NNCTL_ROOFLINE_H

#include <cjson/cJSON.h>

#include "roofline/peak.h"
#include "roofline/profile.h"

struct roofline_row {
	double us; /* in a run */
	double gops; /* 2 * multiply-adds per time; 0: it has none */
	double of_peak; /* of the peak of its type; 0: not known */
	double gbs; /* bytes that it cannot avoid, per time */
	/*
	 * The least time that its multiply-adds or its bytes take at the peaks, whichever is
	 * longer, in parts of its time. 0: not known.
	 */
	double of_roof;
};

/** A row for @op. */
struct roofline_row roofline_row(const struct profile_op *op, const struct peak *peak);
/** A line for each operation, the sums of each kind, and the whole. @isa: of @peak. */
void roofline_print(const struct profile *profile, const struct peak *peak, const char *isa);
/** The same as an object; NULL: no memory. */
cJSON *roofline_json(const struct profile *profile, const struct peak *peak, const char *isa);

#endif
