/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a model as a trace has them (nntrace_op.h). */
#ifndef NNCTL_PROFILE_H
#define NNCTL_PROFILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
