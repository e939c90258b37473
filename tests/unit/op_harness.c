// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnprog_desc.h"
#include "nnfw_ops.h"
#include "op_harness.h"
#include "op_torn.h"
#include "oracle.h"
#include "test_case.h"

static uint64_t state = 88172645463325252ull;
static void *blocks[4096];
static size_t num_blocks;
static uint64_t ticks, cancel_at;
static int64_t last_tick_ns, gap_ns;

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void note_tick(void)
{
	const int64_t now = cpu_ns();

	gap_ns = now - last_tick_ns > gap_ns ? now - last_tick_ns : gap_ns;
	last_tick_ns = now;
}

static int progress_tick(struct nnfw_progress *unused)
{
	(void)unused;
	note_tick();
	return ++ticks == cancel_at ? -ECANCELED : 0;
}

static struct nnfw_progress progress = { .tick = progress_tick };

void op_cancel_at(uint64_t tick)
{
	cancel_at = tick;
}

void op_seed(uint32_t seed)
{
	state = 88172645463325252ull ^ ((uint64_t)seed << 20);
	for (int i = 0; i < 8; i++)
		op_random(2);
}

uint32_t op_random(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) % below);
}

uint32_t op_random_range(uint32_t lo, uint32_t hi)
{
	return lo + op_random(hi - lo + 1);
}

double op_uniform(double lo, double hi)
{
	return lo + (hi - lo) * op_random(1u << 24) / (1u << 24);
}

static void *block(size_t size)
{
	assert_true(num_blocks < sizeof(blocks) / sizeof(blocks[0]));
	blocks[num_blocks] = malloc(size ? size : 1);
	assert_non_null(blocks[num_blocks]);
	return blocks[num_blocks++];
}

void op_release(void)
{
	while (num_blocks)
		free(blocks[--num_blocks]);
}

double *op_results(const struct op_test *t)
{
	double *want = calloc(t->out[0].elements + 1, sizeof(*want));

	assert_non_null(want);
	return want;
}

void op_compare(const struct op_test *t, double *want, const char *what)
{
	oracle_compare(&t->out[0], want, what);
	free(want);
	op_release();
}

/* Memory that is aligned to one element and no more, ending where the allocation ends. */
static void allocate(struct nnfw_tensor *t)
{
	size_t element = nnprog_dtype_size(t->dtype);

	t->data = (uint8_t *)block(t->size + element) + element;
}

static void set_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape)
{
	uint64_t bytes;

	t->rank = shape->rank;
	memcpy(t->dims, shape->dims, sizeof(t->dims));
	assert_int_equal(nnprog_shape_elements(shape, &t->elements), 0);
	assert_int_equal(nnprog_shape_bytes(shape, t->dtype, &bytes), 0);
	t->size = (size_t)bytes;
}

struct nnfw_tensor op_tensor(uint32_t dtype, uint32_t rank, const uint32_t *dims)
{
	struct nnfw_tensor t = { .dtype = dtype };
	struct nnprog_shape shape = { .rank = rank };

	memcpy(shape.dims, dims, rank * sizeof(*dims));
	set_shape(&t, &shape);
	allocate(&t);
	for (uint64_t i = 0; i < t.elements; i++) {
		if (dtype == NNPROG_FLOAT32 || dtype == NNPROG_FLOAT16)
			oracle_set_number(&t, i, op_uniform(-2, 2));
		else if (dtype == NNPROG_BOOL8)
			((uint8_t *)t.data)[i] = op_random(2) ? (uint8_t)op_random(256) : 0;
		else if (dtype == NNPROG_INT32)
			((int32_t *)t.data)[i] = (int32_t)op_random(2001) - 1000;
		else
			for (size_t b = 0; b < nnprog_dtype_size(dtype); b++)
				((uint8_t *)t.data)[i * nnprog_dtype_size(dtype) + b] =
					(uint8_t)op_random(256);
	}
	return t;
}

struct nnfw_tensor op_values(uint32_t rank, const uint32_t *dims, const int32_t *values)
{
	struct nnfw_tensor t = op_tensor(NNPROG_INT32, rank, dims);

	if (t.size)
		memcpy(t.data, values, t.size);
	return t;
}

