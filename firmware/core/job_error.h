/* SPDX-License-Identifier: Apache-2.0 */
/* Why a job failed. */
#ifndef NNFW_JOB_ERROR_H
#define NNFW_JOB_ERROR_H

#include <stdint.h>

#include "nnaccel/nnaccel_result.h"

#define NNFW_NONE UINT32_MAX

/** Why a job failed; job_result.c makes the client's struct of it. */
struct job_error {
	uint64_t offset; /* BAD_PROGRAM */
	uint32_t operation, subgraph; /* EXEC_FAILED, else NNFW_NONE */
	uint64_t fault; /* FAULT */
	char text[NNACCEL_RESULT_TEXT];
};

/** Set the text of @error; returns @status. */
uint32_t nnfw_fail(struct job_error *error, uint32_t status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void nnfw_error_clear(struct job_error *error);

#endif
