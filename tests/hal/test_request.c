// SPDX-License-Identifier: Apache-2.0
/*
 * Requests that do not fit the model: INVALID_ARGUMENT from every execution call, and no output
 * shapes.
 */
#include "descriptors.h"
#include "hal_test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void refused_by(struct nnhal_prepared_model *pm, const struct nnhal_request *request,
		       int first, int last)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	for (int how = first; how <= last; how++) {
		/* with timing and without */
		struct nnhal_execution_config config = hal_config(how & 1);

		assert_int_equal(hal_run(pm, how, request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_INVALID_ARGUMENT);
		assert_int_equal(result.num_shapes, 0);
		assert_int_equal(result.timing.on_device_ns, NNHAL_NO_TIME);
		assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
		/* fenced calls, and calls that create an object, have no message */
		if (how == HAL_SYNC || how == HAL_ASYNC || how == HAL_BURST)
			assert_int_not_equal(result.message[0], '\0');
		nnhal_execution_result_clear(&result);
	}
}

static void refused(struct nnhal_prepared_model *pm, const struct nnhal_request *request)
{
	refused_by(pm, request, HAL_SYNC, HAL_REUSABLE_FENCED);
}

struct fixture {
	struct nnhal_prepared_model *pm;
	struct hal_call c;
};

static struct fixture f;

static int fresh(void **state)
{
	*state = &f;
	f.pm = hal_prepare(hal_dev, hal_model_two_outputs());
	hal_call_init(&f.c, false, HAL_LIST(16, 16), HAL_LIST(16, 16));
	return 0;
}

FIXTURE(done)
{
	hal_call_fini(&f.c);
	f.pm->ops->destroy(f.pm);
	return 0;
}

TEST(test_accepted)
{
	struct nnhal_execution_config config = hal_config(false);

	/* the request that all the others are made from */
	for (int how = 0; how < HAL_ALL_EXECUTORS; how++) {
		assert_int_equal(hal_status(f.pm, how, &f.c.request, &config, NNHAL_NO_TIME),
				 NNHAL_NONE);
	}
}

TEST(test_remove_each)
{
	struct nnhal_request r = { .size = sizeof(r) };

	for (uint32_t i = 0; i < 2; i++) {
		struct nnhal_request_argument rest[1] = { f.c.inputs[1 - i] };

		r = f.c.request;
		r.inputs = rest;
		r.num_inputs = 1;
		refused(f.pm, &r);
		rest[0] = f.c.outputs[1 - i];
		r = f.c.request;
		r.outputs = rest;
		r.num_outputs = 1;
		refused(f.pm, &r);
	}
	r = f.c.request;
	r.num_inputs = 3;
	refused(f.pm, &r);
	r = f.c.request;
	r.num_outputs = 0;
	refused(f.pm, &r);
	r = f.c.request;
	r.inputs = NULL;
	refused(f.pm, &r);
	r = f.c.request;
	r.pools = NULL;
	refused(f.pm, &r);
	refused(f.pm, NULL);
}

TEST(test_locations)
{
	struct nnhal_request_argument *in = &f.c.inputs[1], *out = &f.c.outputs[1], saved = *in;

	in->pool = 2;
	refused(f.pm, &f.c.request);
	in->pool = UINT32_MAX;
	refused(f.pm, &f.c.request);
	*in = saved;
	in->offset = f.c.in_size - 15;
	refused(f.pm, &f.c.request);
	in->offset = f.c.in_size;
	refused(f.pm, &f.c.request);
	in->offset = UINT64_MAX - 7;
	refused(f.pm, &f.c.request);
	*in = saved;
	in->length = UINT64_MAX;
	refused(f.pm, &f.c.request);
	in->length = 0;
	refused(f.pm, &f.c.request);
	in->length = 15;
	refused(f.pm, &f.c.request);
	in->length = 17;
	refused(f.pm, &f.c.request);
	*in = saved;
	in->padding = f.c.in_size;
	refused(f.pm, &f.c.request);
	in->padding = UINT64_MAX;
	refused(f.pm, &f.c.request);
	*in = saved;
	out->length = 15;
	refused(f.pm, &f.c.request);
	out->length = 16;
	out->offset = f.c.out_size - 8;
	refused(f.pm, &f.c.request);
}

TEST(test_dimensions)
{
	struct nnhal_request_argument *in = &f.c.inputs[0], *out = &f.c.outputs[0];

	in->rank = 1;
	in->dims = HAL_DIMS(5);
	refused(f.pm, &f.c.request);
	in->dims = HAL_DIMS(0);
	refused(f.pm, &f.c.request);
	in->dims = NULL;
	refused(f.pm, &f.c.request);
	in->rank = 2;
	in->dims = HAL_DIMS(2, 2);
	refused(f.pm, &f.c.request);
	in->rank = UINT32_MAX;
	refused(f.pm, &f.c.request);
	in->rank = 0;
	out->rank = 1;
	out->dims = HAL_DIMS(3);
	refused(f.pm, &f.c.request);
	out->dims = HAL_DIMS(0);
	refused(f.pm, &f.c.request);
	out->rank = 9;
	out->dims = HAL_DIMS(4, 1, 1, 1, 1, 1, 1, 1, 1);
	refused(f.pm, &f.c.request);
}

