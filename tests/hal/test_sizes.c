// SPDX-License-Identifier: Apache-2.0
/*
 * Sized structs of nnhal.h and nnmodel.h, through the device's table and through views: an older
 * (smaller) and a newer (larger) struct work, a newer one with unknown data is refused, and so is
 * an invalid size. Structs are allocated to the byte, so that sanitizers see a wrong access.
 */
#include "hal_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MORE 24u /* bytes that a newer struct has */
#define GUARD 0xa5

enum kind { SAME, NEWER_ZERO, NEWER_DATA, OLDER, EMPTY, SHORT, LONG, GARBAGE, KINDS };

/** A struct as a client of another version makes it. */
struct sample {
	const void *from; /* as this version makes it */
	uint32_t size; /* of @from */
	uint32_t least; /* the size that every version has */
};
#define SAMPLE(x, last)                                                                         \
	{                                                                                       \
		&(x), sizeof(x), (uint32_t)((const char *)(&(x).last + 1) - (const char *)&(x)) \
	}

static uint32_t size_of(const struct sample *s, enum kind kind)
{
	switch (kind) {
	case NEWER_ZERO:
	case NEWER_DATA:
		return s->size + MORE;
	case OLDER:
		return s->least;
	case EMPTY:
		return 0;
	case SHORT:
		return s->least - 1;
	case LONG:
		return 4097;
	case GARBAGE:
		return UINT32_MAX;
	default:
		return s->size;
	}
}

static bool valid(enum kind kind)
{
	return kind == SAME || kind == NEWER_ZERO || kind == OLDER;
}

/* To be freed. */
static void *make(const struct sample *s, enum kind kind)
{
	uint32_t size = size_of(s, kind);
	uint32_t bytes = kind < EMPTY ? size : s->size;
	uint8_t *given = calloc(1, bytes);

	assert_non_null(given);
	memcpy(given, s->from, bytes < s->size ? bytes : s->size);
	memcpy(given, &size, sizeof(size));
	if (kind == NEWER_DATA)
		given[bytes - 1] = 1;
	return given;
}

/* ---- devices ---- */

static struct nnhal_device *devices[4];
static uint32_t num_devices;

static int setup(void **state)
{
	static const enum nnhal_version versions[] = { NNHAL_NATIVE, NNHAL_AIDL_V4,
						       NNHAL_HIDL_1_3 };
	int ret = hal_setup(state);

	if (ret)
		return ret;
	devices[num_devices++] = hal_dev;
	for (int i = 0; i < 3; i++)
		if (nnhal_view_create(hal_dev, versions[i], &devices[num_devices++]))
			return -1;
	return 0;
}

static int teardown(void **state)
{
	while (num_devices > 1) {
		num_devices--;
		devices[num_devices]->ops->destroy(devices[num_devices]);
	}
	return hal_teardown(state);
}

#define FOR_KINDS(dev, kind)                                                  \
	for (uint32_t d_ = 0; d_ < num_devices; d_++)                         \
		for (struct nnhal_device *dev = devices[d_]; dev; dev = NULL) \
			for (enum kind kind = SAME; kind < KINDS; kind++)

/* ---- arguments ---- */

static void prepare_with(struct nnhal_device *dev, const struct nnmodel *m,
			 const struct nnhal_prepare_config *config, enum kind kind)
{
	struct hal_prepared *p = hal_prepared_new(), done;
	enum nnhal_status status = dev->ops->prepare_model(dev, m, config, hal_prepared_cb, p);

	assert_int_equal(status, valid(kind) ? NNHAL_NONE : NNHAL_INVALID_ARGUMENT);
	done = hal_prepared_wait(p);
	assert_int_equal(done.status, status);
	if (status)
		assert_non_null(strstr(done.message, "bytes"));
	else
		done.model->ops->destroy(done.model);
}

