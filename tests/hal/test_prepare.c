// SPDX-License-Identifier: Apache-2.0
/* IDevice: its properties, and the protocol of prepare_model. */
#include "hal_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

TEST(test_identity)
{
	const char *name = hal_dev->ops->name(hal_dev), *dash = strchr(name, '-');
	enum nnhal_device_type type = hal_dev->ops->type(hal_dev);
	uint32_t models, data;

	assert_non_null(dash);
	assert_ptr_not_equal(dash, name);
	assert_int_not_equal(dash[1], '\0');
	assert_null(strchr(dash + 1, '-'));
	assert_true(strlen(hal_dev->ops->version(hal_dev)) > 0);
	assert_true(type >= NNHAL_DEVICE_OTHER && type <= NNHAL_DEVICE_ACCELERATOR);
	assert_int_equal(hal_dev->ops->feature_level(hal_dev), 8);
	assert_int_equal(hal_dev->ops->get_number_of_cache_files(hal_dev, &models, &data),
			 NNHAL_NONE);
	assert_true(models <= NNHAL_MAX_CACHE_FILES && data <= NNHAL_MAX_CACHE_FILES);
}

TEST(test_capabilities)
{
	struct nnhal_capabilities caps = { .size = sizeof(caps) };

	assert_int_equal(hal_dev->ops->get_capabilities(hal_dev, &caps), NNHAL_NONE);
	for (uint32_t i = 0; i < NNMODEL_SUBGRAPH; i++) {
		assert_true(caps.operand[i].exec_time > 0);
		assert_true(caps.operand[i].power_usage > 0);
	}
	assert_true(caps.relaxed_tensor.exec_time > 0 && caps.relaxed_scalar.exec_time > 0);
	assert_true(caps.if_performance.exec_time > 0 && caps.while_performance.exec_time > 0);
	/* the device is made for float32 and int8 */
	assert_true(caps.operand[NNMODEL_TENSOR_FLOAT32].exec_time < 1e6f);
	assert_true(caps.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED].exec_time < 1e6f);
}

TEST(test_info)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_device foreign = { 0 };

	assert_int_equal(nnhal_device_get_info(hal_dev, &info), 0);
	assert_int_not_equal(info.fw_version, 0);
	assert_int_not_equal(info.opset_version, 0);
	assert_int_equal(info.node[0] != '\0', hal_is_card());
	assert_true(nnhal_device_get_info(&foreign, &info) < 0);
}

/* Every argument error: the same status from the call and from the callback, which comes once. */
static void refused(const struct nnmodel *m, const struct nnhal_prepare_config *config)
{
	struct hal_prepared *p = hal_prepared_new(), done;
	enum nnhal_status status;

	status = hal_dev->ops->prepare_model(hal_dev, m, config, hal_prepared_cb, p);
	assert_int_equal(status, NNHAL_INVALID_ARGUMENT);
	done = hal_prepared_wait(p);
	assert_int_equal(done.status, NNHAL_INVALID_ARGUMENT);
	assert_int_not_equal(done.message[0], '\0');
}

/* The call returns what the callback gets, also with the default configuration. */
TEST(test_waiting_call)
{
	const struct nnhal_prepare_config config = hal_prepare_config();
	struct nnhal_prepared_model *prepared = NULL;
	struct nnmodel *m = hal_model_add();
	char message[256] = "unchanged", cut[8];

	assert_int_equal(nnhal_prepare_model(hal_dev, m, NULL, &prepared, message, sizeof(message)),
			 NNHAL_NONE);
	assert_non_null(prepared);
	assert_string_equal(message, "");
	prepared->ops->destroy(prepared);
	assert_int_equal(nnhal_prepare_model(hal_dev, m, &config, &prepared, NULL, 0), NNHAL_NONE);
	prepared->ops->destroy(prepared);
	m->main.operations[0].inputs[0] = m->main.num_operands;
	assert_int_equal(nnhal_prepare_model(hal_dev, m, &config, &prepared, message,
					     sizeof(message)),
			 NNHAL_INVALID_ARGUMENT);
	assert_null(prepared);
	assert_string_not_equal(message, "");
	assert_int_equal(nnhal_prepare_model(hal_dev, m, &config, &prepared, cut, sizeof(cut)),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(strlen(cut), sizeof(cut) - 1);
	assert_int_equal(nnhal_prepare_model(hal_dev, m, &config, &prepared, NULL, 0),
			 NNHAL_INVALID_ARGUMENT);
	nnmodel_free(m);
}

TEST(test_bad_arguments)
{
	struct nnhal_prepare_config config = { .size = sizeof(config) };
	struct nnmodel *m = hal_model_add();

	config = hal_prepare_config();
	config.preference = NNHAL_SUSTAINED_SPEED + 1;
	refused(m, &config);
	config.preference = UINT32_MAX;
	refused(m, &config);
	config = hal_prepare_config();
	config.priority = NNHAL_PRIORITY_HIGH + 1;
	refused(m, &config);
	config.priority = UINT32_MAX;
	refused(m, &config);
	config = hal_prepare_config();
	config.deadline_ns = -2;
	refused(m, &config);
	config.deadline_ns = INT64_MIN;
	refused(m, &config);
	config = hal_prepare_config();
	refused(NULL, &config);
	refused(m, NULL);
	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, NULL, NULL),
			 NNHAL_INVALID_ARGUMENT);
	nnmodel_free(m);
}

