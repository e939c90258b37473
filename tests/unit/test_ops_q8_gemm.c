// SPDX-License-Identifier: Apache-2.0
/*
 * The 8-bit products of this instruction set against the scalar ones, bit by bit: random shapes,
 * strides, terms and multipliers, also those that no model has; tensors that end where memory ends.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa/isa.h"
#include "nnutil_align.h"
#include "op_harness.h"
#include "q8_gemm/q8_gemm_kernels.h"
#include "rounds.h"
#include "test_case.h"

/* @size bytes before a page that nothing may touch. */
struct guarded {
	uint8_t *data;
	void *map;
	size_t mapped;
};

static struct guarded guarded(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct guarded g = { .mapped = nnutil_align_up(size, page) + page };

	g.map = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(g.map != MAP_FAILED);
	assert_int_equal(mprotect((uint8_t *)g.map + g.mapped - page, page, PROT_NONE), 0);
	g.data = (uint8_t *)g.map + g.mapped - page - size;
	return g;
}

static void unguard(struct guarded *g)
{
	munmap(g->map, g->mapped);
}

static struct guarded random_bytes(size_t n)
{
	struct guarded g = guarded(n);

	for (size_t i = 0; i < n; i++)
		g.data[i] = (uint8_t)op_random(256);
	return g;
}

static const struct nnfw_q8_gemm_kernels *scalar(void)
{
	return nnfw_isa_row(0)->q8_gemm;
}

/* One product, prepared for the kernels under test and for the reference. */
struct product {
	const struct nnfw_q8_gemm_kernels *kernels;
	struct nnfw_q8_job job, wanted;
	struct guarded left, wanted_left, codes, packed, wanted_packed, terms, wanted_terms, rows,
		multipliers, out, wanted_out;
	size_t left_size, out_size;
};

static float random_multiplier(bool wild)
{
	static const float some[] = { NAN,   INFINITY, -INFINITY, 0,	  -0.5f,
				      3e38f, 1.0f,     -1.0f,	  1e-45f, 2.5e-3f };

	if (wild && !op_random(3))
		return some[op_random(sizeof(some) / sizeof(some[0]))];
	return (float)op_uniform(1e-5, op_random(4) ? 1e-3 : 0.999);
}

/* The memory of both sides, for the shape and the strides that are chosen. */
static void make_sides(struct product *p)
{
	struct nnfw_q8_job *job = &p->job;
	size_t k = job->depth.segments * job->depth.length;
	size_t last = (job->rows - 1) / job->run * job->run_stride +
		      (job->rows < job->run ? job->rows - 1 : job->run - 1) * job->row_stride +
		      (job->depth.segments - 1) * job->segment_stride + job->depth.length;

	/* what is copied for kernels has some bytes behind it */
	if (job->depth.length % p->kernels->unit)
		last += NNFW_Q8_SLACK;
	p->left = random_bytes(last);
	p->wanted_left = guarded(last);
	p->codes = random_bytes(k * job->columns);
	p->left_size = last;
}

/* The reference's left side is of unsigned codes. */
static void copy_left(struct product *p)
{
	for (size_t i = 0; i < p->left_size; i++)
		p->wanted_left.data[i] = p->left.data[i] ^ (p->kernels->left_signed ? 0x80 : 0);
}

/* Rows of a random product. */
#define MAX_ROWS 160u

/* The pixels of an image: whole runs, with some pixels between them. */
static void image_rows(struct nnfw_q8_job *job)
{
	job->run = op_random_range(1, 20);
	job->rows = job->run * op_random_range(1, MAX_ROWS / 20);
	job->run_stride = (job->run + op_random(4)) * job->row_stride;
}

static void random_sides(struct product *p)
{
	struct nnfw_q8_job *job = &p->job;

	job->depth.segments = op_random(3) ? 1 : op_random_range(1, 5);
	job->depth.length = op_random(8) ? op_random_range(1, 80) : op_random_range(500, 1500);
	job->rows = op_random(3) ? op_random_range(1, 15) : op_random_range(1, 60);
	job->run = op_random(2) ? job->rows : op_random_range(1, (uint32_t)job->rows);
	job->columns = op_random(3) ? op_random_range(1, 70) : op_random_range(1, 220);
	job->row_stride = op_random(2) ? job->depth.length : op_random_range(1, 200);
	job->segment_stride = op_random_range(1, 300);
	job->run_stride = op_random_range(1, 500);
	if (!op_random(3))
		image_rows(job);
	make_sides(p);
	copy_left(p);
}