TEST(test_dynamic_dimensions)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add_dynamic());
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	hal_call_init(&c, false, HAL_LIST(16, 8), HAL_LIST(16));
	/* neither model nor request specify the inputs' shapes */
	refused(pm, &c.request);
	c.inputs[0].rank = 2;
	c.inputs[0].dims = HAL_DIMS(2, 2);
	c.inputs[1].rank = 1;
	c.inputs[1].dims = HAL_DIMS(0);
	refused(pm, &c.request);
	c.inputs[1].dims = HAL_DIMS(UINT32_MAX);
	refused(pm, &c.request);
	/* shapes that do not broadcast: only the run can tell, and it says which operation */
	c.inputs[1].offset = 0;
	c.inputs[1].length = 12;
	c.inputs[1].dims = HAL_DIMS(3);
	assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_GENERAL_FAILURE);
	assert_non_null(strstr(result.message, "EXEC_FAILED in subgraph 0, operation 0: "));
	assert_int_equal(result.num_shapes, 0);
	nnhal_execution_result_clear(&result);
	/* a fenced execution wants its outputs fully specified */
	c.inputs[1].length = 8;
	c.inputs[1].dims = HAL_DIMS(2);
	refused_by(pm, &c.request, HAL_FENCED, HAL_FENCED);
	c.outputs[0].rank = 2;
	c.outputs[0].dims = HAL_DIMS(0, 2);
	refused_by(pm, &c.request, HAL_FENCED, HAL_FENCED);
	/* the product is beyond 4 GiB */
	c.outputs[0].dims = HAL_DIMS(65536, 65536);
	refused(pm, &c.request);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

TEST(test_no_value)
{
	struct nnhal_request_argument *in = &f.c.inputs[0];

	in->has_no_value = true;
	refused(f.pm, &f.c.request); /* with a location */
	*in = (struct nnhal_request_argument){ .has_no_value = true,
					       .rank = 1,
					       .dims = HAL_DIMS(4) };
	refused(f.pm, &f.c.request);
	*in = (struct nnhal_request_argument){ .has_no_value = true, .pool = 1 };
	refused(f.pm, &f.c.request);
	*in = (struct nnhal_request_argument){ .has_no_value = true, .padding = 1 };
	refused(f.pm, &f.c.request);
	/* well-formed, but ADD's operands are not optional */
	*in = (struct nnhal_request_argument){ .has_no_value = true };
	refused_by(f.pm, &f.c.request, HAL_SYNC, HAL_ASYNC);
}

TEST(test_pools)
{
	struct nnhal_request_pool *in = &f.c.pools[0], *out = &f.c.pools[1], saved = *in;
	int fds[2];

	in->is_token = true;
	refused(f.pm, &f.c.request);
	in->token = 100;
	refused(f.pm, &f.c.request);
	*in = saved;
	in->memory.fd = -1;
	refused(f.pm, &f.c.request);
	assert_int_equal(pipe(fds), 0);
	in->memory.fd = fds[0];
	refused(f.pm, &f.c.request);
	close(fds[0]);
	close(fds[1]);
	*in = saved;
	in->memory.size = 0;
	refused(f.pm, &f.c.request);
	in->memory.size = saved.memory.size + 1; /* more than the file has */
	refused(f.pm, &f.c.request);
	in->memory.size = UINT64_MAX;
	refused(f.pm, &f.c.request);
	*in = saved;
	in->memory.offset = 64;
	refused(f.pm, &f.c.request);
	in->memory.offset = UINT64_MAX;
	refused(f.pm, &f.c.request);
	*in = saved;
	in->memory.prot = 0;
	refused(f.pm, &f.c.request);
	in->memory.prot = PROT_READ | PROT_EXEC;
	refused(f.pm, &f.c.request);
	in->memory.prot = PROT_WRITE;
	refused(f.pm, &f.c.request);
	*in = saved;
	out->memory.prot = PROT_READ;
	refused(f.pm, &f.c.request);
}

/* The descriptor was opened for reading: saying that it may be written does not make it so. */
TEST(test_output_in_read_only_file)
{
	f.c.pools[0].memory.prot = PROT_READ | PROT_WRITE;
	f.c.outputs[0].pool = 0;
	f.c.outputs[0].offset = f.c.in_size - 64;
	refused(f.pm, &f.c.request);
}

TEST(test_file_that_shrank)
{
	struct nnhal_execution_config config = hal_config(false);

	assert_int_equal(hal_status(f.pm, HAL_SYNC, &f.c.request, &config, NNHAL_NO_TIME),
			 NNHAL_NONE);
	assert_int_equal(ftruncate(f.c.pools[1].memory.fd, 64), 0);
	refused(f.pm, &f.c.request);
}

