// SPDX-License-Identifier: Apache-2.0
/* A vendor extension through the HAL: com.example.fibonacci, from reporting it to running it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "descriptors.h"
#include "hal_test.h"

#define PREFIX 7u
#define TYPE(code) (PREFIX << 16 | (code))
#define INT64 TYPE(0)
#define QUANT64 TYPE(1)
#define FIBONACCI TYPE(0)

struct quant64 {
	double scale;
	int64_t zero_point;
};

static void name_extension(struct nnmodel *m, const char *name)
{
	m->extensions = calloc(1, sizeof(*m->extensions));
	assert_non_null(m->extensions);
	m->extensions[0].name = strdup(name);
	m->extensions[0].prefix = PREFIX;
	m->num_extensions = 1;
}

/*
 * n of @in_type (rank 0: scalar, 1: [1]) to an output of @out_type with @length elements (0:
 * unknown).
 */
static struct nnmodel *model(uint32_t in_type, uint32_t out_type, uint32_t length,
			     const struct quant64 *quant)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t in, out;

	name_extension(m, "com.example.fibonacci");
	in = hal_tensor(m, in_type, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(1), in_type == INT64 ? 0 : 1,
			0, 0);
	out = hal_tensor(m, out_type, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(length), 1, 0, 0);
	if (quant) {
		m->main.operands[out].extension_data = malloc(sizeof(*quant));
		memcpy(m->main.operands[out].extension_data, quant, sizeof(*quant));
		m->main.operands[out].extension_size = sizeof(*quant);
	}
	assert_true(nnmodel_add_operation(m, FIBONACCI, HAL_LIST(in), HAL_LIST(out)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(in), HAL_LIST(out)), 0);
	return m;
}

static int count_types(void *cookie, const struct nnhal_extension *ext)
{
	if (strcmp(ext->name, "com.example.fibonacci"))
		return 0;
	assert_int_equal(ext->num_types, 2);
	assert_false(ext->types[0].is_tensor);
	assert_true(ext->types[1].is_tensor);
	assert_int_equal(ext->types[0].byte_size, 8);
	assert_int_equal(ext->types[1].byte_size, 8);
	++*(int *)cookie;
	return 0;
}

TEST(test_reported)
{
	int found = 0;

	assert_int_equal(hal_dev->ops->get_supported_extensions(hal_dev, count_types, &found),
			 NNHAL_NONE);
	assert_int_equal(found, 1);
	assert_int_equal(hal_dev->ops->get_supported_extensions(hal_dev, NULL, NULL),
			 NNHAL_INVALID_ARGUMENT);
}

