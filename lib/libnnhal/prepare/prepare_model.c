// SPDX-License-Identifier: Apache-2.0
/*
 * prepareModel and prepareModelFromCache. Arguments, and the integrity of a cache file, are checked
 * in the caller's thread; a worker does the rest. A refusal of the call is answered twice, by the
 * callback and by the return value. Later errors, missed deadlines among them, are answered by the
 * callback alone.
 */
#include "prepare/prepare_model.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnhal_base.h"
#include "values/nnhal_values.h"
#include "cache/nnhal_cache.h"
#include "device/nnhal_device.h"
#include "nnutil_clock.h"

struct task {
	struct nnhal_dev *dev;
	int64_t deadline_ns, call_ns; /* @call_ns: CLOCK_MONOTONIC */
	nnhal_prepared_cb callback;
	void *cookie;
	/* prepareModel */
	struct nnmodel *model;
	struct nnhal_cache_target target;
	uint32_t priority;
	/* prepareModelFromCache */
	bool cached;
	struct nnhal_cache_entry entry;
	/* or the file; nothing in it: the deadline had passed before it was read */
	struct nnhal_program program;
};

static struct task *task_new(struct nnhal_dev *dev, int64_t deadline_ns, int64_t call_ns,
			     nnhal_prepared_cb callback, void *cookie)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->dev = nnhal_dev_get(dev);
	task->deadline_ns = deadline_ns;
	task->call_ns = call_ns;
	task->callback = callback;
	task->cookie = cookie;
	task->target.fd = -1;
	return task;
}

static void task_free(struct task *task)
{
	nnmodel_free(task->model);
	nnhal_cache_target_fini(&task->target);
	nnmodel_free(task->entry.model);
	nnhal_program_free(&task->program, task->dev);
	nnhal_dev_put(task->dev);
	free(task);
}

/* ---- on a worker ---- */

static enum nnhal_status prepare_model_load(struct task *task, const struct nnmodel *model,
					    uint32_t priority, struct nnhal_pm **pm, char *message)
{
	size_t size = task->program.size;
	enum nnhal_status status =
		nnhal_program_fits(task->dev, nnhal_program_bytes(&task->program), size,
				   model->main.num_inputs + model->main.num_outputs, message);
	int ret;

	if (status)
		return status;
	ret = nnhal_pm_create(task->dev, model, &task->program, priority, pm);
	if (ret)
		nnhal_message(message, "no device memory for a program of %zu bytes (error %d)",
			      size, -ret);
	return nnhal_status_of(NNHAL_NO_JOB, ret);
}

static enum nnhal_status load_cached(struct task *task, struct nnhal_pm **pm, char *message)
{
	enum nnhal_status status = nnhal_deadline_missed(task->deadline_ns, task->call_ns);

	if (status)
		return nnhal_refuse(message, status,
				    "the deadline passed before the model was on the device");
	status = prepare_model_load(task, task->entry.model, task->entry.priority, pm, message);
	if (!status)
		nnhal_pm_load_ahead(*pm);
	return status;
}

static enum nnhal_status lower_status(int ret)
{
	/*
	 * The model is valid by NNAPI's rules. An operation that the device lacks, and
	 * contradicting shapes, are GENERAL_FAILURE: clients then try another device, where
	 * INVALID_ARGUMENT would end the compilation.
	 */
	return ret == -EOPNOTSUPP || ret == -EINVAL ? NNHAL_GENERAL_FAILURE
						    : nnhal_status_of(NNHAL_NO_JOB, ret);
}

static bool too_late(void *cookie)
{
	return nnhal_deadline_passed(((struct task *)cookie)->deadline_ns);
}

static void *program_memory(void *cookie, size_t size, size_t shared)
{
	struct task *task = cookie;

	if (nnhal_program_new(&task->program, task->dev, size, shared))
		return NULL;
	return task->program.mem ? task->program.bytes : memset(task->program.bytes, 0, size);
}

static int program_share(void *cookie, void *to, size_t size, int fd, uint64_t offset)
{
	return nnhal_program_share(&((struct task *)cookie)->program, to, size, fd, offset);
}

static enum nnhal_status lower(struct task *task, char *message)
{
	NNHAL_TRACE_PC("lower");
	const struct nnhal_lower_client client = {
		.stop = too_late,
		.memory = program_memory,
		.share = nnhal_program_can_share(task->dev) ? program_share : NULL,
		.cookie = task,
	};
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnhal_lowered lowered;
	enum nnhal_status status = nnhal_deadline_missed(task->deadline_ns, task->call_ns);
	int ret;

	if (status)
		return nnhal_refuse(message, status,
				    "the deadline passed before preparation began");
	ret = nnhal_lower_model_for(&client, task->model, &task->dev->opset, &lowered, &err);
	if (ret == -ETIME || (!ret && too_late(task)))
		return nnhal_refuse(message, NNHAL_MISSED_DEADLINE_TRANSIENT,
				    "the deadline passed during preparation");
	return ret ? nnhal_refuse(message, lower_status(ret), "%s", err.text) : NNHAL_NONE;
}