TEST(test_bad_models)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	bool supported[8];
	struct nnmodel *m;

	m = hal_model_add();
	m->main.operations[0].inputs[0] = m->main.num_operands;
	refused(m, &config);
	assert_int_equal(hal_dev->ops->get_supported_operations(hal_dev, m, supported, NULL, &err),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_not_equal(err.text[0], '\0');
	nnmodel_free(m);

	m = hal_model_add();
	m->main.operations[0].type = 106;
	refused(m, &config);
	nnmodel_free(m);

	m = hal_model_add();
	m->main.operands[0].scale = 1.0f;
	refused(m, &config);
	nnmodel_free(m);

	m = nnmodel_new();
	refused(m, &config);
	nnmodel_free(m);
}

TEST(test_supported)
{
	struct nnmodel *m = hal_model_two_outputs();
	bool supported[2] = { false, false };
	char *reasons[2] = { NULL, NULL };
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	assert_int_equal(hal_dev->ops->get_supported_operations(hal_dev, m, supported, reasons,
								&err),
			 NNHAL_NONE);
	assert_true(supported[0] && supported[1]);
	assert_null(reasons[0]);
	assert_null(reasons[1]);
	nnmodel_free(m);
}

/* FLOOR, or an operation that no device has; x -> y, both [1]. */
static struct nnmodel_subgraph branch(bool known)
{
	struct nnmodel *part = nnmodel_new();
	struct nnmodel_subgraph g;
	uint32_t x = hal_tensor(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(1),
				1, 0, 0);
	uint32_t y = hal_tensor(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(1),
				1, 0, 0);

	assert_int_equal(nnmodel_add_operation(part, known ? NNMODEL_FLOOR : 7u << 16 | 99, &x, 1,
					       &y, 1),
			 0);
	assert_int_equal(nnmodel_set_io(part, &x, 1, &y, 1), 0);
	g = part->main;
	memset(&part->main, 0, sizeof(part->main));
	nnmodel_free(part);
	return g;
}

/* FLOOR, then IF with these branches. */
static struct nnmodel *model_if(bool then_known, bool else_known)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t x, y, z, condition, graph[2];

	m->referenced = calloc(2, sizeof(*m->referenced));
	m->referenced[0] = branch(then_known);
	m->referenced[1] = branch(else_known);
	m->num_referenced = 2;
	m->extensions = calloc(1, sizeof(*m->extensions));
	m->extensions[0] = (struct nnmodel_extension){ strdup("com.example.unknown"), 7 };
	m->num_extensions = 1;
	condition =
		hal_tensor(m, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(1), 1, 0, 0);
	x = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(1), 1, 0, 0);
	y = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_TEMPORARY_VARIABLE, HAL_DIMS(1), 1, 0, 0);
	z = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(1), 1, 0, 0);
	for (uint32_t i = 0; i < 2; i++) {
		graph[i] =
			hal_tensor(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);
		m->main.operands[graph[i]].location.offset = i;
	}
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_FLOOR, HAL_LIST(x), HAL_LIST(y)), 0);
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_IF,
					       HAL_LIST(condition, graph[0], graph[1], y),
					       HAL_LIST(z)),
			 1);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(condition, x), HAL_LIST(z)), 0);
	return m;
}

