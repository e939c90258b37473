// SPDX-License-Identifier: Apache-2.0
/*
 * prepareModelFromCache: arguments and integrity are judged in the call, whose answer and callback
 * then say the same; bringing the program to the device is a worker's. A deadline is told by the
 * callback alone.
 */
#include <stdlib.h>

#include "cache/entry.h"
#include "base/trace.h"

struct cached_task {
	struct nnhal_dev *dev;
	struct nnhal_cache_entry entry;
	void *bytes; /* of the file; NULL: it was too late to read it */
	int64_t deadline_ns, call_ns; /* @call_ns: CLOCK_MONOTONIC */
	nnhal_prepared_cb callback;
	void *cookie;
};

static void task_free(struct cached_task *task)
{
	nnmodel_free(task->entry.model);
	free(task->bytes);
	nnhal_dev_put(task->dev);
	free(task);
}

static enum nnhal_status load(struct cached_task *task, struct nnhal_pm **pm, char *message)
{
	const struct nnhal_cache_entry *e = &task->entry;
	enum nnhal_status status;
	int ret;

	status = nnhal_deadline_missed(task->deadline_ns, task->call_ns);
	if (status) {
		nnhal_message(message, "the deadline passed before the model was on the device");
		return status;
	}
	status = nnhal_program_fits(task->dev, e->program, e->program_size,
				    e->model->main.num_inputs + e->model->main.num_outputs,
				    message);
	if (status)
		return status;
	ret = nnhal_pm_create(task->dev, e->model, e->program, e->program_size, e->priority, pm);
	if (ret)
		nnhal_message(message, "no device memory for a program of %zu bytes (error %d)",
			      e->program_size, -ret);
	return nnhal_status_of(NNHAL_NO_JOB, ret);
}

static void load_work(void *cookie)
{
	struct cached_task *task = cookie;
	nnhal_prepared_cb callback = task->callback;
	void *client = task->cookie;
	char message[NNHAL_MESSAGE] = "";
	struct nnhal_pm *pm = NULL;
	enum nnhal_status status;

	{
		NNHAL_TRACE_PC("prepareModelFromCache");

		status = load(task, &pm, message);
		task_free(task);
	}
	nnhal_trace_prepared();
	callback(client, status, pm ? &pm->base : NULL, status == NNHAL_NONE ? NULL : message);
}

static enum nnhal_status check(int64_t deadline_ns, const int *model_cache,
			       uint32_t num_model_cache, uint32_t num_data_cache,
			       const uint8_t *token, char *message)
{
	if (num_model_cache != NNHAL_NUM_MODEL_CACHE || num_data_cache != NNHAL_NUM_DATA_CACHE ||
	    !model_cache) {
		nnhal_message(message,
			      "%u model and %u data cache files given, there are %u and %u",
			      num_model_cache, num_data_cache, NNHAL_NUM_MODEL_CACHE,
			      NNHAL_NUM_DATA_CACHE);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (!token) {
		nnhal_message(message, "no token");
		return NNHAL_INVALID_ARGUMENT;
	}
	if (!nnhal_time_valid(deadline_ns)) {
		nnhal_message(message, "negative deadline %lld", (long long)deadline_ns);
		return NNHAL_INVALID_ARGUMENT;
	}
	return NNHAL_NONE;
}

/* Whatever is wrong with the file is one thing to the client: it must compile. */
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

static enum nnhal_status read_entry(struct cached_task *task, int fd, const uint8_t *token,
				    char *message)
{
	struct nnhal_cache_key key;
	size_t size;
	int ret;

	ret = nnhal_cache_key_init(&key, task->dev, token);
	if (ret)
		nnhal_message(message, "cannot query the device (error %d)", -ret);
	else
		ret = nnhal_cache_read(fd, key.max_program, &task->bytes, &size, message);
	if (!ret)
		ret = nnhal_cache_decode(&key, task->bytes, size, &task->entry, message);
	return cache_status(ret);
}

enum nnhal_status nnhal_prepare_from_cache(struct nnhal_dev *dev, int64_t deadline_ns,
					   const int *model_cache, uint32_t num_model_cache,
					   const int *data_cache, uint32_t num_data_cache,
					   const uint8_t *token, nnhal_prepared_cb callback,
					   void *cookie)
{
	int64_t call_ns = nnhal_monotonic_ns();
	char message[NNHAL_MESSAGE] = "";
	struct cached_task *task;
	enum nnhal_status status;

	(void)data_cache;
	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	status = nnhal_inherited(dev) ? nnhal_dead(message)
				      : check(deadline_ns, model_cache, num_model_cache,
					      num_data_cache, token, message);
	if (status)
		goto answer;
	status = NNHAL_GENERAL_FAILURE;
	nnhal_message(message, "out of memory");
	task = calloc(1, sizeof(*task));
	if (!task)
		goto answer;
	*task = (struct cached_task){
		.dev = nnhal_dev_get(dev),
		.deadline_ns = deadline_ns,
		.call_ns = call_ns,
		.callback = callback,
		.cookie = cookie,
	};
	status = NNHAL_NONE;
	if (!nnhal_deadline_passed(deadline_ns))
		status = read_entry(task, model_cache[0], token, message);
	if (!status) {
		if (!nnhal_run_async(load_work, task))
			return NNHAL_NONE;
		status = NNHAL_GENERAL_FAILURE;
		nnhal_message(message, "no thread to load the model");
	}
	task_free(task);
answer:
	nnhal_trace_prepared();
	callback(cookie, status, NULL, message);
	return status;
}