/*
 * The program has the constants, and loading it takes memory. An entry of the cache is bound to the
 * model by value.
 */
static void drop_values(struct task *task)
{
	if (task->target.fd >= 0)
		return;
	free(task->model->values);
	task->model->values = NULL;
	task->model->values_size = 0;
}

static enum nnhal_status prepare_model_compile(struct task *task, struct nnhal_pm **pm,
					       char *message)
{
	enum nnhal_status status = lower(task, message);
	const void *bytes = task->program.bytes; /* also when the device has them */
	size_t size = task->program.size;

	if (!status) {
		drop_values(task);
		status = prepare_model_load(task, task->model, task->priority, pm, message);
	}
	if (status)
		return status;
	/* before the device has the bytes */
	nnhal_cache_save(task->dev, &task->target, task->model, bytes, size, task->priority);
	nnhal_pm_load_ahead(*pm);
	return status;
}

static void prepare_model_work(void *cookie)
{
	struct task *task = cookie;
	nnhal_prepared_cb callback = task->callback;
	void *client = task->cookie;
	char message[NNHAL_MESSAGE] = "";
	struct nnhal_pm *pm = NULL;
	enum nnhal_status status;

	if (task->cached) {
		NNHAL_TRACE_PC("prepareModelFromCache");

		status = load_cached(task, &pm, message);
		task_free(task);
	} else {
		NNHAL_TRACE_PC("prepareModel");

		status = prepare_model_compile(task, &pm, message);
		task_free(task);
	}
	nnhal_trace_prepared();
	callback(client, status, pm ? &pm->base : NULL, status == NNHAL_NONE ? NULL : message);
}

/* Of a call that started no task. */
static enum nnhal_status prepare_model_answer(nnhal_prepared_cb callback, void *cookie,
					      enum nnhal_status status, const char *message)
{
	nnhal_trace_prepared();
	callback(cookie, status, NULL, message);
	return status;
}

/* ---- prepareModel ---- */

static int prepare_model_validate(const struct nnmodel *model, struct nnmodel_error *err)
{
	NNTRACE_FULL(NNTRACE_LAYER_UTILITY, NNTRACE_PHASE_UNSPECIFIED, "validateModel");

	return nnmodel_validate(model, NULL, err);
}

/* *@given becomes @older if the client's struct is older, hence smaller. */
static enum nnhal_status prepare_model_check(const struct nnmodel *model,
					     const struct nnhal_prepare_config **given,
					     struct nnhal_prepare_config *older, char *message)
{
	const enum nnhal_status bad = NNHAL_INVALID_ARGUMENT;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	const struct nnhal_prepare_config *config;

	if (!model)
		return nnhal_refuse(message, bad, "the model is NULL");
	config = nnhal_prepare_config_upgrade(*given, older, message);
	if (!config)
		return bad;
	*given = config;
	if (config->reserved)
		return nnhal_refuse(message, bad, "reserved bytes of the configuration are not 0");
	if (config->preference > NNHAL_SUSTAINED_SPEED)
		return nnhal_refuse(message, bad, "unknown preference %u", config->preference);
	if (config->priority > NNHAL_PRIORITY_HIGH)
		return nnhal_refuse(message, bad, "unknown priority %u", config->priority);
	if (nnhal_deadline_check(config->deadline_ns, message) ||
	    nnhal_hints_check(config->hints, config->num_hints, config->extensions,
			      config->num_extensions, message))
		return bad;
	if (prepare_model_validate(model, &err))
		return nnhal_refuse(message, bad, "%s", err.text);
	return NNHAL_NONE;
}

enum nnhal_status nnhal_prepare(struct nnhal_dev *dev, const struct nnmodel *model,
				const struct nnhal_prepare_config *config,
				nnhal_prepared_cb callback, void *cookie)
{
	int64_t call_ns = nnutil_monotonic_ns();
	char message[NNHAL_MESSAGE] = "";
	struct nnhal_prepare_config older;
	enum nnhal_status status;
	struct task *task;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	status = nnhal_inherited(dev) ? nnhal_dead(message)
				      : prepare_model_check(model, &config, &older, message);
	if (status)
		return prepare_model_answer(callback, cookie, status, message);

	task = task_new(dev, config->deadline_ns, call_ns, callback, cookie);
	if (task) {
		task->model = nnmodel_clone(model);
		task->priority = config->priority;
		nnhal_cache_target_init(&task->target, config);
		if (task->model && !nnhal_run_async(prepare_model_work, task))
			return NNHAL_NONE;
		task_free(task);
	}
	return prepare_model_answer(callback, cookie, NNHAL_GENERAL_FAILURE,
				    "out of memory or descriptors");
}

/* ---- prepareModelFromCache ---- */