TEST(test_overlap)
{
	struct nnhal_request_pool pools[3] = { f.c.pools[0], f.c.pools[1], f.c.pools[1] };
	struct nnhal_request r = f.c.request;
	int fd;

	f.c.outputs[1].offset = f.c.outputs[0].offset;
	refused(f.pm, &f.c.request);
	f.c.outputs[1].offset = f.c.outputs[0].offset + 12;
	refused(f.pm, &f.c.request);
	f.c.outputs[1].offset = 64;
	f.c.inputs[0].pool = 1;
	f.c.inputs[0].offset = f.c.outputs[0].offset + 8;
	refused(f.pm, &f.c.request);
	f.c.inputs[0].pool = 0;
	f.c.inputs[0].offset = 0;

	/* the same memory by another descriptor, at another offset of the file */
	fd = dup(f.c.pools[1].memory.fd);
	assert_true(fd >= 0);
	pools[2].memory.fd = fd;
	pools[2].memory.offset = 4;
	pools[2].memory.size -= 4;
	r.pools = pools;
	r.num_pools = 3;
	f.c.outputs[1].pool = 2;
	f.c.outputs[1].offset = 4;
	refused(f.pm, &r);
	close(fd);
}

/* Constants in a pool cannot be overwritten. */
TEST(test_overlap_with_constant)
{
	struct nnmodel *m = nnmodel_new();
	struct nnhal_prepared_model *pm;
	uint32_t a, b, out, act;
	struct hal_call c;
	int fd = memfd_new(4096), pool;

	pool = nnmodel_add_pool(m, dup(fd), PROT_READ | PROT_WRITE, 0, 4096);
	assert_int_equal(pool, 0);
	a = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(4), 1, 0, 0);
	b = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_CONSTANT_REFERENCE, HAL_DIMS(4), 1, 0, 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, b, (uint32_t)pool, 128, 16), 0);
	out = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(4), 1, 0, 0);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	assert_true(nnmodel_add_operation(m, NNMODEL_ADD, HAL_LIST(a, b, act), HAL_LIST(out)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(a), HAL_LIST(out)), 0);
	pm = hal_prepare(hal_dev, m);

	hal_call_init(&c, false, HAL_LIST(16), HAL_LIST(16));
	close(c.pools[1].memory.fd);
	c.pools[1].memory.fd = fd;
	c.pools[1].memory.size = 4096;
	c.outputs[0].offset = 128 - 8;
	refused(pm, &c.request);
	c.outputs[0].offset = 128 + 16;
	{
		struct nnhal_execution_config config = hal_config(false);

		assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME),
				 NNHAL_NONE);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

TEST(test_config)
{
	struct nnhal_execution_config config = hal_config(false);

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		config.loop_timeout_ns = -2;
		assert_int_equal(hal_status(f.pm, how, &f.c.request, &config, NNHAL_NO_TIME),
				 NNHAL_INVALID_ARGUMENT);
		assert_int_equal(hal_status(f.pm, how, &f.c.request, NULL, NNHAL_NO_TIME),
				 NNHAL_INVALID_ARGUMENT);
		config.loop_timeout_ns = INT64_MAX;
		assert_int_equal(hal_status(f.pm, how, &f.c.request, &config, NNHAL_NO_TIME),
				 NNHAL_INVALID_ARGUMENT);
		config.loop_timeout_ns = NNHAL_LOOP_TIMEOUT_MAXIMUM_NS + 1;
		assert_int_equal(hal_status(f.pm, how, &f.c.request, &config, NNHAL_NO_TIME),
				 NNHAL_INVALID_ARGUMENT);
		config.loop_timeout_ns = NNHAL_LOOP_TIMEOUT_MAXIMUM_NS;
		assert_int_equal(hal_status(f.pm, how, &f.c.request, &config, NNHAL_NO_TIME),
				 NNHAL_NONE);
		config.loop_timeout_ns = 0;
		assert_int_equal(hal_status(f.pm, how, &f.c.request, &config, NNHAL_NO_TIME),
				 NNHAL_NONE);
	}
	assert_int_equal(f.pm->ops->execute(f.pm, &f.c.request, &config, NNHAL_NO_TIME, NULL, NULL),
			 NNHAL_INVALID_ARGUMENT);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_accepted),
		CASE(test_remove_each),
		CASE(test_locations),
		CASE(test_dimensions),
		cmocka_unit_test(test_dynamic_dimensions),
		CASE(test_no_value),
		CASE(test_pools),
		CASE(test_output_in_read_only_file),
		CASE(test_file_that_shrank),
		CASE(test_overlap),
		cmocka_unit_test(test_overlap_with_constant),
		CASE(test_config),
	};

	return cmocka_run_group_tests_name("hal-request", tests, hal_setup, hal_teardown);
}