TEST(test_model)
{
	struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;
	struct nnmodel *m = hal_model_add();
	const struct sample sample = SAMPLE(*m, extensions);

	FOR_KINDS(dev, kind)
	{
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		struct nnmodel *given = make(&sample, kind);
		bool supported[4];
		enum nnhal_status status =
			dev->ops->get_supported_operations(dev, given, supported, NULL, &err);

		assert_int_equal(status, valid(kind) ? NNHAL_NONE : NNHAL_INVALID_ARGUMENT);
		if (status)
			assert_non_null(strstr(err.text, "struct nnmodel"));
		prepare_with(dev, given, &config, kind);
		free(given);
	}
	nnmodel_free(m);
}

TEST(test_prepare_config)
{
	struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;
	const struct sample sample = SAMPLE(config, priority);
	struct nnmodel *m = hal_model_add();

	FOR_KINDS(dev, kind)
	{
		struct nnhal_prepare_config *given = make(&sample, kind);

		prepare_with(dev, m, given, kind);
		free(given);
	}
	nnmodel_free(m);
}

static bool runs(struct nnhal_prepared_model *pm, enum hal_executor how, struct hal_call *c)
{
	struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status = hal_run(pm, how, &c->request, &config, NNHAL_NO_TIME, &result);

	nnhal_execution_result_clear(&result);
	return status == NNHAL_NONE;
}

static void run_with(struct nnhal_prepared_model *pm, enum hal_executor how,
		     const struct nnhal_request *request,
		     const struct nnhal_execution_config *config, enum kind kind, const char *name)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status = hal_run(pm, how, request, config, NNHAL_NO_TIME, &result);

	if (status != (valid(kind) ? NNHAL_NONE : NNHAL_INVALID_ARGUMENT))
		fail_msg("%s, kind %d: %s: %s", hal_executor_name(how), kind,
			 nnhal_status_name(status), result.message);
	if (status && (how == HAL_SYNC || how == HAL_ASYNC || how == HAL_BURST))
		assert_non_null(strstr(result.message, name));
	nnhal_execution_result_clear(&result);
}

TEST(test_execution_arguments)
{
	struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	const struct sample config_sample = SAMPLE(config, measure_timing);
	struct nnhal_prepared_model *pm;
	uint32_t ran = 0;
	struct hal_call c;

	hal_call_add(&c, false);
	for (uint32_t d = 0; d < num_devices; d++) {
		pm = hal_prepare(devices[d], hal_model_add());
		for (enum hal_executor how = HAL_SYNC; how < HAL_ALL_EXECUTORS; how++) {
			const struct sample request_sample = SAMPLE(c.request, pools);

			if (!runs(pm, how, &c))
				continue; /* the version lacks it */
			ran++;
			for (enum kind kind = SAME; kind < KINDS; kind++) {
				void *given = make(&request_sample, kind);

				run_with(pm, how, given, &config, kind, "nnhal_request");
				free(given);
				given = make(&config_sample, kind);
				run_with(pm, how, &c.request, given, kind,
					 "nnhal_execution_config");
				free(given);
			}
		}
		pm->ops->destroy(pm);
	}
	assert_true(ran > 2 * HAL_ALL_EXECUTORS);
	hal_call_fini(&c);
}

TEST(test_buffer_desc)
{
	const struct nnhal_buffer_role role = { .probability = 1.0f };
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	const struct sample sample = SAMPLE(desc, dims);

	FOR_KINDS(dev, kind)
	{
		struct nnhal_prepared_model *pm = hal_prepare(dev, hal_model_add());
		struct nnhal_buffer_desc *given = make(&sample, kind);
		struct nnhal_buffer *buffer;
		uint32_t token;
		enum nnhal_status status =
			dev->ops->allocate(dev, given, &pm, 1, &role, 1, NULL, 0, &buffer, &token);

		assert_int_equal(status, valid(kind) ? NNHAL_NONE : NNHAL_INVALID_ARGUMENT);
		if (!status)
			buffer->ops->destroy(buffer);
		pm->ops->destroy(pm);
		free(given);
	}
}

