// SPDX-License-Identifier: Apache-2.0
/* Older interfaces: newer features are refused, the others work as before. */
#include "hal_test.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_device.h"

static struct nnhal_device *view_as(enum nnhal_version version)
{
	struct nnhal_device *view;

	assert_int_equal(nnhal_view_create(hal_dev, version, &view), 0);
	return view;
}

static enum nnhal_status supports(enum nnhal_version version, const struct nnmodel *m)
{
	struct nnhal_device *view = view_as(version);
	struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p = hal_prepared_new(), done;
	bool supported[8];
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status status, prepared;

	status = view->ops->get_supported_operations(view, m, supported, NULL, &err);
	prepared = view->ops->prepare_model(view, m, &config, hal_prepared_cb, p);
	done = hal_prepared_wait(p);
	/* both, and the callback, say the same of a model */
	assert_int_equal(prepared, status);
	if (status)
		assert_int_equal(done.status, status);
	if (done.model)
		done.model->ops->destroy(done.model);
	view->ops->destroy(view);
	return status;
}

TEST(test_create)
{
	struct nnhal_device *view;

	assert_true(nnhal_view_create(NULL, NNHAL_AIDL_V1, &view) < 0);
	assert_null(view);
	assert_true(nnhal_view_create(hal_dev, (enum nnhal_version)(NNHAL_NATIVE + 1), &view) < 0);
	for (int v = NNHAL_HIDL_1_0; v <= NNHAL_NATIVE; v++) {
		view = view_as((enum nnhal_version)v);
		assert_int_equal(view->ops->feature_level(view), v < NNHAL_NATIVE ? v + 1 : 8);
		assert_string_equal(view->ops->name(view), hal_dev->ops->name(hal_dev));
		assert_int_equal(view->ops->type(view), hal_dev->ops->type(hal_dev));
		assert_int_equal(view->ops->get_status(view), NNHAL_AVAILABLE);
		view->ops->destroy(view);
	}
}

/* Memory, information and counters of any device: through views, and with tables that lack them. */
TEST(test_beyond)
{
	struct nnhal_device_ops ops = *hal_dev->ops;
	struct nnhal_device foreign = { &ops }, none = { NULL };
	struct nnhal_device_info info = { .size = sizeof(info) },
				 behind = { .size = sizeof(behind) };
	struct nnhal_counters counters = { .size = sizeof(counters) },
			      before = { .size = sizeof(before) };
	struct nnhal_device *view = view_as(NNHAL_HIDL_1_0);
	struct nnhal_prepared_model *pm;
	struct nnhal_execution_config config = hal_config(false);
	const long page = sysconf(_SC_PAGESIZE);
	struct hal_call c;
	int fd;

	assert_int_equal(nnhal_device_get_info(hal_dev, &behind), 0);
	assert_int_equal(nnhal_device_get_info(view, &info), 0);
	assert_memory_equal(&info, &behind, sizeof(info));
	assert_int_equal(nnhal_device_get_counters(view, &before), 0);
	pm = hal_prepare(hal_dev, hal_model_add());
	hal_call_add(&c, false);
	assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME), NNHAL_NONE);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	assert_int_equal(nnhal_device_get_counters(view, &counters), 0);
	assert_int_equal(counters.executions, before.executions + 1);
	assert_int_equal(nnhal_memory_create(view, (uint64_t)page, &fd), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), page);
	close(fd);
	view->ops->destroy(view);

	for (int without = 0; without < 2; without++) {
		if (without) {
			ops = *hal_dev->ops;
			ops.create_memory = NULL;
			ops.get_info = NULL;
			ops.get_counters = NULL;
		} else {
			/*
			 * a shorter table of an older library: a view of it works, and answers the
			 * same
			 */
			ops.size = offsetof(struct nnhal_device_ops, create_memory);
			memset((char *)&ops + ops.size, 0xa5, sizeof(ops) - ops.size);
		}
		assert_int_equal(nnhal_view_create(&foreign, NNHAL_NATIVE, &view), 0);
		for (int i = 0; i < 2; i++) {
			struct nnhal_device *dev = i ? view : &foreign;

			memset(&info, 0xa5, sizeof(info));
			info.size = sizeof(info);
			memset(&counters, 0xa5, sizeof(counters));
			counters.size = sizeof(counters);
			fd = 0;
			assert_int_equal(nnhal_memory_create(dev, 4096, &fd), -EOPNOTSUPP);
			assert_int_equal(fd, -1);
			assert_int_equal(nnhal_device_get_info(dev, &info), -EOPNOTSUPP);
			assert_int_equal(info.fw_version, 0);
			assert_int_equal(nnhal_device_get_counters(dev, &counters), -EOPNOTSUPP);
			assert_int_equal(counters.executions, 0);
		}
		view->ops->destroy(view);
	}
	/* the functions of IDevice itself are required */
	ops.size = offsetof(struct nnhal_device_ops, create_memory) - 1;
	assert_int_equal(nnhal_view_create(&foreign, NNHAL_NATIVE, &view), -EINVAL);
	assert_int_equal(nnhal_view_create(&none, NNHAL_NATIVE, &view), -EINVAL);
	assert_int_equal(nnhal_memory_create(&none, 4096, &fd), -EINVAL);
	assert_int_equal(nnhal_device_get_info(NULL, &info), -EINVAL);
	assert_int_equal(nnhal_device_get_counters(NULL, &counters), -EINVAL);
}