static void pack(struct product *p)
{
	struct nnfw_q8_job *job = &p->job;
	size_t k = job->depth.segments * job->depth.length;
	bool by_column = op_random(3);
	const size_t step = op_random(2) ? NNFW_Q8_LANES : NNFW_Q8_PANEL;
	uint32_t *sums = calloc(2 * job->columns, sizeof(*sums));
	struct nnfw_q8_packing packing = {
		.codes = {
			.data = p->codes.data,
			.column = by_column ? k : 1,
			.element = by_column ? 1 : job->columns,
			.flip = op_random(2) ? 0x80 : 0,
		},
		.depth = job->depth,
		.columns = job->columns,
		.sums = sums,
	};
	struct nnfw_q8_packing wanted;

	assert_non_null(sums);

	/* the columns of a run are as many runs apart */
	if (by_column && job->columns % 3 == 0) {
		packing.codes.run = job->columns / 3;
		packing.codes.run_stride = k;
		packing.codes.column = 3 * k;
	}

	p->packed = guarded(nnutil_align_up(p->kernels->size(job->columns, job->depth), 64));
	p->wanted_packed = guarded(scalar()->size(job->columns, job->depth));
	/* as in scratch memory */
	memset(p->packed.data, 0xa5, p->kernels->size(job->columns, job->depth));
	/* what is there already is added to */
	for (size_t c = 0; c < job->columns; c++)
		sums[c] = sums[job->columns + c] = op_random(UINT32_MAX);
	wanted = packing;
	wanted.weights = p->wanted_packed.data;
	wanted.end = job->columns;
	wanted.sums = sums + job->columns;
	packing.weights = p->packed.data;
	for (size_t c = 0; c < job->columns; c += step) {
		packing.first = c;
		packing.end = job->columns - c < step ? job->columns : c + step;
		p->kernels->pack(&packing);
	}
	scalar()->pack(&wanted);
	assert_memory_equal(sums, wanted.sums, job->columns * sizeof(*sums));
	free(sums);
}

/* Random terms; the reference's have what signed codes of the left side take away. */
static void random_terms(struct product *p)
{
	struct nnfw_q8_job *job = &p->job;
	size_t padded = nnutil_align_up(job->columns, NNFW_Q8_PANEL);
	size_t k = job->depth.segments * job->depth.length;
	uint32_t range = op_random(4) ? 1u << 16 : UINT32_MAX;
	bool wild = !op_random(4);
	uint32_t *terms, *wanted;
	float *multipliers;

	p->terms = guarded(padded * sizeof(uint32_t));
	p->wanted_terms = guarded(padded * sizeof(uint32_t));
	p->multipliers = guarded(padded * sizeof(float));
	p->rows = guarded(job->rows * sizeof(uint32_t));
	terms = (uint32_t *)p->terms.data;
	wanted = (uint32_t *)p->wanted_terms.data;
	multipliers = (float *)p->multipliers.data;
	job->tame = true;
	for (size_t c = 0; c < job->columns; c++) {
		const int8_t *w = (const int8_t *)p->wanted_packed.data + c * k;

		terms[c] = wanted[c] = op_random(range) - range / 2;
		for (size_t i = 0; i < k && p->kernels->left_signed; i++)
			wanted[c] -= (uint32_t)(128 * w[i]);
		multipliers[c] = random_multiplier(wild);
		job->tame = job->tame && multipliers[c] > -1 && multipliers[c] < 1;
	}
	for (size_t r = 0; r < job->rows; r++)
		((uint32_t *)p->rows.data)[r] = op_random(range) - range / 2;
}