/* ---- results ---- */

/* As make(), with GUARD bytes behind the size, which show writes. */
static void *make_out(const struct sample *s, enum kind kind)
{
	uint32_t size = size_of(s, kind);
	uint32_t bytes = kind < EMPTY ? size : s->size;
	uint8_t *given = malloc(bytes);

	assert_non_null(given);
	memset(given, GUARD, bytes);
	memcpy(given, &size, sizeof(size));
	return given;
}

/* @given was written as @s is, where it has its members; its size is as it was. */
static void check_out(const struct sample *s, enum kind kind, const uint8_t *given, bool written)
{
	uint32_t size = size_of(s, kind), bytes = kind < EMPTY ? size : s->size, at = 4;

	assert_memory_equal(given, &size, sizeof(size));
	for (; !written && at < bytes; at++)
		assert_int_equal(given[at], GUARD);
	if (written && size < s->size)
		assert_memory_equal(given + 4, (const uint8_t *)s->from + 4, size - 4);
	for (at = s->size; written && at < size; at++)
		assert_int_equal(given[at], 0);
}

static bool out_valid(enum kind kind)
{
	return valid(kind) || kind == NEWER_DATA;
}

TEST(test_capabilities)
{
	FOR_KINDS(dev, kind)
	{
		struct nnhal_capabilities caps = { .size = sizeof(caps) };
		const struct sample sample = SAMPLE(caps, operand);
		struct nnhal_capabilities *given = make_out(&sample, kind);

		assert_int_equal(dev->ops->get_capabilities(dev, &caps), NNHAL_NONE);
		assert_int_equal(dev->ops->get_capabilities(dev, given),
				 out_valid(kind) ? NNHAL_NONE : NNHAL_INVALID_ARGUMENT);
		check_out(&sample, kind, (uint8_t *)given, out_valid(kind));
		free(given);
	}
}

TEST(test_info)
{
	FOR_KINDS(dev, kind)
	{
		struct nnhal_device_info info = { .size = sizeof(info) };
		const struct sample sample = SAMPLE(info, node);
		struct nnhal_device_info *given = make_out(&sample, kind);

		assert_int_equal(nnhal_device_get_info(dev, &info), 0);
		assert_int_equal(nnhal_device_get_info(dev, given), out_valid(kind) ? 0 : -EINVAL);
		check_out(&sample, kind, (uint8_t *)given, out_valid(kind));
		free(given);
	}
}

TEST(test_counters)
{
	FOR_KINDS(dev, kind)
	{
		struct nnhal_counters counters = { .size = sizeof(counters) };
		const struct sample sample = SAMPLE(counters, executions);
		struct nnhal_counters *given = make_out(&sample, kind);

		assert_int_equal(nnhal_device_get_counters(dev, &counters), 0);
		assert_int_equal(nnhal_device_get_counters(dev, given),
				 out_valid(kind) ? 0 : -EINVAL);
		check_out(&sample, kind, (uint8_t *)given, out_valid(kind));
		free(given);
	}
}

TEST(test_report)
{
	struct nnhal_calibration_report report = { .size = sizeof(report) };
	const struct sample sample = SAMPLE(report, programs);
	char message[128];
	int expected;

	expected = nnhal_calibrate("cpu", NNHAL_CALIBRATE_SHOW, &report, message, sizeof(message));
	for (enum kind kind = SAME; kind < KINDS; kind++) {
		struct nnhal_calibration_report *given = make_out(&sample, kind);
		int ret = nnhal_calibrate("cpu", NNHAL_CALIBRATE_SHOW, given, message,
					  sizeof(message));

		assert_int_equal(ret, out_valid(kind) ? expected : -EINVAL);
		if (!out_valid(kind))
			assert_non_null(strstr(message, "nnhal_calibration_report"));
		check_out(&sample, kind, (uint8_t *)given, out_valid(kind));
		free(given);
	}
}