static struct nnmodel *unary(uint32_t opcode, uint32_t type, float scale)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t in = hal_tensor(m, type, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(2, 2), 2, scale, 0);
	uint32_t out = hal_tensor(m, type, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(2, 2), 2, scale, 0);

	assert_true(nnmodel_add_operation(m, opcode, HAL_LIST(in), HAL_LIST(out)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(in), HAL_LIST(out)), 0);
	return m;
}

/* From its first version on, never before. */
static void begins(struct nnmodel *m, enum nnhal_version first)
{
	for (int v = NNHAL_HIDL_1_0; v <= NNHAL_NATIVE; v++)
		assert_int_equal(supports((enum nnhal_version)v, m),
				 v < (int)first ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE);
	nnmodel_free(m);
}

TEST(test_feature_levels)
{
	struct nnmodel *relaxed = hal_model_add();

	begins(hal_model_add(), NNHAL_HIDL_1_0);
	relaxed->relaxed = true;
	begins(relaxed, NNHAL_HIDL_1_1);
	begins(unary(NNMODEL_ABS, NNMODEL_TENSOR_FLOAT32, 0), NNHAL_HIDL_1_2);
	begins(unary(NNMODEL_RELU, NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, 0.5f), NNHAL_HIDL_1_3);
}

/* IF whose branches are RELU and TANH of one tensor of shape @dims. */
static struct nnmodel *model_if(uint32_t dim)
{
	struct nnmodel *branch[2], *m = nnmodel_new();
	uint32_t cond, in, out, graph[2];

	for (int i = 0; i < 2; i++) {
		branch[i] = unary(i ? NNMODEL_TANH : NNMODEL_RELU, NNMODEL_TENSOR_FLOAT32, 0);
		for (int k = 0; k < 2; k++)
			branch[i]->main.operands[k].dims[0] = dim;
	}
	cond = hal_tensor(m, NNMODEL_TENSOR_BOOL8, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(1), 1, 0, 0);
	in = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(dim, 2), 2, 0,
			0);
	out = hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, HAL_DIMS(dim, 2), 2, 0,
			 0);
	m->referenced = calloc(2, sizeof(*m->referenced));
	assert_non_null(m->referenced);
	m->num_referenced = 2;
	for (uint32_t i = 0; i < 2; i++) {
		m->referenced[i] = branch[i]->main;
		memset(&branch[i]->main, 0, sizeof(branch[i]->main));
		nnmodel_free(branch[i]);
		graph[i] =
			hal_tensor(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);
		m->main.operands[graph[i]].location.offset = i;
	}
	assert_true(nnmodel_add_operation(m, NNMODEL_IF, HAL_LIST(cond, graph[0], graph[1], in),
					  HAL_LIST(out)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(cond, in), HAL_LIST(out)), 0);
	return m;
}