/* [VTS] an answer for each operation of main; IF only with all that its branches have */
TEST(test_supported_with_subgraphs)
{
	for (int variant = 0; variant < 4; variant++) {
		struct nnmodel *m = model_if(variant & 1, variant & 2);
		bool supported[3] = { false, false, true };
		char *reasons[3] = { NULL };
		struct nnmodel_error err = NNMODEL_ERROR_INIT;

		if (hal_dev->ops->get_supported_operations(hal_dev, m, supported, reasons, &err))
			fail_msg("%s", err.text);
		assert_true(supported[0]);
		assert_null(reasons[0]);
		assert_int_equal(supported[1], variant == 3);
		assert_int_equal(reasons[1] != NULL, variant != 3);
		if (reasons[1])
			assert_non_null(strstr(reasons[1], "com.example.unknown"));
		/* no more than main has */
		assert_true(supported[2] && !reasons[2]);
		free(reasons[1]);
		nnmodel_free(m);
	}
}

struct seen {
	char names[8][64];
	int count;
};

static int check_extension(void *cookie, const struct nnhal_extension *ext)
{
	struct seen *seen = cookie;

	assert_int_equal(strspn(ext->name, "abcdefghijklmnopqrstuvwxyz0123456789_."),
			 strlen(ext->name));
	assert_non_null(strchr(ext->name, '.'));
	for (int i = 0; i < seen->count; i++)
		assert_string_not_equal(seen->names[i], ext->name);
	assert_true(seen->count < 8 && strlen(ext->name) < 64);
	strcpy(seen->names[seen->count++], ext->name);
	for (uint32_t i = 0; i < ext->num_types; i++) {
		assert_true(ext->types[i].byte_size > 0);
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(ext->types[k].type, ext->types[i].type);
	}
	return 0;
}

/* [VTS] names of extensions; no name and no type twice */
TEST(test_extensions)
{
	struct seen seen = { .count = 0 };

	assert_int_equal(hal_dev->ops->get_supported_extensions(hal_dev, check_extension, &seen),
			 NNHAL_NONE);
}

static enum nnhal_status prepared_with(const struct nnhal_prepare_config *config)
{
	struct hal_prepared *p = hal_prepared_new(), done;
	struct nnmodel *m = hal_model_add();

	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, config, hal_prepared_cb, p),
			 NNHAL_NONE);
	nnmodel_free(m);
	done = hal_prepared_wait(p);
	if (done.model)
		done.model->ops->destroy(done.model);
	return done.status;
}

TEST(test_deadlines)
{
	struct nnhal_prepare_config config = hal_prepare_config();

	config.deadline_ns = hal_now_ns();
	assert_int_equal(prepared_with(&config), NNHAL_MISSED_DEADLINE_PERSISTENT);
	config.deadline_ns = 0;
	assert_int_equal(prepared_with(&config), NNHAL_MISSED_DEADLINE_PERSISTENT);
	config.deadline_ns = hal_now_ns() + 60000000000ll;
	assert_int_equal(prepared_with(&config), NNHAL_NONE);
	config.deadline_ns = INT64_MAX;
	assert_int_equal(prepared_with(&config), NNHAL_NONE);
}

TEST(test_every_preference_and_priority)
{
	struct nnhal_prepare_config config = hal_prepare_config();

	for (config.preference = 0; config.preference <= NNHAL_SUSTAINED_SPEED; config.preference++)
		for (config.priority = 0; config.priority <= NNHAL_PRIORITY_HIGH; config.priority++)
			assert_int_equal(prepared_with(&config), NNHAL_NONE);
}

/* Whatever a client passes for caching does no harm. */
TEST(test_cache_arguments)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 1 };
	const int files[] = { -1 };

	config.model_cache = config.data_cache = files;
	config.num_model_cache = config.num_data_cache = 1;
	config.token = token;
	assert_int_equal(prepared_with(&config), NNHAL_NONE);
}

struct destroyed {
	sem_t done;
	enum nnhal_status status;
	enum nnhal_status supported;
};

static void destroy_in_callback(void *cookie, enum nnhal_status status,
				struct nnhal_prepared_model *model, const char *message)
{
	struct destroyed *d = cookie;
	struct nnmodel *m = hal_model_add();
	bool supported;