TEST(test_quantized)
{
	static const uint64_t expected[] = { 12, 12, 14, 16, 20, 26, 36, 52, 78, 120 };
	const struct quant64 quant = { 0.5, 10 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_prepared_model *pm;
	int64_t n = 10;

	pm = hal_prepare(hal_dev, model(INT64, QUANT64, 10, &quant));
	for (int how = 0; how < HAL_EXECUTORS; how++) {
		const struct nnhal_execution_config config = hal_config(false);
		struct hal_call c;

		hal_call_init(&c, false, HAL_LIST(sizeof(n)), HAL_LIST(sizeof(expected)));
		memcpy(hal_in(&c, 0), &n, sizeof(n));
		assert_int_equal(hal_run(pm, (enum hal_executor)how, &c.request, &config,
					 NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		assert_memory_equal(hal_out(&c, 0), expected, sizeof(expected));
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

/* n is a value: the length is known when it runs, and one that does not fit is an error. */
TEST(test_length)
{
	const struct nnhal_execution_config config = hal_config(false);
	static const struct {
		uint32_t declared, room;
		float n;
		enum nnhal_status status;
	} cases[] = {
		{ 0, 5, 5.9f, NNHAL_NONE },
		{ 5, 5, 5, NNHAL_NONE },
		{ 0, 4, 5, NNHAL_OUTPUT_INSUFFICIENT_SIZE },
		{ 5, 5, 4, NNHAL_GENERAL_FAILURE },
		{ 1, 1, -1, NNHAL_GENERAL_FAILURE },
		{ 0, 4, 0, NNHAL_GENERAL_FAILURE },
		{ 0, 4, __builtin_nanf(""), NNHAL_GENERAL_FAILURE },
		{ 0, 4, 3e38f, NNHAL_GENERAL_FAILURE },
	};
	static const float expected[] = { 1, 1, 2, 3, 5 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nnhal_prepared_model *pm =
			hal_prepare(hal_dev, model(NNMODEL_TENSOR_FLOAT32, NNMODEL_TENSOR_FLOAT32,
						   cases[i].declared, NULL));
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
		struct hal_call c;

		hal_call_init(&c, false, HAL_LIST(sizeof(float)),
			      HAL_LIST(cases[i].room * (uint32_t)sizeof(float)));
		memcpy(hal_in(&c, 0), &cases[i].n, sizeof(float));
		assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
				 cases[i].status);
		if (cases[i].status == NNHAL_NONE)
			assert_memory_equal(hal_out(&c, 0), expected,
					    cases[i].room * sizeof(float));
		if (cases[i].status == NNHAL_OUTPUT_INSUFFICIENT_SIZE) {
			assert_int_equal(result.num_shapes, 1);
			assert_int_equal(result.shapes[0].dims[0], 5);
			assert_false(result.shapes[0].sufficient);
		}
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
		pm->ops->destroy(pm);
	}
}

/* Errors that the framework cannot check for the driver; @m is freed. */
static void refuse(struct nnmodel *m)
{
	const struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p = hal_prepared_new(), answer;
	char *reason = NULL;
	bool supported = true;

	assert_int_equal(hal_dev->ops->get_supported_operations(hal_dev, m, &supported, &reason,
								NULL),
			 NNHAL_NONE);
	assert_false(supported);
	assert_non_null(reason);
	free(reason);
	hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p);
	answer = hal_prepared_wait(p);
	assert_int_not_equal(answer.status, NNHAL_NONE);
	assert_null(answer.model);
	nnmodel_free(m);
}

static struct nnmodel *with_code(uint32_t code)
{
	struct nnmodel *m = model(NNMODEL_TENSOR_FLOAT32, NNMODEL_TENSOR_FLOAT32, 5, NULL);

	m->main.operations[0].type = TYPE(code);
	return m;
}

static struct nnmodel *with_name(const char *name)
{
	struct nnmodel *m = model(NNMODEL_TENSOR_FLOAT32, NNMODEL_TENSOR_FLOAT32, 5, NULL);

	free(m->extensions[0].name);
	m->extensions[0].name = strdup(name);
	return m;
}

static struct nnmodel *with_blob(size_t size, double scale)
{
	const struct quant64 quant = { scale, 0 };
	struct nnmodel *m = model(INT64, QUANT64, 5, &quant);

	m->main.operands[1].extension_size = size;
	return m;
}

TEST(test_refused)
{
	refuse(model(NNMODEL_TENSOR_INT32, NNMODEL_TENSOR_FLOAT32, 5, NULL));
	refuse(model(NNMODEL_TENSOR_FLOAT32, NNMODEL_TENSOR_INT32, 5, NULL));
	refuse(model(QUANT64, NNMODEL_TENSOR_FLOAT32, 5, NULL));
	refuse(model(NNMODEL_TENSOR_FLOAT32, INT64, 5, NULL));
	refuse(model(TYPE(9), NNMODEL_TENSOR_FLOAT32, 5, NULL));
	refuse(with_code(1));
	refuse(with_name("com.example.unknown"));
	refuse(with_blob(15, 0.5));
	refuse(with_blob(sizeof(struct quant64), 0));
	refuse(with_blob(sizeof(struct quant64), -1));
	refuse(with_blob(sizeof(struct quant64), __builtin_inf()));
	refuse(model(INT64, QUANT64, 5, NULL));
}

/* [VTS] CacheSavingAndRetrieval of a model whose types only its table of names explains. */
TEST(test_cached)
{
	static const uint64_t expected[] = { 12, 12, 14, 16, 20, 26, 36, 52, 78, 120 };
	const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 5 };
	const struct nnhal_execution_config run = hal_config(false);
	struct nnhal_prepare_config config = hal_prepare_config();
	const struct quant64 quant = { 0.5, 10 };
	struct nnmodel *m = model(INT64, QUANT64, 10, &quant);
	struct hal_prepared *p = hal_prepared_new(), answer;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	int fd = memfd_new(0);
	const int64_t n = 10;
	struct hal_call c;

	config.model_cache = &fd;
	config.num_model_cache = 1;
	config.token = token;
	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p),
			 NNHAL_NONE);
	answer = hal_prepared_wait(p);
	assert_int_equal(answer.status, NNHAL_NONE);
	answer.model->ops->destroy(answer.model);
	nnmodel_free(m);

	p = hal_prepared_new();
	assert_int_equal(hal_dev->ops->prepare_model_from_cache(hal_dev, NNHAL_NO_TIME, &fd, 1,
								NULL, 0, token, hal_prepared_cb, p),
			 NNHAL_NONE);
	answer = hal_prepared_wait(p);
	assert_int_equal(answer.status, NNHAL_NONE);
	hal_call_init(&c, false, HAL_LIST(sizeof(n)), HAL_LIST(sizeof(expected)));
	memcpy(hal_in(&c, 0), &n, sizeof(n));
	assert_int_equal(hal_run(answer.model, HAL_SYNC, &c.request, &run, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	assert_memory_equal(hal_out(&c, 0), expected, sizeof(expected));
	nnhal_execution_result_clear(&result);
	/*
	 * the entry says how large an element of the extension's type is: nine do not fit a request
	 * for ten
	 */
	c.outputs[0].length -= 8;
	assert_int_equal(hal_status(answer.model, HAL_SYNC, &c.request, &run, NNHAL_NO_TIME),
			 NNHAL_INVALID_ARGUMENT);
	hal_call_fini(&c);
	answer.model->ops->destroy(answer.model);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reported), cmocka_unit_test(test_quantized),
		cmocka_unit_test(test_length),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cached),
	};

	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
