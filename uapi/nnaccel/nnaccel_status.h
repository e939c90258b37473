/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Status of a job, from the firmware or decided by the kernel, and the mapping from a status to the errno
 * of the job's fence.
 */
#ifndef _UAPI_NNACCEL_STATUS_H_
#define _UAPI_NNACCEL_STATUS_H_

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/errno.h>
#else
#include <errno.h>
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * enum nnaccel_status - how a job ended
 *
 * Values below %NNACCEL_STATUS_HOST_FIRST travel in completions; a firmware must not send any other.
 * Values from %NNACCEL_STATUS_HOST_FIRST on are decided by the kernel (or, in process, by the
 * transport) and appear in status pages only.
 */
enum nnaccel_status {
	/** @NNACCEL_STATUS_OK: every output was written */
	NNACCEL_STATUS_OK = 0,
	/** @NNACCEL_STATUS_ABORTED: ended by an ABORT command */
	NNACCEL_STATUS_ABORTED = 1,
	/** @NNACCEL_STATUS_LOOP_TIMEOUT: a WHILE entry ran longer than the job's loop limit */
	NNACCEL_STATUS_LOOP_TIMEOUT = 2,
	/** @NNACCEL_STATUS_BAD_PROGRAM: the program is invalid; reason and offset in the result */
	NNACCEL_STATUS_BAD_PROGRAM = 3,
	/** @NNACCEL_STATUS_BAD_ARGUMENT: the arguments do not match the program */
	NNACCEL_STATUS_BAD_ARGUMENT = 4,
	/** @NNACCEL_STATUS_OUTPUT_INSUFFICIENT: an output buffer is too small; shapes in the result */
	NNACCEL_STATUS_OUTPUT_INSUFFICIENT = 5,
	/** @NNACCEL_STATUS_NO_MEMORY: device memory, arena or program quota is exhausted */
	NNACCEL_STATUS_NO_MEMORY = 6,
	/** @NNACCEL_STATUS_FAULT: an address is not mapped, or not writable; address in the completion */
	NNACCEL_STATUS_FAULT = 7,
	/** @NNACCEL_STATUS_EXEC_FAILED: invalid data for an operation, such as an index or a shape */
	NNACCEL_STATUS_EXEC_FAILED = 8,
	/** @NNACCEL_STATUS_INTERNAL: internal error of the firmware, not caused by the job */
	NNACCEL_STATUS_INTERNAL = 9,
	/** @NNACCEL_STATUS_CANCELED: the queue or context was closed before the job ran */
	NNACCEL_STATUS_CANCELED = 10,
	/** @NNACCEL_STATUS_FIRMWARE_COUNT: number of statuses that a firmware may send */
	NNACCEL_STATUS_FIRMWARE_COUNT,

	/** @NNACCEL_STATUS_HOST_FIRST: first status that only the host decides */
	NNACCEL_STATUS_HOST_FIRST = 0x100,
	/** @NNACCEL_STATUS_DEADLINE: the job's deadline passed, queued or running */
	NNACCEL_STATUS_DEADLINE = 0x100,
	/** @NNACCEL_STATUS_MAX_TIME: the job held an engine for longer than its max_ns */
	NNACCEL_STATUS_MAX_TIME = 0x101,
	/** @NNACCEL_STATUS_NO_PROGRESS: no progress within the device's limit, or no answer to an abort */
	NNACCEL_STATUS_NO_PROGRESS = 0x102,
	/** @NNACCEL_STATUS_LINK_LOST: the card died while the job ran, or was absent for link_ns */
	NNACCEL_STATUS_LINK_LOST = 0x103,
	/** @NNACCEL_STATUS_INNOCENT: the job had begun when a reset was needed for another reason */
	NNACCEL_STATUS_INNOCENT = 0x104,
	/** @NNACCEL_STATUS_INPUT_FAILED: a fence that the job waited for signalled with an error */
	NNACCEL_STATUS_INPUT_FAILED = 0x105,
	/** @NNACCEL_STATUS_BANNED: the queue was banned before the job ran */
	NNACCEL_STATUS_BANNED = 0x106,
	/** @NNACCEL_STATUS_UNPLUGGED: the device is gone for good */
	NNACCEL_STATUS_UNPLUGGED = 0x107,
	/** @NNACCEL_STATUS_EXPIRED: fence_max_ns has passed, queued or running */
	NNACCEL_STATUS_EXPIRED = 0x108,
	/** @NNACCEL_STATUS_HOST_END: end of the host's statuses */
	NNACCEL_STATUS_HOST_END,
};

/**
 * nnaccel_status_errno() - the errno of the fence of a job with a status
 * @status: an enum nnaccel_status value
 *
 * A job with %NNACCEL_STATUS_INPUT_FAILED inherits the error of the fence that it waited for, so callers keep
 * that errno. This function returns -EIO for it and for unknown values.
 *
 * Return: 0 or a negative errno.
 */
static inline int nnaccel_status_errno(__u32 status)
{
	switch (status) {
	case NNACCEL_STATUS_OK:
		return 0;
	case NNACCEL_STATUS_ABORTED:
	case NNACCEL_STATUS_CANCELED:
	case NNACCEL_STATUS_INNOCENT:
	case NNACCEL_STATUS_BANNED:
		return -ECANCELED;
	case NNACCEL_STATUS_LOOP_TIMEOUT:
	case NNACCEL_STATUS_DEADLINE:
	case NNACCEL_STATUS_MAX_TIME:
	case NNACCEL_STATUS_NO_PROGRESS:
	case NNACCEL_STATUS_EXPIRED:
		return -ETIME;
	case NNACCEL_STATUS_BAD_PROGRAM:
	case NNACCEL_STATUS_BAD_ARGUMENT:
	case NNACCEL_STATUS_EXEC_FAILED:
		return -EINVAL;
	case NNACCEL_STATUS_OUTPUT_INSUFFICIENT:
		return -ENOBUFS;
	case NNACCEL_STATUS_NO_MEMORY:
		return -ENOMEM;
	case NNACCEL_STATUS_FAULT:
		return -EFAULT;
	case NNACCEL_STATUS_UNPLUGGED:
		return -ENODEV;
	default:
		return -EIO;
	}
}

#if defined(__cplusplus)
}
#endif

#endif
