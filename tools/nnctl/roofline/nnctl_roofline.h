/* SPDX-License-Identifier: Apache-2.0 */
/* The times of operations beside the peaks of the processor. */
#ifndef NNCTL_ROOFLINE_H
#define NNCTL_ROOFLINE_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* peak.c: what one core of this processor can do at most, measured. */

struct peak {
	/* 0: not known */
	double int8_gops, float_gops; /* a multiply-add is two operations */
	double read_gbs; /* of memory that is in the second-level cache */
};

/** By instructions of the set @isa (the names of nnhal_device_info.isa). Takes some 20 ms. */
struct peak peak_measure(const char *isa);

/* profile.c: the operations of a model as a trace has them (nntrace_op.h). */

struct profile_op {
	uint32_t graph, number; /* of the subgraph, and in it */
	char name[48], type[16];
	uint64_t macs, elements, bytes; /* of one time */
	double times; /* in a run: not 1 in a loop or a branch */
	int64_t ns; /* median of one time */
	/* while reading: */
	uint64_t ran; /* times of all marks */
	int64_t *samples;
	size_t count, room;
};

struct profile {
	struct profile_op *ops; /* by graph and number */
	size_t count;
};

/**
 * Run this program again, with the arguments of "nnctl bench" but for --ops and --json, and read
 * the marks of it. 0, or -1 after a complaint. The caller calls profile_free() in any case.
 */
int profile_run(int argc, char **argv, struct profile *profile);
/** The marks in a trace. 0 or -ENOMEM. */
int profile_read(FILE *trace, struct profile *profile);
void profile_free(struct profile *profile);

/* roofline.c: the time of each operation beside what the processor could do. */

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