TEST(test_error)
{
	struct nnmodel *m = hal_model_add();

	m->main.operations[0].inputs[0] = 1000;
	FOR_KINDS(dev, kind)
	{
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		const struct sample sample = SAMPLE(err, operand);
		struct nnmodel_error *given = make_out(&sample, kind);
		bool supported[4];

		assert_int_equal(dev->ops->get_supported_operations(dev, m, supported, NULL, &err),
				 NNHAL_INVALID_ARGUMENT);
		assert_int_equal(dev->ops->get_supported_operations(dev, m, supported, NULL, given),
				 NNHAL_INVALID_ARGUMENT);
		check_out(&sample, kind, (uint8_t *)given, out_valid(kind));
		free(given);
	}
	nnmodel_free(m);
}

static enum nnhal_status run_out(struct nnhal_prepared_model *pm, enum hal_executor how,
				 const struct nnhal_request *request,
				 struct nnhal_execution_result *result)
{
	struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	const int64_t tokens[] = { 1, 2 };
	struct nnhal_execution *execution;
	struct nnhal_burst *burst;
	enum nnhal_status status;

	config.measure_timing = true;
	if (how == HAL_BURST) {
		assert_int_equal(pm->ops->configure_burst(pm, &burst), NNHAL_NONE);
		status = burst->ops->execute_synchronously(burst, request, tokens, 2, &config,
							   NNHAL_NO_TIME, result);
		burst->ops->destroy(burst);
	} else if (how == HAL_REUSABLE) {
		assert_int_equal(pm->ops->create_reusable_execution(pm, request, &config,
								    &execution),
				 NNHAL_NONE);
		status = execution->ops->execute_synchronously(execution, NNHAL_NO_TIME, result);
		execution->ops->destroy(execution);
	} else {
		status =
			pm->ops->execute_synchronously(pm, request, &config, NNHAL_NO_TIME, result);
	}
	return status;
}

TEST(test_result)
{
	static const enum hal_executor executors[] = { HAL_SYNC, HAL_BURST, HAL_REUSABLE };
	const struct nnhal_execution_result like = NNHAL_EXECUTION_RESULT_INIT;
	const struct sample sample = SAMPLE(like, timing);
	struct nnhal_prepared_model *pm;
	struct hal_call c;

	hal_call_add(&c, false);
	for (uint32_t d = 0; d < num_devices; d++) {
		pm = hal_prepare(devices[d], hal_model_add());
		for (int e = 0; e < 3; e++) {
			if (!runs(pm, executors[e], &c))
				continue;
			for (enum kind kind = SAME; kind < KINDS; kind++) {
				struct nnhal_execution_result *given = make_out(&sample, kind);
				enum nnhal_status status =
					run_out(pm, executors[e], &c.request, given);

				if (!out_valid(kind)) {
					assert_int_equal(status, NNHAL_INVALID_ARGUMENT);
					check_out(&sample, kind, (uint8_t *)given, false);
					nnhal_execution_result_clear(given); /* does nothing */
					free(given);
					continue;
				}
				assert_int_equal(status, NNHAL_NONE);
				hal_check_add(&c);
				assert_int_equal(given->size, size_of(&sample, kind));
				assert_true(given->timing.in_driver_ns >= 0);
				assert_int_equal(given->num_shapes,
						 executors[e] == HAL_BURST ? 0 : 1);
				nnhal_execution_result_clear(given);
				assert_int_equal(given->size, size_of(&sample, kind));
				assert_null(given->shapes);
				free(given);
			}
		}
		pm->ops->destroy(pm);
	}
	hal_call_fini(&c);
}

/* ---- a driver of another version, behind a view ---- */

static enum kind driver_kind;

static void driver_destroy(struct nnhal_prepared_model *model)
{
	(void)model;
}

