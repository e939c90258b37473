// SPDX-License-Identifier: Apache-2.0
/* Memory domains: allocate, IBuffer, tokens in requests, buffers passed between executions. */
#include "descriptors.h"
#include "hal_test.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* out0 = a + b, out1 = a * b, all [4] */
static struct nnhal_prepared_model *pm;

static int setup(void **state)
{
	if (hal_setup(state))
		return -1;
	pm = hal_prepare(hal_dev, hal_model_two_outputs());
	return 0;
}

static int teardown(void **state)
{
	pm->ops->destroy(pm);
	return hal_teardown(state);
}

struct device_buffer {
	struct nnhal_buffer *b;
	uint32_t token;
};

struct ask {
	struct nnhal_buffer_desc desc;
	struct nnhal_prepared_model *models[3];
	uint32_t num_models;
	struct nnhal_buffer_role in[4], out[4];
	uint32_t num_in, num_out;
};

static struct ask ask_for(struct nnhal_prepared_model *model)
{
	return (struct ask){ .desc = { .size = sizeof(struct nnhal_buffer_desc) },
			     .models = { model },
			     .num_models = 1 };
}

static void add_in(struct ask *a, uint32_t model, uint32_t io)
{
	a->in[a->num_in++] = (struct nnhal_buffer_role){ model, io, 1.0f };
}

static void add_out(struct ask *a, uint32_t model, uint32_t io)
{
	a->out[a->num_out++] = (struct nnhal_buffer_role){ model, io, 1.0f };
}

static enum nnhal_status allocate(const struct ask *a, struct device_buffer *to)
{
	enum nnhal_status status;

	status = hal_dev->ops->allocate(hal_dev, &a->desc, a->models, a->num_models, a->in,
					a->num_in, a->out, a->num_out, &to->b, &to->token);
	/* a buffer and a token, or neither */
	assert_int_equal(status == NNHAL_NONE, to->b != NULL);
	assert_int_equal(status == NNHAL_NONE, to->token != 0);
	assert_true((int32_t)to->token >= 0);
	return status;
}

static void refused(const struct ask *a)
{
	struct device_buffer to;

	assert_int_equal(allocate(a, &to), NNHAL_INVALID_ARGUMENT);
}

/* For every input and output of pm that is [4]: all four. */
static struct device_buffer any_role(void)
{
	struct ask a = ask_for(pm);
	struct device_buffer to;

	add_in(&a, 0, 0);
	add_in(&a, 0, 1);
	add_out(&a, 0, 0);
	add_out(&a, 0, 1);
	assert_int_equal(allocate(&a, &to), NNHAL_NONE);
	return to;
}

struct mapped {
	struct nnhal_memory memory;
	float *data;
};

static struct mapped memory_of(size_t size)
{
	struct mapped m = {
		.memory = { .fd = memfd_new(4096), .prot = PROT_READ | PROT_WRITE, .size = size }
	};

	m.data = memfd_map(m.memory.fd, 4096);
	return m;
}

static void memory_done(struct mapped *m)
{
	munmap(m->data, 4096);
	close(m->memory.fd);
}

static void write_buffer(struct nnhal_buffer *b, float first)
{
	struct mapped m = memory_of(16);

	for (int i = 0; i < 4; i++)
		m.data[i] = first + (float)i;
	assert_int_equal(b->ops->copy_from(b, &m.memory, 0, NULL), NNHAL_NONE);
	memory_done(&m);
}

static void expect_buffer(struct nnhal_buffer *b, float first, float step)
{
	struct mapped m = memory_of(16);

	assert_int_equal(b->ops->copy_to(b, &m.memory), NNHAL_NONE);
	for (int i = 0; i < 4; i++)
		assert_true(m.data[i] == first + step * (float)i);
	memory_done(&m);
}

static bool initialised(struct nnhal_buffer *b)
{
	struct mapped m = memory_of(16);
	enum nnhal_status status = b->ops->copy_to(b, &m.memory);

	memory_done(&m);
	assert_true(status == NNHAL_NONE || status == NNHAL_GENERAL_FAILURE);
	return status == NNHAL_NONE;
}