/* Unknown sizes inside control flow are native only. */
TEST(test_control_flow)
{
	struct nnmodel *inner = model_if(2);

	begins(model_if(2), NNHAL_HIDL_1_3);
	begins(model_if(0), NNHAL_NATIVE);
	inner->referenced[1].operands[0].dims[0] = 0;
	begins(inner, NNHAL_NATIVE);
}

TEST(test_capabilities)
{
	struct nnhal_capabilities now = { .size = sizeof(now) }, old = { .size = sizeof(old) };

	assert_int_equal(hal_dev->ops->get_capabilities(hal_dev, &now), NNHAL_NONE);
	for (int v = NNHAL_HIDL_1_0; v <= NNHAL_NATIVE; v++) {
		struct nnhal_device *view = view_as((enum nnhal_version)v);

		assert_int_equal(view->ops->get_capabilities(view, &old), NNHAL_NONE);
		assert_true(old.operand[NNMODEL_TENSOR_FLOAT32].exec_time ==
			    now.operand[NNMODEL_TENSOR_FLOAT32].exec_time);
		assert_true((old.operand[NNMODEL_TENSOR_FLOAT16].exec_time == FLT_MAX) ==
			    (v < NNHAL_HIDL_1_2 ||
			     now.operand[NNMODEL_TENSOR_FLOAT16].exec_time == FLT_MAX));
		assert_true(
			(old.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED].exec_time == FLT_MAX) ==
			(v < NNHAL_HIDL_1_3 ||
			 now.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED].exec_time == FLT_MAX));
		if (v < NNHAL_HIDL_1_3)
			assert_true(old.while_performance.exec_time == FLT_MAX);
		view->ops->destroy(view);
	}
}

static enum nnhal_status prepare_with(enum nnhal_version version,
				      const struct nnhal_prepare_config *config,
				      struct nnhal_prepared_model **model)
{
	struct nnhal_device *view = view_as(version);
	struct hal_prepared *p = hal_prepared_new(), done;
	struct nnmodel *m = hal_model_add();

	view->ops->prepare_model(view, m, config, hal_prepared_cb, p);
	nnmodel_free(m);
	done = hal_prepared_wait(p);
	view->ops->destroy(view);
	if (model)
		*model = done.model;
	else if (done.model)
		done.model->ops->destroy(done.model);
	return done.status;
}

TEST(test_prepare_arguments)
{
	const struct nnhal_token_value hint = { .token = 1 };

	for (int v = NNHAL_HIDL_1_0; v <= NNHAL_NATIVE; v++) {
		struct nnhal_prepare_config config = hal_prepare_config();

		config.preference = NNHAL_LOW_POWER;
		assert_int_equal(prepare_with((enum nnhal_version)v, &config, NULL),
				 v < NNHAL_HIDL_1_1 ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE);
		config = hal_prepare_config();
		config.priority = NNHAL_PRIORITY_HIGH;
		assert_int_equal(prepare_with((enum nnhal_version)v, &config, NULL),
				 v < NNHAL_HIDL_1_3 ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE);
		config = hal_prepare_config();
		config.hints = &hint;
		config.num_hints = 1;
		assert_int_equal(prepare_with((enum nnhal_version)v, &config, NULL),
				 v < NNHAL_AIDL_V4 ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE);
	}
}

