// SPDX-License-Identifier: Apache-2.0
/*
 * fence=1: fenced executions return at once, with a fence that signals when a thread has run them.
 * It is a fence of user space, which an execution that fails ends in error.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_fence.h"
#include "nnutil_process.h"
#include "testdev.h"

struct fenced {
	struct nnhal_fenced_callback base;
	atomic_uint refs; /* user, thread */
	struct testdev_link *link;
	struct nnhal_prepared_model *inner;
	int signal; /* the end of the fence that is kept here */
	/* own copies */
	struct nnhal_request request;
	struct nnhal_request_argument *args;
	struct nnhal_request_pool *pools;
	uint32_t *dims;
	int *wait_for;
	uint32_t num_wait_for;
	struct nnhal_execution_config config;
	int64_t deadline_ns;
	/* of the execution that ended */
	atomic_bool done;
	enum nnhal_status status;
	struct nnhal_timing timing;
};

static void fenced_put(struct fenced *f)
{
	if (atomic_fetch_sub(&f->refs, 1) != 1)
		return;
	for (uint32_t i = 0; f->pools && i < f->request.num_pools; i++)
		if (!f->pools[i].is_token && f->pools[i].memory.fd >= 0)
			close(f->pools[i].memory.fd);
	for (uint32_t i = 0; f->wait_for && i < f->num_wait_for; i++)
		close(f->wait_for[i]);
	testdev_link_put(f->link);
	free(f->args);
	free(f->pools);
	free(f->dims);
	free(f->wait_for);
	free(f);
}

static void fenced_destroy(struct nnhal_fenced_callback *base)
{
	fenced_put((struct fenced *)base);
}

static enum nnhal_status fenced_info(struct nnhal_fenced_callback *base,
				     struct nnhal_timing *launched, struct nnhal_timing *fenced)
{
	struct fenced *f = (struct fenced *)base;

	*launched = *fenced = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	if (!atomic_load(&f->done))
		return NNHAL_GENERAL_FAILURE;
	if (f->status == NNHAL_NONE)
		*launched = *fenced = f->timing;
	return f->status;
}

static const struct nnhal_fenced_callback_ops fenced_ops = {
	.size = sizeof(fenced_ops),
	.destroy = fenced_destroy,
	.get_execution_info = fenced_info,
};

/* A copy of the request: the caller's does not exist any more when the thread runs. */
static bool copy_request(struct fenced *f, const struct nnhal_request *r, const int *wait_for,
			 uint32_t num_wait_for)
{
	const uint32_t num_args = r->num_inputs + r->num_outputs;
	size_t num_dims = 1;
	uint32_t *dims;

	for (uint32_t i = 0; i < num_args; i++)
		num_dims += i < r->num_inputs ? r->inputs[i].rank
					      : r->outputs[i - r->num_inputs].rank;
	f->args = calloc((size_t)num_args + 1, sizeof(*f->args));
	f->pools = calloc((size_t)r->num_pools + 1, sizeof(*f->pools));
	f->dims = calloc(num_dims, sizeof(*f->dims));
	f->wait_for = calloc((size_t)num_wait_for + 1, sizeof(*f->wait_for));
	if (!f->args || !f->pools || !f->dims || !f->wait_for)
		return false;
	dims = f->dims;
	for (uint32_t i = 0; i < num_args; i++) {
		f->args[i] = i < r->num_inputs ? r->inputs[i] : r->outputs[i - r->num_inputs];
		if (f->args[i].rank)
			memcpy(dims, f->args[i].dims, f->args[i].rank * sizeof(*dims));
		f->args[i].dims = dims;
		dims += f->args[i].rank;
	}
	for (uint32_t i = 0; i < r->num_pools; i++) {
		f->pools[i] = r->pools[i];
		if (!f->pools[i].is_token)
			f->pools[i].memory.fd = fcntl(r->pools[i].memory.fd, F_DUPFD_CLOEXEC, 0);
	}
	for (; f->num_wait_for < num_wait_for; f->num_wait_for++)
		f->wait_for[f->num_wait_for] = fcntl(wait_for[f->num_wait_for], F_DUPFD_CLOEXEC, 0);
	f->request = (struct nnhal_request){
		.size = sizeof(struct nnhal_request),
		.inputs = f->args,
		.num_inputs = r->num_inputs,
		.outputs = f->args + r->num_inputs,
		.num_outputs = r->num_outputs,
		.pools = f->pools,
		.num_pools = r->num_pools,
	};
	return true;
}

static void *run(void *cookie)
{
	struct fenced *f = cookie;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	f->status = NNHAL_NONE;
	for (uint32_t i = 0; i < f->num_wait_for; i++) {
		struct pollfd p = { .fd = f->wait_for[i], .events = POLLIN };

		poll(&p, 1, -1);
		if (nnutil_fence_status(f->wait_for[i], NULL) != 1)
			f->status = NNHAL_GENERAL_FAILURE;
	}
	testdev_sleep(f->link->config->delay_ms);
	if (!f->status && !testdev_fails(f->link->config, TESTDEV_EXECUTE, &f->status)) {
		f->status = f->inner->ops->execute_synchronously(f->inner, &f->request, &f->config,
								 f->deadline_ns, &result);
		f->timing = result.timing;
		nnhal_execution_result_clear(&result);
	}
	atomic_store(&f->done, true);
	nnutil_fence_signal(f->signal, f->status == NNHAL_NONE ? 0 : -EIO);
	fenced_put(f);
	return NULL;
}

enum nnhal_status testdev_fenced(struct testdev_link *link, struct nnhal_prepared_model *inner,
				 const struct nnhal_request *request, const int *wait_for,
				 uint32_t num_wait_for, const struct nnhal_execution_config *config,
				 int64_t deadline_ns, int *sync_fence,
				 struct nnhal_fenced_callback **callback)
{
	struct fenced *f = calloc(1, sizeof(*f));
	pthread_t thread;

	if (!f)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	f->base.ops = &fenced_ops;
	atomic_init(&f->refs, 1);
	f->link = testdev_link_get(link);
	f->inner = inner;
	f->config = (struct nnhal_execution_config){
		.size = sizeof(struct nnhal_execution_config),
		.measure_timing = config->measure_timing,
		.loop_timeout_ns = config->loop_timeout_ns,
	};
	f->deadline_ns = deadline_ns;
	if (nnutil_fence_create(sync_fence, &f->signal) ||
	    !copy_request(f, request, wait_for, num_wait_for))
		goto fail;
	atomic_fetch_add(&f->refs, 1);
	if (pthread_create(&thread, NULL, run, f)) {
		atomic_fetch_sub(&f->refs, 1);
		goto fail;
	}
	pthread_detach(thread);
	*callback = &f->base;
	return NNHAL_NONE;
fail:
	if (*sync_fence >= 0) {
		close(*sync_fence);
		nnutil_fd_close(f->signal);
	}
	*sync_fence = -1;
	fenced_put(f);
	return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
}
