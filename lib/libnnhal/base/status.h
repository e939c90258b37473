/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses of jobs, errno values and ErrorStatus. Private to libnnhal. */
#ifndef NNHAL_STATUS_H
#define NNHAL_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "nnhal.h"

/** For nnhal_status_of() when there was no job. */
#define NNHAL_NO_JOB UINT32_MAX

/**
 * The one mapping to an ErrorStatus (Documentation/status-codes.rst): of the status of a job with
 * the errno of its fence, or of an errno alone (@status is NNHAL_NO_JOB).
 */
enum nnhal_status nnhal_status_of(uint32_t status, int error);
/** Whether the job was lost because of another job or the link: it may be run once more. */
bool nnhal_status_innocent(uint32_t status);
/** "BAD_PROGRAM" */
const char *nnhal_job_status_name(uint32_t status);

#endif
