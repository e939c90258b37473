// SPDX-License-Identifier: Apache-2.0
/* ANeuralNetworksEvent. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/nnr_base.h"
#include "run/nnr_run.h"

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_wait");

	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	return nnr_event_wait(event);
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_free");

	if (event)
		nnr_event_free(event);
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_createFromSyncFenceFd");

	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	*event = NULL;
	return nnr_event_create_from_fence(sync_fence_fd, event);
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksEvent_getSyncFenceFd");

	if (!sync_fence_fd)
		return nnr_refuse(UNEXPECTED_NULL, "sync_fence_fd is NULL");
	*sync_fence_fd = -1;
	if (!event)
		return nnr_refuse(UNEXPECTED_NULL, "event is NULL");
	if (event->fence_fd < 0)
		return nnr_refuse(BAD_DATA, "the event has no fence");
	/* not 0, which createFromSyncFenceFd() refuses */
	*sync_fence_fd = fcntl(event->fence_fd, F_DUPFD_CLOEXEC, 1);
	if (*sync_fence_fd < 0) {
		*sync_fence_fd = -1;
		return nnr_refuse(OP_FAILED, "cannot duplicate the fence: %s", strerror(errno));
	}
	return ANEURALNETWORKS_NO_ERROR;
}
