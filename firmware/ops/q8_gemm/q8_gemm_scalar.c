// SPDX-License-Identifier: Apache-2.0
/* The reference. Packed weights: [column][segment][length]. */
#include "q8_gemm/q8_gemm_kernels.h"

static size_t q8_gemm_size(size_t columns, struct nnfw_q8_depth depth)
{
	return columns * depth.segments * depth.length;
}

/* Copies a column; returns the sum of its codes: of a product, it fits. */
static uint32_t pack_column(uint8_t *to, const uint8_t *from, size_t element, size_t k,
			    uint8_t flip)
{
	int32_t sum = 0;

	for (size_t e = 0; e < k; e++) {
		to[e] = from[e * element] ^ flip;
		sum += (int8_t)to[e];
	}
	return (uint32_t)sum;
}

static void q8_gemm_pack(const struct nnfw_q8_packing *p)
{
	const struct nnfw_q8_codes *codes = &p->codes;
	size_t k = p->depth.segments * p->depth.length;

	for (size_t c = p->first; c < p->end; c++) {
		const uint8_t *from = nnfw_q8_column(codes, c);
		uint8_t *to = (uint8_t *)p->weights + c * k;

		/* the usual order is for the vectorizer */
		if (codes->element == 1)
			p->sums[c] += pack_column(to, from, 1, k, codes->flip);
		else
			p->sums[c] += pack_column(to, from, codes->element, k, codes->flip);
	}
}

static uint32_t q8_gemm_product(const struct nnfw_q8_job *job, size_t r, size_t c)
{
	const uint8_t *row = nnfw_q8_row(job, r);
	const int8_t *w =
		(const int8_t *)job->weights + c * job->depth.segments * job->depth.length;
	uint32_t sum = 0;

	for (size_t s = 0; s < job->depth.segments; s++) {
		for (size_t i = 0; i < job->depth.length; i++)
			sum += (uint32_t)(row[i] * w[i]);
		row += job->segment_stride;
		w += job->depth.length;
	}
	return sum;
}

static void q8_gemm_store(const struct nnfw_q8_job *job, size_t r, size_t c, uint32_t sum)
{
	sum += (uint32_t)job->column_terms[c];
	if (job->row_terms)
		sum += (uint32_t)job->row_terms[r];
	job->out[r * job->out_stride + c] =
		(uint8_t)nnfw_requantize((int32_t)sum, job->multipliers[c], &job->rule);
}

static void q8_gemm_multiply(const struct nnfw_q8_job *job)
{
	for (size_t r = 0; r < job->rows; r++)
		for (size_t c = job->first; c < job->end; c++)
			q8_gemm_store(job, r, c, q8_gemm_product(job, r, c));
}

static void q8_gemm_add(const struct nnfw_q8_job *job, uint32_t *sums, size_t stride)
{
	for (size_t r = 0; r < job->rows; r++)
		for (size_t c = job->first; c < job->end; c++)
			sums[r * stride + c - job->first] += q8_gemm_product(job, r, c);
}

static void q8_gemm_finish(const struct nnfw_q8_job *job, const uint32_t *sums, size_t stride)
{
	for (size_t r = 0; r < job->rows; r++)
		for (size_t c = job->first; c < job->end; c++)
			q8_gemm_store(job, r, c, sums[r * stride + c - job->first]);
}

static void row_sums(const struct nnfw_q8_job *job, uint32_t *sums)
{
	for (size_t r = 0; r < job->rows; r++) {
		const uint8_t *row = nnfw_q8_row(job, r);

		for (size_t s = 0; s < job->depth.segments; s++, row += job->segment_stride)
			for (size_t i = 0; i < job->depth.length; i++)
				sums[r] += row[i];
	}
}

static void q8_gemm_copy(uint8_t *dst, const uint8_t *src, size_t n, uint8_t flip)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = src[i] ^ flip;
}

const struct nnfw_q8_gemm_kernels nnfw_q8_gemm_scalar = {
	.unit = 1,
	.block = 16000,
	.size = q8_gemm_size,
	.pack = q8_gemm_pack,
	.multiply = q8_gemm_multiply,
	.add = q8_gemm_add,
	.finish = q8_gemm_finish,
	.row_sums = row_sums,
	.copy = q8_gemm_copy,
};