struct nnfw_tensor op_omitted(void)
{
	return (struct nnfw_tensor){ .omitted = true };
}

struct nnfw_tensor op_output(uint32_t dtype, float scale, int32_t zero_point)
{
	return (struct nnfw_tensor){ .dtype = dtype, .scale = scale, .zero_point = zero_point };
}

void op_quantize(struct nnfw_tensor *t, float scale, int32_t zero_point)
{
	t->scale = scale;
	t->zero_point = zero_point;
}

void op_quantize_channels(struct nnfw_tensor *t, uint32_t dim, float scale)
{
	float *scales = block(t->dims[dim] * sizeof(*scales));

	for (uint32_t c = 0; c < t->dims[dim]; c++)
		scales[c] = scale * (float)op_uniform(0.5, 1.5);
	t->scales = scales;
	t->num_scales = t->dims[dim];
	t->channel_dim = dim;
	t->scale = 0;
	t->zero_point = 0;
}

int32_t op_zero_point(uint32_t dtype)
{
	if (dtype != NNPROG_UINT8 && dtype != NNPROG_INT8)
		return 0;
	return (int32_t)op_random(256) - (dtype == NNPROG_INT8 ? 128 : 0);
}

static struct nnprog_operand operand(const struct nnfw_tensor *t, bool data)
{
	struct nnprog_operand op = {
		.dtype = t->dtype,
		.omitted = t->omitted,
		.shape = { .rank = t->rank },
		.scale = t->scale,
		.zero_point = t->zero_point,
		.scales = t->scales,
		.num_scales = t->num_scales,
		.channel_dim = t->channel_dim,
		.data = data ? t->data : NULL,
	};

	memcpy(op.shape.dims, t->dims, sizeof(t->dims));
	return op;
}

/* Infer with some dimensions unknown: the result must agree with that of the complete shapes. */
static void check_partial(const struct op_test *t, const struct nnprog_op_desc *desc,
			  const struct nnprog_operand *whole, const struct nnprog_operand *out)
{
	struct nnprog_operand in[OP_MAX_IN], partial[OP_MAX_OUT];
	struct nnprog_error err;

	for (int round = 0; round < 4; round++) {
		memcpy(in, whole, sizeof(in));
		memcpy(partial, out, sizeof(partial));
		for (uint32_t i = 0; i < t->num_in; i++) {
			if (in[i].omitted)
				continue;
			if (!op_random(4)) {
				in[i].shape = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
				in[i].data = NULL;
			} else if (in[i].shape.rank && op_random(2)) {
				in[i].shape.dims[op_random(in[i].shape.rank)] = NNPROG_DIM_UNKNOWN;
				in[i].data = NULL;
			}
			if (op_random(2))
				in[i].data = NULL;
		}
		assert_int_equal(desc->infer(t->attrs, in, t->num_in, partial, t->num_out, &err),
				 0);
		for (uint32_t i = 0; i < t->num_out; i++) {
			struct nnprog_shape merged = out[i].shape;

			if (out[i].omitted)
				continue;
			assert_int_equal(nnprog_shape_merge(&merged, &partial[i].shape), 0);
			assert_memory_equal(&merged, &out[i].shape, sizeof(merged));
		}
	}
}

#define SLOTS 3u

/* As three threads might: the last piece first, each as small as it may be. */
static int split(struct nnfw_crew *crew, size_t units, size_t grain, nnfw_units_fn *fn, void *arg)
{
	size_t pieces = (units + grain - 1) / grain;
	int ret = 0;

	(void)crew;
	while (pieces-- && !ret) {
		size_t end = (pieces + 1) * grain;

		ret = progress_tick(&progress);
		if (!ret)
			ret = fn(arg, (uint32_t)(pieces % SLOTS), pieces * grain,
				 end < units ? end : units, &progress);
	}
	return ret;
}

static struct nnfw_crew crew = { .split = split };

/* How an operation runs: on inputs of the run; on the program's, with what load() made of them, or
 * without, for the quota has no room for it. */
enum way { PLAIN, LOADED, LEFT_OUT };

static bool has_state; /* the last one that was loaded */

/* Contents of inputs that load() leaves unread: not there while the operation runs. */
static void *unread_data[OP_MAX_IN];

