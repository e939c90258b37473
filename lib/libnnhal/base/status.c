// SPDX-License-Identifier: Apache-2.0
/*
 * Statuses of jobs and errno values become ErrorStatus here, and nowhere else. The table is
 * Documentation/status-codes.rst.
 */
#include "base/nnhal_base.h"

#include <errno.h>

#include "nnaccel/nnaccel_status.h"

static enum nnhal_status status_of_errno(int error)
{
	switch (error) {
	case 0:
		return NNHAL_NONE;
	case -ENODEV:
	case -ENXIO:
		return NNHAL_DEVICE_UNAVAILABLE;
	case -EINVAL:
	case -EBADF:
	case -EACCES:
	case -EPERM:
		return NNHAL_INVALID_ARGUMENT;
	case -ENOBUFS:
		return NNHAL_OUTPUT_INSUFFICIENT_SIZE;
	case -ETIME:
	case -ETIMEDOUT:
		return NNHAL_MISSED_DEADLINE_TRANSIENT;
	case -ENOMEM:
	case -ENOSPC:
	case -EMFILE:
	case -ENFILE:
	case -EBUSY:
	case -EAGAIN:
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	case -EFBIG:
	case -EOVERFLOW:
	case -E2BIG:
		return NNHAL_RESOURCE_EXHAUSTED_PERSISTENT;
	default:
		return NNHAL_GENERAL_FAILURE;
	}
}

enum nnhal_status nnhal_status_of(uint32_t status, int error)
{
	switch (status) {
	case NNHAL_NO_JOB:
		return status_of_errno(error);
	case NNACCEL_STATUS_OK:
		/* a failed fence contradicts a good status: this is no success */
		return error ? NNHAL_GENERAL_FAILURE : NNHAL_NONE;
	case NNACCEL_STATUS_LOOP_TIMEOUT:
	case NNACCEL_STATUS_DEADLINE:
	case NNACCEL_STATUS_MAX_TIME:
	case NNACCEL_STATUS_EXPIRED:
		return NNHAL_MISSED_DEADLINE_TRANSIENT;
	case NNACCEL_STATUS_BAD_ARGUMENT:
		return NNHAL_INVALID_ARGUMENT;
	case NNACCEL_STATUS_OUTPUT_INSUFFICIENT:
		return NNHAL_OUTPUT_INSUFFICIENT_SIZE;
	case NNACCEL_STATUS_NO_MEMORY:
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	case NNACCEL_STATUS_UNPLUGGED:
		return NNHAL_DEVICE_UNAVAILABLE;
	default:
		return NNHAL_GENERAL_FAILURE;
	}
}

bool nnhal_status_innocent(uint32_t status)
{
	return status == NNACCEL_STATUS_INNOCENT || status == NNACCEL_STATUS_LINK_LOST ||
	       status == NNACCEL_STATUS_BANNED;
}

const char *nnhal_job_status_name(uint32_t status)
{
	switch (status) {
	case NNACCEL_STATUS_OK:
		return "OK";
	case NNACCEL_STATUS_ABORTED:
		return "ABORTED";
	case NNACCEL_STATUS_LOOP_TIMEOUT:
		return "LOOP_TIMEOUT";
	case NNACCEL_STATUS_BAD_PROGRAM:
		return "BAD_PROGRAM";
	case NNACCEL_STATUS_BAD_ARGUMENT:
		return "BAD_ARGUMENT";
	case NNACCEL_STATUS_OUTPUT_INSUFFICIENT:
		return "OUTPUT_INSUFFICIENT";
	case NNACCEL_STATUS_NO_MEMORY:
		return "NO_MEMORY";
	case NNACCEL_STATUS_FAULT:
		return "FAULT";
	case NNACCEL_STATUS_EXEC_FAILED:
		return "EXEC_FAILED";
	case NNACCEL_STATUS_INTERNAL:
		return "INTERNAL";
	case NNACCEL_STATUS_CANCELED:
		return "CANCELED";
	case NNACCEL_STATUS_DEADLINE:
		return "DEADLINE";
	case NNACCEL_STATUS_MAX_TIME:
		return "MAX_TIME";
	case NNACCEL_STATUS_NO_PROGRESS:
		return "NO_PROGRESS";
	case NNACCEL_STATUS_LINK_LOST:
		return "LINK_LOST";
	case NNACCEL_STATUS_INNOCENT:
		return "INNOCENT";
	case NNACCEL_STATUS_INPUT_FAILED:
		return "INPUT_FAILED";
	case NNACCEL_STATUS_BANNED:
		return "BANNED";
	case NNACCEL_STATUS_UNPLUGGED:
		return "UNPLUGGED";
	case NNACCEL_STATUS_EXPIRED:
		return "EXPIRED";
	default:
		return "unknown status";
	}
}
