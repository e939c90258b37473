// SPDX-License-Identifier: Apache-2.0
#include "q8_gemm/q8_gemm_agree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "nnutil_align.h"

#define COLUMNS 120u
#define SEGMENTS 2u
#define LENGTH 192u
#define PIXELS 120u

struct memory {
	uint8_t left[PIXELS * LENGTH * SEGMENTS], codes[COLUMNS * LENGTH * SEGMENTS];
	uint8_t outputs[2][PIXELS * COLUMNS];
	uint32_t sums[COLUMNS];
	int32_t row_terms[PIXELS];
	int32_t column_terms[2 * NNFW_Q8_PANEL];
	float multipliers[2 * NNFW_Q8_PANEL];
};

/* Rows by runs: several groups of rows, one, and short runs with gaps. */
static const struct {
	size_t rows, run, gap;
} forms[] = { { 100, 100, 0 }, { 16, 16, 0 }, { 49, 7, 2 } };

static void bytes_fill(uint8_t *bytes, size_t n, uint32_t random)
{
	for (size_t i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(random >> 24);
	}
}

static void memory_fill(struct memory *m)
{
	bytes_fill(m->left, sizeof(m->left), 1);
	bytes_fill(m->codes, sizeof(m->codes), 2);
	for (size_t i = 0; i < PIXELS; i++)
		m->row_terms[i] = (int32_t)i * 1000;
	for (size_t i = 0; i < COLUMNS; i++) {
		m->column_terms[i] = (int32_t)i * 3000;
		m->multipliers[i] = 1e-4f * (float)(i + 1);
	}
}

static bool products_agree(const struct nnfw_q8_gemm_kernels *known,
			   const struct nnfw_q8_gemm_kernels *other, struct memory *m,
			   void *weights)
{
	const struct nnfw_q8_packing packing = {
		.codes = { .data = m->codes, .column = SEGMENTS * LENGTH, .element = 1 },
		.depth = { .segments = SEGMENTS, .length = LENGTH },
		.weights = weights,
		.columns = COLUMNS,
		.end = COLUMNS,
		.sums = m->sums,
	};
	struct nnfw_q8_job job = {
		.left = m->left,
		.row_stride = LENGTH,
		.segment_stride = LENGTH * PIXELS / 2,
		.depth = packing.depth,
		.weights = weights,
		.columns = COLUMNS,
		.end = COLUMNS,
		.row_terms = m->row_terms,
		.column_terms = m->column_terms,
		.multipliers = m->multipliers,
		.rule = { .zero_point = 3, .lo = -3, .hi = 252 },
		.tame = true,
		.out_stride = COLUMNS,
	};

	memory_fill(m);
	known->pack(&packing);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		job.rows = forms[i].rows;
		job.run = forms[i].run;
		job.run_stride = (forms[i].run + forms[i].gap) * job.row_stride;
		job.out = m->outputs[0];
		known->multiply(&job);
		job.out = m->outputs[1];
		other->multiply(&job);
		if (memcmp(m->outputs[0], m->outputs[1], job.rows * COLUMNS))
			return false;
	}
	return true;
}

bool nnfw_q8_gemm_agree(const struct nnfw_q8_gemm_kernels *known,
			const struct nnfw_q8_gemm_kernels *other)
{
	const struct nnfw_q8_depth depth = { .segments = SEGMENTS, .length = LENGTH };
	struct memory *m = calloc(1, sizeof(*m));
	void *weights = aligned_alloc(64, nnutil_align_up(known->size(COLUMNS, depth), 64));
	bool agree = m && weights && products_agree(known, other, m, weights);

	free(weights);
	free(m);
	return agree;
}