static enum nnhal_status driver_execute(struct nnhal_prepared_model *model,
					const struct nnhal_request *request,
					const struct nnhal_execution_config *config,
					int64_t deadline_ns, nnhal_execution_cb callback,
					void *cookie)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	const struct sample sample = SAMPLE(result, timing);
	struct nnhal_execution_result *given;

	(void)model;
	(void)request;
	(void)config;
	(void)deadline_ns;
	result.timing.in_driver_ns = 7;
	given = make(&sample, driver_kind);
	callback(cookie, NNHAL_NONE, given);
	free(given);
	return NNHAL_NONE;
}

static const struct nnhal_prepared_model_ops driver_ops = {
	.size = sizeof(driver_ops),
	.destroy = driver_destroy,
	.execute = driver_execute,
};

static enum nnhal_status driver_prepare(struct nnhal_device *dev, const struct nnmodel *model,
					const struct nnhal_prepare_config *config,
					nnhal_prepared_cb callback, void *cookie)
{
	static struct nnhal_prepared_model prepared = { &driver_ops };

	(void)dev;
	(void)model;
	(void)config;
	callback(cookie, NNHAL_NONE, &prepared, NULL);
	return NNHAL_NONE;
}

struct seen {
	enum nnhal_status status;
	struct nnhal_execution_result result;
};

static void see(void *cookie, enum nnhal_status status, const struct nnhal_execution_result *result)
{
	struct seen *seen = cookie;

	seen->status = status;
	seen->result = *result;
}

TEST(test_result_of_driver)
{
	struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_device_ops ops = *hal_dev->ops;
	struct nnhal_device foreign = { &ops }, *view;
	struct nnhal_prepared_model *pm;
	struct hal_call c;

	ops.prepare_model = driver_prepare;
	assert_int_equal(nnhal_view_create(&foreign, NNHAL_NATIVE, &view), 0);
	pm = hal_prepare(view, hal_model_add());
	hal_call_add(&c, false);
	for (driver_kind = SAME; driver_kind < KINDS; driver_kind++) {
		struct seen seen;

		assert_int_equal(pm->ops->execute(pm, &c.request, &config, NNHAL_NO_TIME, see,
						  &seen),
				 NNHAL_NONE);
		assert_int_equal(seen.result.size, sizeof(seen.result));
		assert_int_equal(seen.status,
				 valid(driver_kind) ? NNHAL_NONE : NNHAL_GENERAL_FAILURE);
		if (valid(driver_kind))
			assert_int_equal(seen.result.timing.in_driver_ns, 7);
		else
			assert_int_not_equal(seen.result.message[0], '\0');
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	view->ops->destroy(view);
}

/* ---- layout ---- */

/* Without padding at the end, a new member never lies in bytes that an older struct has. */
#define NO_PADDING(type, last)                                                           \
	_Static_assert(offsetof(struct type, last) + sizeof(((struct type *)0)->last) == \
			       sizeof(struct type),                                      \
		       "struct " #type " ends in padding")
NO_PADDING(nnmodel, reserved);
NO_PADDING(nnmodel_error, text);
NO_PADDING(nnhal_request, pools);
NO_PADDING(nnhal_execution_config, extensions);
NO_PADDING(nnhal_prepare_config, reserved);
NO_PADDING(nnhal_execution_result, message);
NO_PADDING(nnhal_capabilities, operand);
NO_PADDING(nnhal_extension, types);
NO_PADDING(nnhal_buffer_desc, dims);
NO_PADDING(nnhal_device_info, isa_missing);
NO_PADDING(nnhal_counters, bytes_in_place);
NO_PADDING(nnhal_calibration_report, programs);

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_prepare_config),
		cmocka_unit_test(test_execution_arguments),
		cmocka_unit_test(test_buffer_desc),
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_result_of_driver),
	};

	return cmocka_run_group_tests_name("hal-sizes", tests, setup, teardown);
}