/* ---- allocate: [VTS] MemoryDomainAllocateTest ---- */

TEST(test_allocate_arguments)
{
	struct ask a = ask_for(pm);
	struct nnhal_buffer *b;
	uint32_t token;

	refused(&a); /* no role */
	add_in(&a, 0, 0);
	a.num_models = 0;
	refused(&a); /* no model */
	a.num_models = 1;
	a.models[0] = NULL;
	refused(&a);
	a.models[0] = pm;
	assert_int_equal(hal_dev->ops->allocate(hal_dev, NULL, a.models, 1, a.in, 1, NULL, 0, &b,
						&token),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(hal_dev->ops->allocate(hal_dev, &a.desc, NULL, 1, a.in, 1, NULL, 0, &b,
						&token),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(hal_dev->ops->allocate(hal_dev, &a.desc, a.models, 1, NULL, 1, NULL, 0, &b,
						&token),
			 NNHAL_INVALID_ARGUMENT);
	a.desc.rank = 1;
	refused(&a); /* a rank without dimensions */
}

TEST(test_allocate_foreign_model)
{
	struct nnhal_device *other = hal_open();
	struct ask a = ask_for(hal_prepare(other, hal_model_two_outputs()));
	static const struct nnhal_prepared_model_ops ops = { .size = sizeof(ops) };
	struct nnhal_prepared_model fake = { &ops }, *theirs = a.models[0];

	add_in(&a, 0, 0);
	refused(&a);
	a.models[0] = &fake;
	refused(&a);
	a = ask_for(pm);
	a.models[1] = theirs; /* even if no role names it */
	a.num_models = 2;
	add_in(&a, 0, 0);
	refused(&a);
	theirs->ops->destroy(theirs);
	other->ops->destroy(other);
}

TEST(test_allocate_indexes)
{
	static const float bad[] = { 10.0f, 0.0f, -0.5f, 1.0001f };
	struct ask a = ask_for(pm);
	struct device_buffer to;

	add_in(&a, 1, 0);
	refused(&a);
	a.in[0].model_index = 0;
	a.in[0].io_index = 2;
	refused(&a);
	a.in[0].io_index = UINT32_MAX;
	refused(&a);
	a.num_in = 0;
	add_out(&a, 0, 2);
	refused(&a);
	a.out[0].io_index = 1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		a.out[0].probability = bad[i];
		refused(&a);
	}
	a.out[0].probability = NAN;
	refused(&a);
	a.out[0].probability = 0.001f;
	assert_int_equal(allocate(&a, &to), NNHAL_NONE);
	to.b->ops->destroy(to.b);
}

TEST(test_allocate_same_role)
{
	struct ask a = ask_for(pm);
	struct device_buffer to;

	add_in(&a, 0, 0);
	add_in(&a, 0, 0);
	refused(&a);
	/* one model by two indexes */
	a.models[1] = pm;
	a.num_models = 2;
	a.in[1].model_index = 1;
	refused(&a);
	a.num_in = 0;
	add_out(&a, 0, 1);
	add_out(&a, 1, 1);
	refused(&a);
	/* input 1 and output 1 are not the same */
	a.num_out = 1;
	add_in(&a, 0, 1);
	assert_int_equal(allocate(&a, &to), NNHAL_NONE);
	to.b->ops->destroy(to.b);
}

/* One op that doubles: its tensors of any type and quantization. */
static struct nnhal_prepared_model *relu_of(uint32_t type, const uint32_t *dims, uint32_t rank,
					    float scale, int32_t zero_point)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t in = hal_tensor(m, type, NNMODEL_SUBGRAPH_INPUT, dims, rank, scale, zero_point);
	uint32_t out = hal_tensor(m, type, NNMODEL_SUBGRAPH_OUTPUT, dims, rank, scale, zero_point);

	assert_true(nnmodel_add_operation(m, NNMODEL_RELU, HAL_LIST(in), HAL_LIST(out)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(in), HAL_LIST(out)), 0);
	return hal_prepare(hal_dev, m);
}

