// SPDX-License-Identifier: Apache-2.0
/* Events: the completion of an execution, or a fence from outside. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime.h"

ANeuralNetworksEvent *nnr_event_new(void)
{
	ANeuralNetworksEvent *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	nnr_fork_watch();
	event->process = nnr_process_number();
	pthread_mutex_init(&event->lock, NULL);
	pthread_cond_init(&event->cond, NULL);
	event->fence_fd = -1;
	return event;
}

void nnr_event_complete(ANeuralNetworksEvent *event, int result)
{
	pthread_mutex_lock(&event->lock);
	event->complete = true;
	event->result = nnr_event_code(result);
	/*
	 * under the lock: who waits may free the event as soon as it has seen that it is complete
	 */
	pthread_cond_broadcast(&event->cond);
	pthread_mutex_unlock(&event->lock);
}

/*
 * A sync_file says itself whether it ended in an error; any other descriptor that becomes readable
 * stands for a fence too (an eventfd, a pipe).
 */
static int fence_status(int fd)
{
	struct sync_file_info info;

	memset(&info, 0, sizeof(info));
	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info) == 0)
		return info.status < 0 ? -EIO : 0;
	return 0;
}

int nnr_fence_wait(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	if (fd < 0)
		return -EINVAL;
	do {
		n = poll(&p, 1, timeout_ms);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return -errno;
	if (!n)
		return -ETIME;
	if (p.revents & POLLNVAL)
		return -EINVAL;
	if (p.revents & POLLERR)
		return -EIO;
	if (!(p.revents & POLLIN))
		return -EIO; /* hung up without a signal */
	return fence_status(fd);
}

/* The first to come waits for the fence and ends the execution; the others wait for the first. */
static int fence_event_wait(ANeuralNetworksEvent *event)
{
	int (*finish)(void *, int) = event->finish;
	int result;

	event->finishing = true;
	pthread_mutex_unlock(&event->lock);
	result = nnr_fence_wait(event->fence_fd, -1) ? ANEURALNETWORKS_OP_FAILED
						     : ANEURALNETWORKS_NO_ERROR;
	if (finish)
		result = finish(event->cookie, result);
	pthread_mutex_lock(&event->lock);
	event->complete = true;
	event->result = nnr_event_code(result);
	pthread_cond_broadcast(&event->cond);
	return event->result;
}

/*
 * Before fork() it was made: without its lock. A fence that somebody else signals is as good here;
 * an execution is the parent's.
 */
static int inherited_wait(const ANeuralNetworksEvent *event)
{
	if (event->fence_fd < 0 || event->finish)
		return ANEURALNETWORKS_DEAD_OBJECT;
	return nnr_fence_wait(event->fence_fd, -1) ? ANEURALNETWORKS_OP_FAILED
						   : ANEURALNETWORKS_NO_ERROR;
}

static int event_wait(ANeuralNetworksEvent *event)
{
	int result;

	if (event->process != nnr_process_number())
		return inherited_wait(event);
	pthread_mutex_lock(&event->lock);
	if (!event->complete && event->fence_fd >= 0 && !event->finishing) {
		result = fence_event_wait(event);
	} else {
		while (!event->complete)
			pthread_cond_wait(&event->cond, &event->lock);
		result = event->result;
	}
	pthread_mutex_unlock(&event->lock);
	return result;
}

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_wait");
	if (!event) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksEvent_wait: no event");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	return event_wait(event);
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_free");
	if (!event)
		return;
	if (event->process != nnr_process_number()) {
		if (event->fence_fd >= 0)
			close(event->fence_fd);
		free(event);
		return;
	}
	event_wait(event);
	if (event->fence_fd >= 0)
		close(event->fence_fd);
	pthread_cond_destroy(&event->cond);
	pthread_mutex_destroy(&event->lock);
	free(event);
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_createFromSyncFenceFd");
	ANeuralNetworksEvent *made;

	if (!event) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksEvent_createFromSyncFenceFd: nowhere to put the event");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	*event = NULL;
	if (sync_fence_fd <= 0) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksEvent_createFromSyncFenceFd: %d is no fence",
			sync_fence_fd);
		return ANEURALNETWORKS_BAD_DATA;
	}
	made = nnr_event_new();
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	made->fence_fd = fcntl(sync_fence_fd, F_DUPFD_CLOEXEC, 1);
	if (made->fence_fd < 0) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksEvent_createFromSyncFenceFd: %s",
			strerror(errno));
		nnr_event_complete(made, ANEURALNETWORKS_OP_FAILED);
		ANeuralNetworksEvent_free(made);
		return ANEURALNETWORKS_OP_FAILED;
	}
	*event = made;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_getSyncFenceFd");

	if (!sync_fence_fd) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksEvent_getSyncFenceFd: nowhere to put the descriptor");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	*sync_fence_fd = -1;
	if (!event) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksEvent_getSyncFenceFd: no event");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	if (event->fence_fd < 0) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksEvent_getSyncFenceFd: the event has no fence");
		return ANEURALNETWORKS_BAD_DATA;
	}
	/* 0 would not be a fence to createFromSyncFenceFd() */
	*sync_fence_fd = fcntl(event->fence_fd, F_DUPFD_CLOEXEC, 1);
	if (*sync_fence_fd < 0) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksEvent_getSyncFenceFd: %s",
			strerror(errno));
		*sync_fence_fd = -1;
		return ANEURALNETWORKS_OP_FAILED;
	}
	return ANEURALNETWORKS_NO_ERROR;
}