static enum nnhal_status check_cached(int64_t deadline_ns, const int *model_cache,
				      uint32_t num_model_cache, uint32_t num_data_cache,
				      const uint8_t *token, char *message)
{
	const enum nnhal_status bad = NNHAL_INVALID_ARGUMENT;

	if (num_model_cache != NNHAL_NUM_MODEL_CACHE || num_data_cache != NNHAL_NUM_DATA_CACHE)
		return nnhal_refuse(message, bad,
				    "%u model and %u data cache files, %u and %u are needed",
				    num_model_cache, num_data_cache, NNHAL_NUM_MODEL_CACHE,
				    NNHAL_NUM_DATA_CACHE);
	if (!model_cache || !token)
		return nnhal_refuse(message, bad, "the %s is NULL",
				    token ? "list of model cache files" : "token");
	return nnhal_deadline_check(deadline_ns, message);
}

/* A file that cannot be used is one case for the client: it must compile the model. */
static enum nnhal_status cache_status(int ret)
{
	switch (ret) {
	case 0:
		return NNHAL_NONE;
	case -ENOMEM:
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	case -ENODEV:
		return NNHAL_DEVICE_UNAVAILABLE;
	default:
		return NNHAL_GENERAL_FAILURE;
	}
}

static enum nnhal_status read_entry(struct task *task, int fd, const uint8_t *token, char *message)
{
	struct nnhal_program *file = &task->program;
	uint8_t digest[NNHAL_CACHE_DIGEST];
	struct nnhal_cache_key key;
	int ret;

	ret = nnhal_cache_key_init(&key, task->dev, token);
	if (ret)
		nnhal_message(message, "cannot query the device (error %d)", -ret);
	else
		ret = nnhal_cache_read(task->dev, fd, key.max_program, file, digest, message);
	if (!ret)
		ret = nnhal_cache_decode(&key, file->bytes, file->size, digest, &task->entry,
					 message);
	if (!ret) {
		file->offset = (size_t)((const uint8_t *)task->entry.program - file->bytes);
		file->size = task->entry.program_size;
	}
	return cache_status(ret);
}

enum nnhal_status nnhal_prepare_from_cache(struct nnhal_dev *dev, int64_t deadline_ns,
					   const int *model_cache, uint32_t num_model_cache,
					   uint32_t num_data_cache, const uint8_t *token,
					   nnhal_prepared_cb callback, void *cookie)
{
	int64_t call_ns = nnutil_monotonic_ns();
	char message[NNHAL_MESSAGE] = "";
	enum nnhal_status status;
	struct task *task;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	status = nnhal_inherited(dev) ? nnhal_dead(message)
				      : check_cached(deadline_ns, model_cache, num_model_cache,
						     num_data_cache, token, message);
	if (status)
		return prepare_model_answer(callback, cookie, status, message);

	task = task_new(dev, deadline_ns, call_ns, callback, cookie);
	if (!task)
		return prepare_model_answer(callback, cookie, NNHAL_GENERAL_FAILURE,
					    "out of memory");
	task->cached = true;
	if (!nnhal_deadline_passed(deadline_ns))
		status = read_entry(task, model_cache[0], token, message);
	if (!status) {
		if (!nnhal_run_async(prepare_model_work, task))
			return NNHAL_NONE;
		status =
			nnhal_refuse(message, NNHAL_GENERAL_FAILURE, "no thread to load the model");
	}
	task_free(task);
	return prepare_model_answer(callback, cookie, status, message);
}

/* ---- a preparation for clients that have nothing else to do meanwhile ---- */

struct awaited {
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t changed;
	bool answered;
	enum nnhal_status status;
	struct nnhal_prepared_model *model;
	char *message;
	size_t size;
};

static void awaited_answer(void *cookie, enum nnhal_status status,
			   struct nnhal_prepared_model *model, const char *message)
{
	struct awaited *a = cookie;

	/* signalled under the lock: the client's thread frees it as soon as it is answered */
	pthread_mutex_lock(&a->lock);
	a->answered = true;
	a->status = status == NNHAL_NONE && !model ? NNHAL_GENERAL_FAILURE : status;
	a->model = model;
	if (a->size)
		snprintf(a->message, a->size, "%s", a->status && message ? message : "");
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

NNHAL_EXPORT enum nnhal_status nnhal_prepare_model(struct nnhal_device *dev,
						   const struct nnmodel *model,
						   const struct nnhal_prepare_config *config,
						   struct nnhal_prepared_model **prepared,
						   char *message, size_t size)
{
	const struct nnhal_prepare_config defaults = NNHAL_PREPARE_CONFIG_INIT;
	struct awaited a = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.message = message,
		.size = message ? size : 0,
	};

	/* the callback comes once, whatever the call returns */
	dev->ops->prepare_model(dev, model, config ? config : &defaults, awaited_answer, &a);
	pthread_mutex_lock(&a.lock);
	while (!a.answered)
		pthread_cond_wait(&a.changed, &a.lock);
	pthread_mutex_unlock(&a.lock);
	pthread_mutex_destroy(&a.lock);
	pthread_cond_destroy(&a.changed);
	*prepared = a.model;
	return a.status;
}