TEST(test_allocate_roles_disagree)
{
	struct nnhal_prepared_model *other[] = {
		relu_of(NNMODEL_TENSOR_QUANT8_ASYMM, HAL_DIMS(4), 1, 0.5f, 3),
		relu_of(NNMODEL_TENSOR_QUANT8_ASYMM, HAL_DIMS(4), 1, 0.25f, 3),
		relu_of(NNMODEL_TENSOR_QUANT8_ASYMM, HAL_DIMS(4), 1, 0.5f, 4),
		relu_of(NNMODEL_TENSOR_FLOAT32, HAL_DIMS(5), 1, 0, 0),
		relu_of(NNMODEL_TENSOR_FLOAT32, HAL_DIMS(2, 2), 2, 0, 0),
	};

	for (int i = 1; i < 5; i++) {
		struct ask a = ask_for(i < 3 ? other[0] : pm);

		a.models[1] = other[i];
		a.num_models = 2;
		add_out(&a, 0, 0);
		add_in(&a, 1, 0);
		refused(&a);
	}
	for (int i = 0; i < 5; i++)
		other[i]->ops->destroy(other[i]);
}

TEST(test_allocate_dimensions)
{
	static const uint32_t five[] = { 5 }, four[] = { 4 }, unknown[] = { 0 }, two[] = { 4, 1 };
	struct ask a = ask_for(pm);
	struct device_buffer to;

	add_in(&a, 0, 0);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 1, five };
	refused(&a);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 2, two };
	refused(&a);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 1, unknown };
	assert_int_equal(allocate(&a, &to), NNHAL_NONE);
	to.b->ops->destroy(to.b);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 1, four };
	assert_int_equal(allocate(&a, &to), NNHAL_NONE);
	to.b->ops->destroy(to.b);
}

/* A shape that stays unknown: GENERAL_FAILURE; description and roles complete it together. */
TEST(test_allocate_unknown_shape)
{
	static const uint32_t first[] = { 2, 0 }, both[] = { 2, 2 };
	struct nnhal_prepared_model *dynamic = hal_prepare(hal_dev, hal_model_add_dynamic());
	struct ask a = ask_for(dynamic);
	struct device_buffer to;

	add_in(&a, 0, 0);
	assert_int_equal(allocate(&a, &to), NNHAL_GENERAL_FAILURE);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 2, first };
	assert_int_equal(allocate(&a, &to), NNHAL_GENERAL_FAILURE);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 2, both };
	assert_int_equal(allocate(&a, &to), NNHAL_NONE);
	to.b->ops->destroy(to.b);
	dynamic->ops->destroy(dynamic);
}

TEST(test_tokens_unique)
{
	struct device_buffer b[40];

	for (int i = 0; i < 40; i++) {
		b[i] = any_role();
		for (int j = 0; j < i; j++)
			assert_int_not_equal(b[i].token, b[j].token);
	}
	for (int i = 0; i < 40; i++)
		b[i].b->ops->destroy(b[i].b);
}

/* ---- copies: [VTS] MemoryDomainCopyTest ---- */

