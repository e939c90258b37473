/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one device operation through its descriptor and its kernel, without the firmware's core:
 * tensors with memory of their own that is aligned to the element only, scratch memory of exactly
 * the requested size, outputs from the descriptor's shapes.
 */
#ifndef OP_HARNESS_H
#define OP_HARNESS_H

#include <stdint.h>

#include "nnfw_op.h"

#define OP_MAX_IN 69u
#define OP_MAX_OUT 4u

struct op_test {
	uint32_t opcode;
	const void *attrs;
	struct nnfw_tensor in[OP_MAX_IN];
	uint32_t num_in;
	/* type and quantization by the test; shape and data by op_run() */
	struct nnfw_tensor out[OP_MAX_OUT];
	uint32_t num_out; /* 0 counts as 1 */
	char error[128];
	uint64_t ticks; /* of the last run */
	/* of the last run: the thread's time, and the longest between two ticks */
	int64_t cpu_ns, gap_ns;
};

/** Deterministic random numbers; the same sequence in every run. */
void op_seed(uint32_t seed);
uint32_t op_random(uint32_t below);
/** From @lo to @hi, both included. */
uint32_t op_random_range(uint32_t lo, uint32_t hi);
double op_uniform(double lo, double hi);

/** Free every tensor made since the last call. */
void op_release(void);

/** A tensor with memory and random contents: floats in [-2, 2), integers over the whole type. */
struct nnfw_tensor op_tensor(uint32_t dtype, uint32_t rank, const uint32_t *dims);
#define DIMS(...) \
	(sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)), ((uint32_t[]){ __VA_ARGS__ })
/** An INT32 tensor of these values. */
struct nnfw_tensor op_values(uint32_t rank, const uint32_t *dims, const int32_t *values);
struct nnfw_tensor op_omitted(void);
/** A type, and quantization, to be an output. */
struct nnfw_tensor op_output(uint32_t dtype, float scale, int32_t zero_point);

void op_quantize(struct nnfw_tensor *t, float scale, int32_t zero_point);
/** Random scales along @dim, about @scale. */
void op_quantize_channels(struct nnfw_tensor *t, uint32_t dim, float scale);
/** A random zero point of the tensor's 8-bit type. */
int32_t op_zero_point(uint32_t dtype);

/**
 * check_attrs, infer (also with parts of the shapes unknown, which must not contradict), the rule
 * on inputs without elements as the core holds to it (both of its errors are -EINVAL here), run
 * without load(), with it, and with constants that it has no room for: the same bits. Outputs whose
 * extents run() decides come with the memory of bound(), and keep within it. The harness's own
 * expectations are asserted. 0 or the first error.
 */
int op_run(struct op_test *t);
/** Room for what the first output should hold, all 0. */
double *op_results(const struct op_test *t);
/** op_run(), which must return 0, and op_results(). */
#define op_want(t)                              \
	({                                      \
		assert_int_equal(op_run(t), 0); \
		op_results(t);                  \
	})
/** oracle_compare() of the first output with op_results(), which it frees; then op_release(). */
void op_compare(const struct op_test *t, double *want, const char *what);
/** op_run(), which must return -EINVAL; then op_release(). */
#define op_refused(t)                                 \
	do {                                          \
		assert_int_equal(op_run(t), -EINVAL); \
		op_release();                         \
	} while (0)

/**
 * nnfw_crew.split on this thread: pieces of different sizes, from the last to the first, in two
 * slots.
 */
int op_split_backwards(struct nnfw_crew *crew, size_t units, size_t grain, nnfw_units_fn *fn,
		       void *arg);

/** The k-th tick from now on says -ECANCELED; 0: never. */
void op_cancel_at(uint64_t tick);

#endif