static void take_unread(struct op_test *t, uint32_t unread)
{
	for (uint32_t i = 0; i < t->num_in && i < 32; i++) {
		unread_data[i] = NULL;
		if (!(unread & 1u << i))
			continue;
		assert_true(t->in[i].constant && t->in[i].data);
		unread_data[i] = malloc(t->in[i].size + 1);
		memcpy(unread_data[i], t->in[i].data, t->in[i].size);
		memset(t->in[i].data, 0xa5, t->in[i].size);
	}
}

static void return_unread(struct op_test *t)
{
	for (uint32_t i = 0; i < t->num_in && i < 32; i++) {
		if (unread_data[i])
			memcpy(t->in[i].data, unread_data[i], t->in[i].size);
		free(unread_data[i]);
		unread_data[i] = NULL;
	}
}

static int no_room(void *reserved, size_t bytes)
{
	*(size_t *)reserved += bytes;
	return -ENOMEM;
}

static void load(const struct nnfw_op *op, struct nnfw_op_ctx *ctx, enum way way, void **loaded)
{
	size_t state_size = 0, reserved = 0;
	int ret;

	if (way == LEFT_OUT) {
		ctx->reserve = no_room;
		ctx->loading = &reserved;
	}
	ret = op->load(ctx, loaded, &state_size);
	if (reserved) {
		assert_int_equal(ret, -ENOMEM);
		assert_null(*loaded);
		return;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(*loaded != NULL, state_size != 0);
	ctx->state = *loaded;
	has_state = *loaded;
}

static int run_once(struct op_test *t, const struct nnprog_op_desc *desc, enum way way)
{
	const bool constant = way != PLAIN;
	const struct nnfw_op *op = nnfw_op_table[t->opcode];
	struct nnfw_op_ctx ctx = {
		.desc = desc,
		.attrs = t->attrs,
		.progress = &progress,
		.far = constant,
		.in = t->in,
		.num_in = t->num_in,
		.out = t->out,
		.num_out = t->num_out,
	};
	void *loaded = NULL, *base = NULL;
	uint32_t unread = 0;
	size_t size;
	int ret;

	ctx.unread = &unread;
	assert_non_null(op);
	assert_true(op->types & (1u << t->in[0].dtype));
	for (uint32_t i = 0; i < t->num_in; i++)
		t->in[i].constant = constant;
	/* the same bits whether work is divided or not */
	if (constant)
		ctx.slots = SLOTS;
	if (constant && op->load)
		load(op, &ctx, way, &loaded);
	if (constant)
		ctx.crew = &crew;
	take_unread(t, loaded ? unread : 0);
	size = op->scratch ? op->scratch(&ctx) : 0;
	if (size) {
		/* as large as requested, to the byte */
		assert_int_equal(posix_memalign(&base, 64, size), 0);
		memset(base, 0xa5, size);
		ctx.scratch = base;
	}
	ticks = 0;
	gap_ns = 0;
	last_tick_ns = cpu_ns();
	t->cpu_ns = -last_tick_ns;
	ret = op->run(&ctx);
	note_tick();
	t->cpu_ns += last_tick_ns;
	t->gap_ns = gap_ns;
	t->ticks = ticks;
	if (ret == -EINVAL)
		memcpy(t->error, ctx.error, sizeof(ctx.error));
	free(base);
	return_unread(t);
	if (loaded && op->unload)
		op->unload(loaded);
	return ret;
}

/* The shape that run() has set. */
static void check_extents(const struct nnfw_tensor *t, const struct nnprog_shape *bound)
{
	struct nnprog_shape shape = { .rank = t->rank };
	uint64_t elements, bytes;

	memcpy(shape.dims, t->dims, sizeof(shape.dims));
	assert_int_equal(t->rank, bound->rank);
	for (uint32_t i = 0; i < t->rank; i++)
		assert_true(t->dims[i] <= bound->dims[i]);
	assert_int_equal(nnprog_shape_elements(&shape, &elements), 0);
	assert_int_equal(nnprog_shape_bytes(&shape, t->dtype, &bytes), 0);
	assert_true(t->elements == elements && t->size == bytes);
}

/* Into outputs of its own: the same bits as those of the first run. @bounds: what run() gets. */
static int run_again(struct op_test *t, const struct nnprog_op_desc *desc, enum way way,
		     const struct nnfw_tensor *first, const struct nnprog_operand *out,
		     struct nnfw_tensor *bounds)
{
	int ret;

	for (uint32_t i = 0; i < t->num_out; i++) {
		if (t->out[i].omitted)
			continue;
		check_extents(&t->out[i], &out[i].shape);
		set_shape(&t->out[i], &out[i].shape);
		allocate(&t->out[i]);
		memset(t->out[i].data, 0xa5, t->out[i].size);
	}
	memcpy(bounds, t->out, OP_MAX_OUT * sizeof(*bounds));
	ret = run_once(t, desc, way);
	for (uint32_t i = 0; i < t->num_out; i++) {
		if (t->out[i].omitted)
			continue;
		assert_int_equal(first[i].size, t->out[i].size);
		if (t->out[i].size)
			assert_memory_equal(first[i].data, t->out[i].data, t->out[i].size);
	}
	return ret;
}

int op_run(struct op_test *t)
{
	const struct nnprog_op_desc *desc = nnprog_op_find(t->opcode);
	struct nnprog_operand in[OP_MAX_IN] = { 0 }, out[OP_MAX_OUT] = { 0 };
	struct nnprog_error err = { .text = "" };
	struct nnfw_tensor first[OP_MAX_OUT], bounds[OP_MAX_OUT];
	int ret;

	assert_non_null(desc);
	if (!t->num_out)
		t->num_out = 1;
	assert_true(t->num_in >= desc->min_inputs && t->num_in <= desc->max_inputs);
	assert_true(t->num_out >= desc->min_outputs && t->num_out <= desc->max_outputs);
	ret = desc->check_attrs(t->attrs, &err);
	for (uint32_t i = 0; i < t->num_in; i++)
		in[i] = operand(&t->in[i], i < 32 && (desc->value_inputs >> i & 1));
	for (uint32_t i = 0; i < t->num_out; i++)
		out[i] = operand(&t->out[i], false);
	if (!ret)
		ret = desc->infer(t->attrs, in, t->num_in, out, t->num_out, &err);
	if (ret) {
		assert_true(err.text[0]);
		memcpy(t->error, err.text, sizeof(t->error));
		return ret;
	}
	for (uint32_t i = 0; i < t->num_in; i++) {
		if (t->in[i].omitted || t->in[i].elements ||
		    nnprog_empty_rule(desc, t->attrs, t->in[0].rank, i) == NNPROG_EMPTY_RUNS)
			continue;
		snprintf(t->error, sizeof(t->error), "input %u has no elements", i);
		return -EINVAL;
	}
	check_partial(t, desc, in, out);
	if (desc->run_shapes) {
		ret = desc->bound(t->attrs, in, t->num_in, out, t->num_out, &err);
		assert_int_equal(ret, 0);
	}
	for (uint32_t i = 0; i < t->num_out; i++) {
		if (t->out[i].omitted)
			continue;
		assert_true(nnprog_shape_complete(&out[i].shape));
		set_shape(&t->out[i], &out[i].shape);
		allocate(&t->out[i]);
		memset(t->out[i].data, 0x5a, t->out[i].size);
	}
	ret = run_once(t, desc, PLAIN);
	if (ret)
		return ret;
	memcpy(first, t->out, sizeof(first));
	has_state = false;
	ret = run_again(t, desc, LOADED, first, out, bounds);
	if (!ret && has_state)
		ret = run_again(t, desc, LEFT_OUT, first, out, bounds);
	if (!ret && !cancel_at)
		op_torn(t, bounds);
	return ret;
}

int op_split_backwards(struct nnfw_crew *unused, size_t units, size_t grain, nnfw_units_fn *fn,
		       void *arg)
{
	size_t piece = 1;
	int ret = 0;

	(void)unused;
	(void)grain;
	for (size_t end = units; end && !ret; piece = piece % 3 + 1) {
		size_t first = end > piece ? end - piece : 0;

		ret = fn(arg, (uint32_t)(piece & 1), first, end, NULL);
		end = first;
	}
	return ret;
}