TEST(test_copy)
{
	struct device_buffer d = any_role();
	struct mapped right = memory_of(16), half = memory_of(8), twice = memory_of(32);
	static const uint32_t four[] = { 4 }, five[] = { 5 }, zero[] = { 0 }, two[] = { 2, 2 };
	const struct nnhal_buffer_ops *ops = d.b->ops;

	/* the size is looked at first */
	assert_int_equal(ops->copy_to(d.b, &half.memory), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(ops->copy_to(d.b, &twice.memory), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(ops->copy_to(d.b, &right.memory), NNHAL_GENERAL_FAILURE);
	assert_int_equal(ops->copy_to(d.b, NULL), NNHAL_INVALID_ARGUMENT);

	write_buffer(d.b, 7);
	expect_buffer(d.b, 7, 1);
	/* each failure empties it */
	assert_int_equal(ops->copy_from(d.b, &half.memory, 0, NULL), NNHAL_INVALID_ARGUMENT);
	assert_false(initialised(d.b));
	write_buffer(d.b, 8);
	assert_int_equal(ops->copy_from(d.b, &twice.memory, 0, NULL), NNHAL_INVALID_ARGUMENT);
	assert_false(initialised(d.b));
	assert_int_equal(ops->copy_from(d.b, &right.memory, 1, five), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(ops->copy_from(d.b, &right.memory, 1, zero), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(ops->copy_from(d.b, &right.memory, 2, two), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(ops->copy_from(d.b, &right.memory, 1, NULL), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(ops->copy_from(d.b, NULL, 0, NULL), NNHAL_INVALID_ARGUMENT);
	assert_false(initialised(d.b));
	assert_int_equal(ops->copy_from(d.b, &right.memory, 1, four), NNHAL_NONE);
	assert_true(initialised(d.b));
	/* memory whose size or protection is not as declared */
	right.memory.prot = PROT_READ;
	assert_int_equal(ops->copy_to(d.b, &right.memory), NNHAL_INVALID_ARGUMENT);
	right.memory.prot = PROT_READ | PROT_WRITE;
	right.memory.offset = 4088;
	assert_int_equal(ops->copy_to(d.b, &right.memory), NNHAL_INVALID_ARGUMENT);
	right.memory.offset = 20;
	assert_int_equal(ops->copy_to(d.b, &right.memory), NNHAL_NONE);
	ops->destroy(d.b);
	memory_done(&right);
	memory_done(&half);
	memory_done(&twice);
}

/* ---- requests: [VTS] MemoryDomainExecutionTest ---- */

/* A request of pm whose arguments are tokens where @token is not NULL. */
struct tokens {
	struct nnhal_request request;
	struct nnhal_request_argument in[2], out[2];
	struct nnhal_request_pool pools[4];
	struct mapped memory[4];
};

static void tokens_init(struct tokens *t, const uint32_t *const token[4])
{
	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; i < 4; i++) {
		struct nnhal_request_argument *a = i < 2 ? &t->in[i] : &t->out[i - 2];

		a->pool = i;
		t->memory[i] = memory_of(16);
		for (int k = 0; k < 4; k++)
			t->memory[i].data[k] = (float)(i + 1);
		if (token[i]) {
			t->pools[i].is_token = true;
			t->pools[i].token = *token[i];
		} else {
			t->pools[i].memory = t->memory[i].memory;
			a->length = 16;
		}
	}
	t->request = (struct nnhal_request){ .size = sizeof(struct nnhal_request),
					     .inputs = t->in,
					     .outputs = t->out,
					     .num_inputs = 2,
					     .num_outputs = 2,
					     .pools = t->pools,
					     .num_pools = 4 };
}

static void tokens_fini(struct tokens *t)
{
	for (int i = 0; i < 4; i++)
		memory_done(&t->memory[i]);
}

/* Run by every executor, bursts and reusable executions included: each must say @expect. */
static void all_say(struct nnhal_prepared_model *model, const struct nnhal_request *request,
		    enum nnhal_status expect)
{
	struct nnhal_execution_config config = hal_config(false);
	static const int64_t none[] = { -1, -1, -1, -1, -1 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution *e;
	struct nnhal_burst *burst;
	enum nnhal_status status;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		assert_int_equal(hal_run(model, how, request, &config, NNHAL_NO_TIME, &result),
				 expect);
		if (expect)
			assert_int_equal(result.num_shapes, 0);
		nnhal_execution_result_clear(&result);
	}
	assert_int_equal(model->ops->configure_burst(model, &burst), NNHAL_NONE);
	assert_int_equal(burst->ops->execute_synchronously(burst, request, none, request->num_pools,
							   &config, NNHAL_NO_TIME, &result),
			 expect);
	nnhal_execution_result_clear(&result);
	burst->ops->destroy(burst);
	status = model->ops->create_reusable_execution(model, request, &config, &e);
	if (!status) {
		status = e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result);
		nnhal_execution_result_clear(&result);
		e->ops->destroy(e);
	}
	assert_int_equal(status, expect);
}

static void pm_says(const uint32_t *a, const uint32_t *b, const uint32_t *sum,
		    const uint32_t *product, enum nnhal_status expect)
{
	const uint32_t *const token[] = { a, b, sum, product };
	struct tokens t;

	tokens_init(&t, token);
	all_say(pm, &t.request, expect);
	tokens_fini(&t);
}

TEST(test_execute_bad_tokens)
{
	struct device_buffer gone = any_role();
	uint32_t bad[] = { 0, 100, gone.token, UINT32_MAX };

	gone.b->ops->destroy(gone.b);
	for (int i = 0; i < 4; i++) {
		pm_says(&bad[i], NULL, NULL, NULL, NNHAL_INVALID_ARGUMENT);
		pm_says(NULL, NULL, &bad[i], NULL, NNHAL_INVALID_ARGUMENT);
	}
}

TEST(test_execute_other_roles)
{
	struct nnhal_prepared_model *twin = hal_prepare(hal_dev, hal_model_two_outputs());
	struct ask a = ask_for(twin);
	struct device_buffer theirs, input, output;

	add_in(&a, 0, 0);
	add_out(&a, 0, 0);
	assert_int_equal(allocate(&a, &theirs), NNHAL_NONE);
	a = ask_for(pm);
	add_in(&a, 0, 0);
	assert_int_equal(allocate(&a, &input), NNHAL_NONE);
	a = ask_for(pm);
	add_out(&a, 0, 0);
	assert_int_equal(allocate(&a, &output), NNHAL_NONE);
	write_buffer(theirs.b, 1);
	write_buffer(input.b, 1);
	/* another model's */
	pm_says(&theirs.token, NULL, NULL, NULL, NNHAL_INVALID_ARGUMENT);
	pm_says(NULL, NULL, &theirs.token, NULL, NNHAL_INVALID_ARGUMENT);
	/* another index, another kind */
	pm_says(NULL, &input.token, NULL, NULL, NNHAL_INVALID_ARGUMENT);
	pm_says(NULL, NULL, &input.token, NULL, NNHAL_INVALID_ARGUMENT);
	pm_says(NULL, NULL, NULL, &output.token, NNHAL_INVALID_ARGUMENT);
	pm_says(&output.token, NULL, NULL, NULL, NNHAL_INVALID_ARGUMENT);
	pm_says(&input.token, NULL, &output.token, NULL, NNHAL_NONE);
	expect_buffer(output.b, 3, 1);
	theirs.b->ops->destroy(theirs.b);
	input.b->ops->destroy(input.b);
	output.b->ops->destroy(output.b);
	twin->ops->destroy(twin);
}

TEST(test_execute_states)
{
	struct device_buffer x = any_role(), y = any_role();

	pm_says(&x.token, NULL, NULL, NULL, NNHAL_GENERAL_FAILURE);
	write_buffer(x.b, 1);
	pm_says(&x.token, NULL, &x.token, NULL, NNHAL_INVALID_ARGUMENT);
	pm_says(NULL, NULL, &y.token, &y.token, NNHAL_INVALID_ARGUMENT);
	/* one buffer for several inputs is right; the output has content then */
	pm_says(&x.token, &x.token, NULL, &y.token, NNHAL_NONE);
	assert_true(initialised(y.b));
	pm_says(&y.token, NULL, NULL, NULL, NNHAL_NONE);
	x.b->ops->destroy(x.b);
	y.b->ops->destroy(y.b);
}

TEST(test_execute_locations)
{
	struct device_buffer x = any_role();
	const uint32_t *const token[] = { &x.token, NULL, NULL, NULL };
	static const uint32_t four[] = { 4 }, five[] = { 5 }, two[] = { 2, 2 };
	struct tokens t;

	write_buffer(x.b, 1);
	tokens_init(&t, token);
	all_say(pm, &t.request, NNHAL_NONE);
	t.in[0].length = 16;
	all_say(pm, &t.request, NNHAL_INVALID_ARGUMENT);
	t.in[0].length = 0;
	t.in[0].offset = 4;
	all_say(pm, &t.request, NNHAL_INVALID_ARGUMENT);
	t.in[0].offset = 0;
	t.in[0].padding = 1;
	all_say(pm, &t.request, NNHAL_INVALID_ARGUMENT);
	t.in[0].padding = 0;
	t.in[0].rank = 1;
	t.in[0].dims = five;
	all_say(pm, &t.request, NNHAL_INVALID_ARGUMENT);
	t.in[0].rank = 2;
	t.in[0].dims = two;
	all_say(pm, &t.request, NNHAL_INVALID_ARGUMENT);
	t.in[0].rank = 1;
	t.in[0].dims = four;
	all_say(pm, &t.request, NNHAL_NONE);
	tokens_fini(&t);
	x.b->ops->destroy(x.b);
}

/*
 * A model of unknown shapes: dimensions of the request against the buffer's, and computed output
 * shapes.
 */
TEST(test_execute_dynamic)
{
	static const uint32_t wide[] = { 2, 2 }, long_dims[] = { 4, 1 };
	struct nnhal_prepared_model *dynamic = hal_prepare(hal_dev, hal_model_add_dynamic());
	struct nnhal_execution_config config = hal_config(false);
	struct device_buffer in, out, other;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct ask a = ask_for(dynamic);
	struct hal_call c;

	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 2, wide };
	add_in(&a, 0, 0);
	assert_int_equal(allocate(&a, &in), NNHAL_NONE);
	a = ask_for(dynamic);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 2, wide };
	add_out(&a, 0, 0);
	assert_int_equal(allocate(&a, &out), NNHAL_NONE);
	a.desc = (struct nnhal_buffer_desc){ sizeof(struct nnhal_buffer_desc), 2, long_dims };
	assert_int_equal(allocate(&a, &other), NNHAL_NONE);
	write_buffer(in.b, 1);

	hal_call_add(&c, false);
	c.inputs[1].rank = 1;
	c.inputs[1].dims = HAL_DIMS(2);
	{
		struct nnhal_request_pool pools[] = {
			c.pools[0],
			{ .is_token = true, .token = in.token },
			{ .is_token = true, .token = out.token },
		};

		c.request.pools = pools;
		c.request.num_pools = 3;
		c.inputs[0] = (struct nnhal_request_argument){ .pool = 1 };
		c.outputs[0] = (struct nnhal_request_argument){ .pool = 2 };
		/* the buffers specify what model and request leave open */
		all_say(dynamic, &c.request, NNHAL_NONE);
		expect_buffer(in.b, 1, 1);
		assert_true(initialised(out.b));
		c.inputs[0].rank = 2;
		c.inputs[0].dims = long_dims;
		all_say(dynamic, &c.request, NNHAL_INVALID_ARGUMENT);
		c.inputs[0].dims = wide;
		c.outputs[0].rank = 2;
		c.outputs[0].dims = long_dims;
		all_say(dynamic, &c.request, NNHAL_INVALID_ARGUMENT);
		c.outputs[0].rank = 0;
		c.outputs[0].dims = NULL;
		/*
		 * [2, 2] is produced, a buffer of [4, 1] waits: a failure, not an insufficient size
		 */
		pools[2].token = other.token;
		for (int how = HAL_SYNC; how <= HAL_ASYNC; how++) {
			assert_int_equal(hal_run(dynamic, how, &c.request, &config, NNHAL_NO_TIME,
						 &result),
					 NNHAL_GENERAL_FAILURE);
			assert_int_equal(result.num_shapes, 0);
			nnhal_execution_result_clear(&result);
			assert_false(initialised(other.b));
		}
	}
	hal_call_fini(&c);
	in.b->ops->destroy(in.b);
	out.b->ops->destroy(out.b);
	other.b->ops->destroy(other.b);
	dynamic->ops->destroy(dynamic);
}

/* A failed execution leaves the buffers that it writes uninitialised. */
TEST(test_failed_execution)
{
	const uint32_t elements = 1 << 20;
	struct nnhal_prepared_model *slow = hal_prepare(hal_dev, hal_model_long(600, elements));
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct device_buffer in, out;
	struct nnhal_request_pool pools[2];
	struct nnhal_request_argument args[2] = { { .pool = 0 }, { .pool = 1 } };
	struct nnhal_request request = { .size = sizeof(request),
					 .inputs = &args[0],
					 .outputs = &args[1],
					 .num_inputs = 1,
					 .num_outputs = 1,
					 .pools = pools,
					 .num_pools = 2 };
	struct nnhal_memory all = { .prot = PROT_READ | PROT_WRITE,
				    .size = (uint64_t)elements * 4 };
	struct ask a = ask_for(slow);

	all.fd = memfd_new(all.size);
	add_in(&a, 0, 0);
	assert_int_equal(allocate(&a, &in), NNHAL_NONE);
	a = ask_for(slow);
	add_out(&a, 0, 0);
	assert_int_equal(allocate(&a, &out), NNHAL_NONE);
	assert_int_equal(in.b->ops->copy_from(in.b, &all, 0, NULL), NNHAL_NONE);
	assert_int_equal(out.b->ops->copy_from(out.b, &all, 0, NULL), NNHAL_NONE);
	pools[0] = (struct nnhal_request_pool){ .is_token = true, .token = in.token };
	pools[1] = (struct nnhal_request_pool){ .is_token = true, .token = out.token };
	assert_int_equal(hal_run(slow, HAL_SYNC, &request, &config, hal_now_ns() + 100000000,
				 &result),
			 NNHAL_MISSED_DEADLINE_TRANSIENT);
	nnhal_execution_result_clear(&result);
	assert_int_equal(out.b->ops->copy_to(out.b, &all), NNHAL_GENERAL_FAILURE);
	assert_int_equal(in.b->ops->copy_to(in.b, &all), NNHAL_NONE);
	in.b->ops->destroy(in.b);
	out.b->ops->destroy(out.b);
	slow->ops->destroy(slow);
	close(all.fd);
}

/* ---- passing on ---- */

/* Three executions of two models, chained by fences: no copy; the host only launches. */
TEST(test_pipeline)
{
	struct nnhal_prepared_model *relu = relu_of(NNMODEL_TENSOR_FLOAT32, HAL_DIMS(4), 1, 0, 0);
	struct nnhal_execution_config config = hal_config(false);
	struct device_buffer b[4];
	struct nnhal_counters before = { .size = sizeof(before) },
			      after = { .size = sizeof(after) };
	struct nnhal_fenced_callback *cb[3];
	struct nnhal_timing launched, timed;
	int fence[3];

	for (int i = 0; i < 4; i++) {
		struct ask a = ask_for(relu);

		a.models[1] = pm;
		a.num_models = 2;
		add_in(&a, 0, 0);
		add_in(&a, 1, 0);
		add_in(&a, 1, 1);
		add_out(&a, 0, 0);
		add_out(&a, 1, 0);
		add_out(&a, 1, 1);
		assert_int_equal(allocate(&a, &b[i]), NNHAL_NONE);
	}
	write_buffer(b[0].b, 1);
	assert_int_equal(nnhal_device_get_counters(hal_dev, &before), 0);
	for (int i = 0; i < 3; i++) {
		/* b1 = relu(b0); b2, b3 = b1 + b1, b1 * b1; b0 = relu(b2) */
		static const int from[] = { 0, 1, 2 }, to[] = { 1, 2, 0 };
		struct nnhal_request_pool pools[] = {
			{ .is_token = true, .token = b[from[i]].token },
			{ .is_token = true, .token = b[to[i]].token },
			{ .is_token = true, .token = b[3].token },
		};
		struct nnhal_request_argument in[] = { { .pool = 0 }, { .pool = 0 } };
		struct nnhal_request_argument out[] = { { .pool = 1 }, { .pool = 2 } };
		struct nnhal_prepared_model *model = i == 1 ? pm : relu;
		uint32_t n = i == 1 ? 2 : 1;
		struct nnhal_request request = { .size = sizeof(request),
						 .inputs = in,
						 .outputs = out,
						 .num_inputs = n,
						 .num_outputs = n,
						 .pools = pools,
						 .num_pools = i == 1 ? 3 : 2 };

		assert_int_equal(model->ops->execute_fenced(
					 model, &request, &fence[i - !!i], i && fence[i - 1] >= 0,
					 &config, NNHAL_NO_TIME, NNHAL_NO_TIME, &fence[i], &cb[i]),
				 NNHAL_NONE);
	}
	hal_fence_wait(fence[2]);
	expect_buffer(b[0].b, 2, 2);
	expect_buffer(b[2].b, 2, 2);
	assert_int_equal(nnhal_device_get_counters(hal_dev, &after), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(cb[i]->ops->get_execution_info(cb[i], &launched, &timed),
				 NNHAL_NONE);
		cb[i]->ops->destroy(cb[i]);
		if (fence[i] >= 0)
			close(fence[i]);
	}
	nnhal_device_get_counters(hal_dev, &after);
	assert_int_equal(after.executions - before.executions, 3);
	assert_int_equal(after.bytes_staged_in, before.bytes_staged_in);
	assert_int_equal(after.bytes_staged_out, before.bytes_staged_out);
	assert_true(after.bytes_in_place - before.bytes_in_place >= 6 * 16);
	for (int i = 0; i < 4; i++)
		b[i].b->ops->destroy(b[i].b);
	relu->ops->destroy(relu);
}

/* Buffers may be destroyed while executions use them. */
TEST(test_destroyed_in_flight)
{
	struct nnhal_execution_config config = hal_config(false);
	struct device_buffer x = any_role(), y = any_role();
	const uint32_t *const token[] = { &x.token, &x.token, &y.token, NULL };
	struct nnhal_fenced_callback *cb;
	struct nnhal_timing launched, fenced;
	struct tokens t;
	int fence;

	write_buffer(x.b, 1);
	tokens_init(&t, token);
	assert_int_equal(pm->ops->execute_fenced(pm, &t.request, NULL, 0, &config, NNHAL_NO_TIME,
						 NNHAL_NO_TIME, &fence, &cb),
			 NNHAL_NONE);
	x.b->ops->destroy(x.b);
	y.b->ops->destroy(y.b);
	hal_fence_wait(fence);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &fenced), NNHAL_NONE);
	assert_true(t.memory[3].data[3] == 16);
	cb->ops->destroy(cb);
	if (fence >= 0)
		close(fence);
	tokens_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allocate_arguments),
		cmocka_unit_test(test_allocate_foreign_model),
		cmocka_unit_test(test_allocate_indexes),
		cmocka_unit_test(test_allocate_same_role),
		cmocka_unit_test(test_allocate_roles_disagree),
		cmocka_unit_test(test_allocate_dimensions),
		cmocka_unit_test(test_allocate_unknown_shape),
		cmocka_unit_test(test_tokens_unique),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_execute_bad_tokens),
		cmocka_unit_test(test_execute_other_roles),
		cmocka_unit_test(test_execute_states),
		cmocka_unit_test(test_execute_locations),
		cmocka_unit_test(test_execute_dynamic),
		cmocka_unit_test(test_failed_execution),
		cmocka_unit_test(test_pipeline),
		cmocka_unit_test(test_destroyed_in_flight),
	};

	return cmocka_run_group_tests_name("hal-buffer", tests, setup, teardown);
}