static void random_rule(struct nnfw_q8_job *job)
{
	int32_t least, zero, lo, hi;

	job->is_signed = op_random(2);
	least = job->is_signed ? -128 : 0;
	zero = least + (int32_t)op_random(256);
	lo = op_random(2) ? least : least + (int32_t)op_random(256);
	hi = op_random(2) ? least + 255 : lo + (int32_t)op_random((uint32_t)(least + 256 - lo));
	job->rule = (struct nnfw_requant){
		.zero_point = zero,
		.lo = (float)(lo - zero),
		.hi = (float)(hi - zero),
	};
}

/* The rest of a product whose sides are there. */
static void finish_product(struct product *p)
{
	struct nnfw_q8_job *job = &p->job;
	size_t n;

	pack(p);
	random_terms(p);
	random_rule(job);
	n = op_random(3) ? 0 : op_random((uint32_t)((job->columns + 63) / 64));
	job->first = n * NNFW_Q8_PANEL;
	job->far = op_random(2);
	n = (job->columns - job->first + NNFW_Q8_PANEL - 1) / NNFW_Q8_PANEL;
	n = job->first + op_random_range(1, (uint32_t)n) * NNFW_Q8_PANEL;
	job->end = n < job->columns ? n : job->columns;
	job->out_stride = job->columns + (op_random(2) ? 0 : op_random(40));
	p->out_size = (job->rows - 1) * job->out_stride + job->end;
	p->out = guarded(p->out_size);
	p->wanted_out = guarded(p->out_size);
	job->left = p->left.data;
	job->weights = p->packed.data;
	job->column_terms = (const int32_t *)p->terms.data;
	job->multipliers = (const float *)p->multipliers.data;
	job->row_terms = op_random(2) ? (const int32_t *)p->rows.data : NULL;
	job->out = p->out.data;
	p->wanted = *job;
	p->wanted.left = p->wanted_left.data;
	p->wanted.weights = p->wanted_packed.data;
	p->wanted.column_terms = (const int32_t *)p->wanted_terms.data;
	p->wanted.out = p->wanted_out.data;
}

static void random_product(struct product *p)
{
	*p = (struct product){ .kernels = NNFW_KERNELS(q8_gemm) };
	random_sides(p);
	finish_product(p);
}

/* Layers of large networks, and the longest rows of a product; the first columns are extreme. */
static const struct {
	size_t segments, length, rows, columns;
} large_shapes[] = {
	{ 3, 1536, 49, 72 }, { 1, 4096, 7, 1030 }, { 1, 512, 49, 2048 },
	{ 1, 64, 13, 4096 }, { 1, 16384, 13, 70 }, { 16, 1024, 6, 130 },
};

static void large_product(struct product *p, size_t i)
{
	struct nnfw_q8_job *job = &p->job;
	size_t k, extremes;

	*p = (struct product){ .kernels = NNFW_KERNELS(q8_gemm) };
	job->depth.segments = large_shapes[i].segments;
	job->depth.length = large_shapes[i].length;
	job->rows = job->run = large_shapes[i].rows;
	job->columns = large_shapes[i].columns;
	job->row_stride = job->depth.length / job->depth.segments;
	job->segment_stride = job->row_stride * (job->rows + job->depth.segments);
	make_sides(p);
	/* products of 255 * -128, and of 255 * 127, in columns beside random ones */
	k = job->depth.segments * job->depth.length;
	extremes = k * (job->columns < 40 ? job->columns : 40);
	memset(p->left.data, p->kernels->left_signed ? 0x7f : 0xff, p->left_size * 2 / 3);
	memset(p->codes.data, 0x80, extremes / 2);
	memset(p->codes.data + extremes / 2, 0x7f, extremes / 2);
	copy_left(p);
	finish_product(p);
}

static void release(struct product *p)
{
	struct guarded *all[] = { &p->left,	     &p->wanted_left, &p->codes,	&p->packed,
				  &p->wanted_packed, &p->terms,	      &p->wanted_terms, &p->rows,
				  &p->multipliers,   &p->out,	      &p->wanted_out };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		unguard(all[i]);
}