/* Which methods each version has. */
TEST(test_methods)
{
	for (int v = NNHAL_HIDL_1_0; v <= NNHAL_NATIVE; v++) {
		const bool has[HAL_EXECUTORS] = {
			[HAL_SYNC] = v >= NNHAL_HIDL_1_2,
			[HAL_ASYNC] = v <= NNHAL_HIDL_1_3 || v == NNHAL_NATIVE,
			[HAL_FENCED] = v >= NNHAL_HIDL_1_3,
		};
		struct nnhal_prepare_config prepare = hal_prepare_config();
		struct nnhal_execution_config config = hal_config(false);
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
		struct nnhal_prepared_model *pm;
		struct nnhal_execution *execution;
		struct nnhal_burst *burst;
		static const int64_t none[] = { -1, -1 };
		struct hal_call c;

		assert_int_equal(prepare_with((enum nnhal_version)v, &prepare, &pm), NNHAL_NONE);
		hal_call_add(&c, false);
		for (int how = 0; how < HAL_EXECUTORS; how++) {
			assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME,
						 &result),
					 has[how] ? NNHAL_NONE : NNHAL_GENERAL_FAILURE);
			/* the first versions have no shapes */
			if (v < NNHAL_HIDL_1_2)
				assert_int_equal(result.num_shapes, 0);
			nnhal_execution_result_clear(&result);
			if (!has[how])
				continue;
			hal_check_add(&c);
			assert_int_equal(hal_run(pm, how, &c.request, &config,
						 hal_now_ns() + 60000000000ll, &result),
					 v < NNHAL_HIDL_1_3 ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE);
			nnhal_execution_result_clear(&result);
			c.inputs[0].padding = 1;
			assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME,
						 &result),
					 v < NNHAL_AIDL_V1 ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE);
			nnhal_execution_result_clear(&result);
			c.inputs[0].padding = 0;
		}
		assert_int_equal(pm->ops->configure_burst(pm, &burst),
				 v < NNHAL_HIDL_1_2 ? NNHAL_GENERAL_FAILURE : NNHAL_NONE);
		if (burst) {
			assert_int_equal(burst->ops->execute_synchronously(burst, &c.request, none,
									   2, &config,
									   NNHAL_NO_TIME, &result),
					 NNHAL_NONE);
			nnhal_execution_result_clear(&result);
			burst->ops->destroy(burst);
		}
		assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config,
								    &execution),
				 v < NNHAL_AIDL_V4 ? NNHAL_GENERAL_FAILURE : NNHAL_NONE);
		if (execution)
			execution->ops->destroy(execution);
		hal_call_fini(&c);
		pm->ops->destroy(pm);
	}
}

