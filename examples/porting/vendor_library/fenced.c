// SPDX-License-Identifier: Apache-2.0
/*
 * Fenced executions: the call waits for the kernel's fences, computes, and returns -1 for "has
 * finished". A fence of user space is refused; the runtime waits for those itself.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "conv8.h"

struct finished {
	struct nnhal_fenced_callback base;
	struct nnhal_timing timing;
};

static void finished_destroy(struct nnhal_fenced_callback *base)
{
	free(base);
}

static enum nnhal_status finished_info(struct nnhal_fenced_callback *base,
				       struct nnhal_timing *launched, struct nnhal_timing *fenced)
{
	const struct finished *f = (const struct finished *)base;

	*launched = *fenced = f->timing;
	return NNHAL_NONE;
}

static const struct nnhal_fenced_callback_ops finished_ops = {
	.size = sizeof(finished_ops),
	.destroy = finished_destroy,
	.get_execution_info = finished_info,
};

/* 0: it has signalled well. 1: not yet. Else -errno; -ENOTTY: it is not the kernel's. */
static int fence_status(int fd)
{
	struct sync_file_info info = { 0 };

	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return -errno;
	return info.status < 0 ? info.status : !info.status;
}

static enum nnhal_status fence_wait(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int status = fence_status(fd);

	if (status == 1) {
		while (poll(&ready, 1, -1) < 0 && errno == EINTR)
			;
		status = fence_status(fd);
	}
	return status ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE;
}

enum nnhal_status conv8_execute_fenced(const struct conv8_program *program,
				       const struct nnhal_request *request, const int *wait_for,
				       uint32_t num_wait_for,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				       struct nnhal_fenced_callback **callback)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status = NNHAL_NONE;
	struct finished *f;

	*sync_fence = -1;
	*callback = NULL;
	if (duration_ns < NNHAL_NO_TIME)
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < num_wait_for && status == NNHAL_NONE; i++)
		status = fence_wait(wait_for[i]);
	if (status == NNHAL_NONE)
		status = conv8_execute(program, request, config, deadline_ns, &result);
	if (status != NNHAL_NONE) {
		nnhal_execution_result_clear(&result);
		return status;
	}
	f = malloc(sizeof(*f));
	if (f) {
		*f = (struct finished){ { &finished_ops }, result.timing };
		*callback = &f->base;
	}
	nnhal_execution_result_clear(&result);
	return f ? NNHAL_NONE : NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
}