static void compare(const struct product *p, const char *what)
{
	const struct nnfw_q8_job *job = &p->job;

	for (size_t i = 0; i < p->out_size; i++)
		if (p->out.data[i] != p->wanted_out.data[i])
			fail_msg(
				"%s: row %zu of %zu (runs of %zu), column %zu of %zu to %zu of %zu, "
				"%zu times %zu: %d instead of %d",
				what, i / job->out_stride, job->rows, job->run, i % job->out_stride,
				job->first, job->end, job->columns, job->depth.segments,
				job->depth.length, p->out.data[i], p->wanted_out.data[i]);
}

static void fill_outputs(struct product *p)
{
	memset(p->out.data, 0x5a, p->out_size);
	memset(p->wanted_out.data, 0x5a, p->out_size);
}

static void test_multiply(void **unused)
{
	(void)unused;
	op_seed(1);
	for (uint32_t round = 0; round < rounds(1500); round++) {
		struct product p;

		random_product(&p);
		fill_outputs(&p);
		p.kernels->multiply(&p.job);
		scalar()->multiply(&p.wanted);
		compare(&p, "multiply");
		release(&p);
	}
}

/* Sums that are added up, and stored later. */
static void add_and_finish(struct product *p)
{
	size_t n = p->job.end - p->job.first, stride = n + (op_random(2) ? 0 : op_random(20));
	size_t size = ((p->job.rows - 1) * stride + n) * sizeof(uint32_t);
	struct guarded sums = random_bytes(size), wanted = guarded(size);

	memcpy(wanted.data, sums.data, size);
	p->kernels->add(&p->job, (uint32_t *)sums.data, stride);
	scalar()->add(&p->wanted, (uint32_t *)wanted.data, stride);
	fill_outputs(p);
	p->kernels->finish(&p->job, (const uint32_t *)sums.data, stride);
	scalar()->finish(&p->wanted, (const uint32_t *)wanted.data, stride);
	compare(p, "add and finish");
	if (!p->kernels->left_signed)
		assert_memory_equal(sums.data, wanted.data, size);
	unguard(&sums);
	unguard(&wanted);
}

static void test_add_and_finish(void **unused)
{
	(void)unused;
	op_seed(2);
	for (uint32_t round = 0; round < rounds(500); round++) {
		struct product p;

		random_product(&p);
		add_and_finish(&p);
		release(&p);
	}
}

static void test_large(void **unused)
{
	(void)unused;
	op_seed(5);
	for (size_t i = 0; i < sizeof(large_shapes) / sizeof(large_shapes[0]); i++) {
		struct product p;

		large_product(&p, i);
		fill_outputs(&p);
		p.kernels->multiply(&p.job);
		scalar()->multiply(&p.wanted);
		compare(&p, "multiply");
		add_and_finish(&p);
		release(&p);
	}
}

static void test_row_sums(void **unused)
{
	(void)unused;
	op_seed(3);
	for (uint32_t round = 0; round < rounds(500); round++) {
		uint32_t sums[MAX_ROWS], wanted[MAX_ROWS], taken;
		struct product p;

		random_product(&p);
		taken = (uint32_t)(128 * p.job.depth.segments * p.job.depth.length);
		for (size_t r = 0; r < p.job.rows; r++) {
			sums[r] = wanted[r] = op_random(UINT32_MAX);
			wanted[r] -= p.kernels->left_signed ? taken : 0;
		}
		p.kernels->row_sums(&p.job, sums);
		scalar()->row_sums(&p.wanted, wanted);
		assert_memory_equal(sums, wanted, p.job.rows * sizeof(*sums));
		release(&p);
	}
}

static void test_copy(void **unused)
{
	(void)unused;
	op_seed(4);
	for (uint32_t n = 0; n < 300; n++) {
		struct guarded src = random_bytes(n), dst = guarded(n);
		const uint8_t flip = (uint8_t)((n & 1) * 0x80);

		NNFW_KERNELS(q8_gemm)->copy(dst.data, src.data, n, flip);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(dst.data[i], src.data[i] ^ flip);
		unguard(&src);
		unguard(&dst);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_multiply), cmocka_unit_test(test_add_and_finish),
		cmocka_unit_test(test_large),	 cmocka_unit_test(test_row_sums),
		cmocka_unit_test(test_copy),
	};

	rounds_init(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