/* Before 1.2 the request has the shape of every output. */
TEST(test_unknown_outputs)
{
	struct nnhal_device *view = view_as(NNHAL_HIDL_1_1);
	struct nnhal_prepared_model *pm = hal_prepare(view, hal_model_add_dynamic());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	hal_call_add(&c, false);
	c.inputs[0].rank = 2;
	c.inputs[0].dims = HAL_DIMS(2, 2);
	c.inputs[1].rank = 1;
	c.inputs[1].dims = HAL_DIMS(2);
	assert_int_equal(hal_status(pm, HAL_ASYNC, &c.request, &config, NNHAL_NO_TIME),
			 NNHAL_INVALID_ARGUMENT);
	c.outputs[0].rank = 2;
	c.outputs[0].dims = HAL_DIMS(2, 2);
	assert_int_equal(hal_run(pm, HAL_ASYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	hal_check_add(&c);
	nnhal_execution_result_clear(&result);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	view->ops->destroy(view);
}

TEST(test_buffers)
{
	const struct nnhal_buffer_role role = { 0, 0, 1.0f };
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };

	for (int v = NNHAL_HIDL_1_0; v <= NNHAL_NATIVE; v++) {
		struct nnhal_device *view = view_as((enum nnhal_version)v);
		struct nnhal_prepared_model *pm = hal_prepare(view, hal_model_add());
		struct nnhal_buffer *buffer;
		uint32_t token;

		assert_int_equal(view->ops->allocate(view, &desc, &pm, 1, &role, 1, NULL, 0,
						     &buffer, &token),
				 v < NNHAL_HIDL_1_3 ? NNHAL_GENERAL_FAILURE : NNHAL_NONE);
		if (buffer)
			buffer->ops->destroy(buffer);
		pm->ops->destroy(pm);
		view->ops->destroy(view);
	}
}

/* ---- a device whose process died ---- */

static enum nnhal_status dead_prepare(struct nnhal_device *dev, const struct nnmodel *model,
				      const struct nnhal_prepare_config *config,
				      nnhal_prepared_cb callback, void *cookie)
{
	(void)dev;
	(void)model;
	(void)config;
	callback(cookie, NNHAL_DEAD_OBJECT, NULL, "its process died");
	return NNHAL_DEAD_OBJECT;
}

static enum nnhal_status dead_allocate(struct nnhal_device *dev,
				       const struct nnhal_buffer_desc *desc,
				       struct nnhal_prepared_model *const *models,
				       uint32_t num_models, const struct nnhal_buffer_role *inputs,
				       uint32_t num_inputs, const struct nnhal_buffer_role *outputs,
				       uint32_t num_outputs, struct nnhal_buffer **buffer,
				       uint32_t *token)
{
	(void)dev;
	(void)desc;
	(void)models;
	(void)num_models;
	(void)inputs;
	(void)num_inputs;
	(void)outputs;
	(void)num_outputs;
	*buffer = NULL;
	*token = 0;
	return NNHAL_DEAD_OBJECT;
}

static enum nnhal_status dead_execute(struct nnhal_prepared_model *model,
				      const struct nnhal_request *request,
				      const struct nnhal_execution_config *config,
				      int64_t deadline_ns, nnhal_execution_cb callback,
				      void *cookie)
{
	static const struct nnhal_execution_result none = NNHAL_EXECUTION_RESULT_INIT;

	(void)model;
	(void)request;
	(void)config;
	(void)deadline_ns;
	callback(cookie, NNHAL_DEAD_OBJECT, &none);
	return NNHAL_DEAD_OBJECT;
}

static enum nnhal_status dead_sync(struct nnhal_prepared_model *model,
				   const struct nnhal_request *request,
				   const struct nnhal_execution_config *config, int64_t deadline_ns,
				   struct nnhal_execution_result *result)
{
	(void)model;
	(void)request;
	(void)config;
	(void)deadline_ns;
	(void)result;
	return NNHAL_DEAD_OBJECT;
}

static enum nnhal_status dead_fenced(struct nnhal_prepared_model *model,
				     const struct nnhal_request *request, const int *wait_for,
				     uint32_t num_wait_for,
				     const struct nnhal_execution_config *config,
				     int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				     struct nnhal_fenced_callback **callback)
{
	(void)model;
	(void)request;
	(void)wait_for;
	(void)num_wait_for;
	(void)config;
	(void)deadline_ns;
	(void)duration_ns;
	*sync_fence = -1;
	*callback = NULL;
	return NNHAL_DEAD_OBJECT;
}

static enum nnhal_status dead_burst(struct nnhal_prepared_model *model, struct nnhal_burst **burst)
{
	(void)model;
	*burst = NULL;
	return NNHAL_DEAD_OBJECT;
}

static void model_destroy(struct nnhal_prepared_model *model)
{
	(void)model;
}

static enum nnhal_status late_prepare(struct nnhal_device *dev, const struct nnmodel *model,
				      const struct nnhal_prepare_config *config,
				      nnhal_prepared_cb callback, void *cookie)
{
	static const struct nnhal_prepared_model_ops ops = {
		.size = sizeof(ops),
		.destroy = model_destroy,
		.execute = dead_execute,
		.execute_synchronously = dead_sync,
		.execute_fenced = dead_fenced,
		.configure_burst = dead_burst,
	};
	static struct nnhal_prepared_model dead = { &ops };

	(void)dev;
	(void)model;
	(void)config;
	callback(cookie, NNHAL_NONE, &dead, NULL);
	return NNHAL_NONE;
}

/* HIDL has no word for it but that the device cannot be reached; newer interfaces say it. */
TEST(test_dead)
{
	struct nnmodel *m = hal_model_add();

	failing_with = NNHAL_DEAD_OBJECT;
	for (int v = NNHAL_HIDL_1_0; v <= NNHAL_NATIVE; v++) {
		const enum nnhal_status dead = v <= NNHAL_HIDL_1_3 ? NNHAL_DEVICE_UNAVAILABLE
								   : NNHAL_DEAD_OBJECT;
		struct nnhal_capabilities caps = { .size = sizeof(caps) };
		struct nnhal_prepare_config prepare = hal_prepare_config();
		struct nnhal_execution_config config = hal_config(false);
		struct nnhal_device_ops ops = *hal_dev->ops;
		struct nnhal_device dying = { &ops }, *view;
		struct hal_prepared *p = hal_prepared_new(), done;
		const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
		struct nnhal_buffer *buffer;
		struct nnhal_burst *burst;
		struct hal_call c;
		bool supported[1];
		uint32_t token;

		ops.get_capabilities = failing_capabilities;
		ops.get_supported_operations = failing_supported;
		ops.prepare_model = dead_prepare;
		ops.allocate = dead_allocate;
		assert_int_equal(nnhal_view_create(&dying, (enum nnhal_version)v, &view), 0);
		assert_int_equal(view->ops->get_capabilities(view, &caps), dead);
		assert_int_equal(
			view->ops->get_supported_operations(view, m, supported, NULL, NULL), dead);
		assert_int_equal(view->ops->prepare_model(view, m, &prepare, hal_prepared_cb, p),
				 dead);
		assert_int_equal(hal_prepared_wait(p).status, dead);

		ops.prepare_model = late_prepare;
		p = hal_prepared_new();
		assert_int_equal(view->ops->prepare_model(view, m, &prepare, hal_prepared_cb, p),
				 NNHAL_NONE);
		done = hal_prepared_wait(p);
		assert_int_equal(done.status, NNHAL_NONE);
		if (v >= NNHAL_HIDL_1_3)
			assert_int_equal(view->ops->allocate(view, &desc, &done.model, 1, NULL, 0,
							     NULL, 0, &buffer, &token),
					 dead);
		hal_call_add(&c, false);
		for (int how = 0; how < HAL_EXECUTORS; how++) {
			const bool has[HAL_EXECUTORS] = {
				[HAL_SYNC] = v >= NNHAL_HIDL_1_2,
				[HAL_ASYNC] = v <= NNHAL_HIDL_1_3 || v == NNHAL_NATIVE,
				[HAL_FENCED] = v >= NNHAL_HIDL_1_3,
			};

			if (!has[how])
				continue;
			assert_int_equal(hal_status(done.model, how, &c.request, &config,
						    NNHAL_NO_TIME),
					 dead);
		}
		if (v >= NNHAL_HIDL_1_2)
			assert_int_equal(done.model->ops->configure_burst(done.model, &burst),
					 dead);
		hal_call_fini(&c);
		done.model->ops->destroy(done.model);
		view->ops->destroy(view);
	}
	nnmodel_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create),	       cmocka_unit_test(test_beyond),
		cmocka_unit_test(test_feature_levels), cmocka_unit_test(test_control_flow),
		cmocka_unit_test(test_capabilities),   cmocka_unit_test(test_prepare_arguments),
		cmocka_unit_test(test_methods),	       cmocka_unit_test(test_unknown_outputs),
		cmocka_unit_test(test_buffers),	       cmocka_unit_test(test_dead),
	};

	return cmocka_run_group_tests_name("hal-views", tests, hal_setup, hal_teardown);
}