	(void)message;
	d->status = status;
	if (model)
		model->ops->destroy(model);
	d->supported = hal_dev->ops->get_supported_operations(hal_dev, m, &supported, NULL, NULL);
	nnmodel_free(m);
	sem_post(&d->done);
}

/* The callback may use the device, and destroy the prepared model. */
TEST(test_destroy_in_callback)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct nnmodel *m = hal_model_add();
	struct destroyed d;

	sem_init(&d.done, 0, 0);
	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, destroy_in_callback, &d),
			 NNHAL_NONE);
	nnmodel_free(m);
	sem_wait(&d.done);
	assert_int_equal(d.status, NNHAL_NONE);
	assert_int_equal(d.supported, NNHAL_NONE);
	sem_destroy(&d.done);
}

/* The device may go first: the callback comes, the model works. */
TEST(test_device_destroyed_first)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct nnhal_execution_config run = hal_config(false);
	struct nnhal_device *dev = hal_open();
	struct hal_prepared *p = hal_prepared_new(), done;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnmodel *m = hal_model_add();
	struct hal_call c;

	assert_int_equal(dev->ops->prepare_model(dev, m, &config, hal_prepared_cb, p), NNHAL_NONE);
	nnmodel_free(m);
	dev->ops->destroy(dev);
	done = hal_prepared_wait(p);
	assert_int_equal(done.status, NNHAL_NONE);
	hal_call_add(&c, false);
	assert_int_equal(hal_run(done.model, HAL_SYNC, &c.request, &run, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	hal_check_add(&c);
	nnhal_execution_result_clear(&result);
	done.model->ops->destroy(done.model);
	hal_call_fini(&c);
}

static void *prepare_many(void *arg)
{
	struct nnhal_prepare_config config = hal_prepare_config();

	(void)arg;
	for (int i = 0; i < 8; i++) {
		struct hal_prepared *p = hal_prepared_new(), done;
		struct nnmodel *m = hal_model_conv();

		if (hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p))
			return p;
		nnmodel_free(m);
		done = hal_prepared_wait(p);
		if (done.status)
			return hal_dev;
		done.model->ops->destroy(done.model);
	}
	return NULL;
}

TEST(test_concurrent)
{
	pthread_t threads[4];
	void *failed;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, prepare_many, NULL), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
}

TEST(test_open_errors)
{
	static const char *const bad[] = {
		"gpu", "cpu:threads=0",	   "cpu:threads=x", "cpu:speed=1",
		"",    "accel0/../accel0", "/dev/null",	    "accel4711"
	};
	struct nnhal_device *dev;
	char message[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		message[0] = '\0';
		assert_true(nnhal_open(bad[i], &dev, message, sizeof(message)) < 0);
		assert_null(dev);
		assert_int_not_equal(message[0], '\0');
	}
}

/* Valid by NNAPI's rules, but no program: another device may run it, so it is no bad argument. */
TEST(test_contradiction)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p = hal_prepared_new(), done;
	struct nnmodel *m = hal_model_add();

	m->main.operands[m->main.outputs[0]].dims[1] = 5;
	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p),
			 NNHAL_NONE);
	done = hal_prepared_wait(p);
	assert_int_equal(done.status, NNHAL_GENERAL_FAILURE);
	assert_int_not_equal(done.message[0], '\0');
	nnmodel_free(m);
}

static int found_cpu(void *cookie, const char *spec)
{
	*(int *)cookie += !strcmp(spec, "cpu");
	return 0;
}

TEST(test_driver)
{
	int cpus = 0;

	assert_int_equal(nnhal_driver.abi_version, NNHAL_ABI_VERSION);
	assert_int_equal(nnhal_driver.size, sizeof(nnhal_driver));
	assert_int_equal(nnhal_driver.enumerate(found_cpu, &cpus), 0);
	assert_int_equal(cpus, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_waiting_call),
		cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_bad_models),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_supported),
		cmocka_unit_test(test_supported_with_subgraphs),
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_every_preference_and_priority),
		cmocka_unit_test(test_cache_arguments),
		cmocka_unit_test(test_destroy_in_callback),
		cmocka_unit_test(test_device_destroyed_first),
		cmocka_unit_test(test_concurrent),
		cmocka_unit_test(test_open_errors),
		cmocka_unit_test(test_driver),
	};

	return cmocka_run_group_tests_name("hal-prepare", tests, hal_setup, hal_teardown);
}
