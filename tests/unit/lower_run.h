/* SPDX-License-Identifier: Apache-2.0 */
/* Running lowered models on the firmware's core. */
#ifndef LOWER_RUN_H
#define LOWER_RUN_H

#include <stdbool.h>

#include "lower_spec.h"
#include "nnaccel/nnaccel_ring.h"

/** An argument: buffer and, where the model does not say, its shape. */
struct buffer {
	void *data;
	size_t size;
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	bool omitted;
};
#define BYTES(array, bytes) ((struct buffer){ .data = (void *)(array), .size = (bytes) })
#define BUFFER(array) BYTES(array, sizeof(array))
#define SHAPED(array, rank_, ...)                  \
	((struct buffer){ .data = (void *)(array), \
			  .size = sizeof(array),   \
			  .rank = rank_,           \
			  .dims = { __VA_ARGS__ } })
/** An input that the run comes without. */
#define OMITTED ((struct buffer){ .omitted = true })
#define DONE ((struct buffer){ .data = NULL })
#define BUFFERS(...) ((const struct buffer[]){ __VA_ARGS__, DONE })

/** The end of a run: enum nnaccel_status, its message, and the first extent of each output. */
struct run_end {
	uint32_t status;
	char text[128];
	uint32_t extents[8];
};
struct run_end run_model_end(const struct nnmodel *model, const struct buffer *in,
			     const struct buffer *out);
/** Lower @model and run it once. Lists end with DONE. */
void run_model(const struct nnmodel *model, const struct buffer *in, const struct buffer *out);
/** The same with a model of one operation. */
void run_op(uint32_t opcode, const char *in_spec, const char *out_spec, const struct buffer *in,
	    const struct buffer *out);
/** Equal to a part in 100000. */
void expect_floats(const float *got, const float *want, size_t n);

#endif
