// SPDX-License-Identifier: Apache-2.0
/*
 * prepareModel: checks in the caller's thread, the work on a worker. An argument error is answered
 * twice, by the callback and by the return value; everything later by the callback alone, deadlines
 * included.
 */
#include <stdlib.h>

#include "cache.h"
#include "hal.h"
#include "trace.h"

struct prepare_task {
	struct nnhal_dev *dev;
	struct nnmodel *model;
	struct nnhal_cache_target cache;
	uint32_t priority;
	int64_t deadline_ns, call_ns; /* @call_ns: CLOCK_MONOTONIC */
	nnhal_prepared_cb callback;
	void *cookie;
};

static enum nnhal_status lower_status(int ret)
{
	/*
	 * The model is valid by NNAPI's rules: what this device lacks, and shapes that contradict
	 * each other, are failures of ours. Clients then try another device, where INVALID_ARGUMENT
	 * would end the compilation.
	 */
	return ret == -EOPNOTSUPP || ret == -EINVAL ? NNHAL_GENERAL_FAILURE
						    : nnhal_status_of(NNHAL_NO_JOB, ret);
}

static bool too_late(void *cookie)
{
	return nnhal_deadline_passed(((struct prepare_task *)cookie)->deadline_ns);
}

/* A program for the device, or why there is none. */
static enum nnhal_status compile(struct prepare_task *task, struct nnhal_lowered *lowered,
				 char *message)
{
	NNHAL_TRACE_PC("lower");
	const struct nnmodel_subgraph *graph = &task->model->main;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status status;
	int ret;

	status = nnhal_deadline_missed(task->deadline_ns, task->call_ns);
	if (status) {
		nnhal_message(message, "the deadline passed before preparation began");
		return status;
	}
	ret = nnhal_lower_model_until(task->model, &task->dev->opset, too_late, task, lowered,
				      &err);
	if (ret == -ETIME || (!ret && too_late(task))) {
		nnhal_message(message, "the deadline passed during preparation");
		return NNHAL_MISSED_DEADLINE_TRANSIENT;
	}
	if (ret) {
		nnhal_message(message, "%s", err.text);
		return lower_status(ret);
	}
	return nnhal_program_fits(task->dev, lowered->bytes, lowered->size,
				  graph->num_inputs + graph->num_outputs, message);
}

static enum nnhal_status build(struct prepare_task *task, struct nnhal_pm **pm, char *message)
{
	struct nnhal_lowered lowered = { 0 };
	enum nnhal_status status;
	int ret;

	status = compile(task, &lowered, message);
	if (!status) {
		ret = nnhal_pm_create(task->dev, task->model, lowered.bytes, lowered.size,
				      task->priority, pm);
		if (ret)
			nnhal_message(message,
				      "no device memory for a program of %zu bytes (error %d)",
				      lowered.size, -ret);
		status = nnhal_status_of(NNHAL_NO_JOB, ret);
	}
	if (!status)
		nnhal_cache_save(task->dev, &task->cache, task->model, &lowered, task->priority);
	free(lowered.bytes);
	return status;
}

static void task_free(struct prepare_task *task)
{
	nnmodel_free(task->model);
	nnhal_cache_target_fini(&task->cache);
	nnhal_dev_put(task->dev);
	free(task);
}

static void prepare_work(void *cookie)
{
	struct prepare_task *task = cookie;
	nnhal_prepared_cb callback = task->callback;
	void *client = task->cookie;
	char message[NNHAL_MESSAGE] = "";
	struct nnhal_pm *pm = NULL;
	enum nnhal_status status;

	{
		NNHAL_TRACE_PC("prepareModel");

		status = build(task, &pm, message);
		task_free(task);
	}
	nnhal_trace_prepared();
	callback(client, status, pm ? &pm->base : NULL, status == NNHAL_NONE ? NULL : message);
}

static int validate(const struct nnmodel *model, struct nnmodel_error *err)
{
	NNTRACE_FULL(NNTRACE_LAYER_UTILITY, NNTRACE_PHASE_UNSPECIFIED, "validateModel");

	return nnmodel_validate(model, NULL, err);
}

/* *@given becomes @older when the client's is of an older size. */
static enum nnhal_status check(const struct nnmodel *model,
			       const struct nnhal_prepare_config **given,
			       struct nnhal_prepare_config *older, char *message)
{
	const struct nnhal_prepare_config *config;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	if (!model) {
		nnhal_message(message, "the model is NULL");
		return NNHAL_INVALID_ARGUMENT;
	}
	config = nnhal_prepare_config_known(*given, older, message);
	if (!config)
		return NNHAL_INVALID_ARGUMENT;
	*given = config;
	if (config->reserved) {
		nnhal_message(message, "reserved bytes of the configuration are not 0");
		return NNHAL_INVALID_ARGUMENT;
	}
	if (config->preference > NNHAL_SUSTAINED_SPEED) {
		nnhal_message(message, "unknown preference %u", config->preference);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (config->priority > NNHAL_PRIORITY_HIGH) {
		nnhal_message(message, "unknown priority %u", config->priority);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (!nnhal_time_valid(config->deadline_ns)) {
		nnhal_message(message, "negative deadline %lld", (long long)config->deadline_ns);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (nnhal_hints_check(config->hints, config->num_hints, config->extensions,
			      config->num_extensions, message))
		return NNHAL_INVALID_ARGUMENT;
	if (validate(model, &err)) {
		nnhal_message(message, "%s", err.text);
		return NNHAL_INVALID_ARGUMENT;
	}
	return NNHAL_NONE;
}

enum nnhal_status nnhal_prepare(struct nnhal_dev *dev, const struct nnmodel *model,
				const struct nnhal_prepare_config *config,
				nnhal_prepared_cb callback, void *cookie)
{
	int64_t call_ns = nnhal_monotonic_ns();
	char message[NNHAL_MESSAGE] = "";
	struct nnhal_prepare_config older;
	struct prepare_task *task;
	enum nnhal_status status;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	status = nnhal_inherited(dev) ? nnhal_dead(message)
				      : check(model, &config, &older, message);
	if (status)
		goto answer;

	status = NNHAL_GENERAL_FAILURE;
	nnhal_message(message, "out of memory or descriptors");
	task = calloc(1, sizeof(*task));
	if (!task)
		goto answer;
	*task = (struct prepare_task){
		.dev = nnhal_dev_get(dev),
		.model = nnmodel_clone(model),
		.priority = config->priority,
		.deadline_ns = config->deadline_ns,
		.call_ns = call_ns,
		.callback = callback,
		.cookie = cookie,
	};
	nnhal_cache_target_init(&task->cache, config);
	if (task->model && !nnhal_run_async(prepare_work, task))
		return NNHAL_NONE;
	task_free(task);
answer:
	nnhal_trace_prepared();
	callback(cookie, status, NULL, message);
	return status;
}
