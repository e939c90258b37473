/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fenced executions that a task of this library executes, with a fence of user space. Private to
 * libnnhal.
 */
#ifndef NNHAL_FENCED_TASK_H
#define NNHAL_FENCED_TASK_H

#include "execute/ifenced_callback.h"

/** Make its fence, and duplicate its in-fences. 0 or -errno, and nothing is made. */
int nnhal_fenced_task_prepare(struct nnhal_fenced *fenced, const int *wait_for,
			      uint32_t num_wait_for, int *sync_fence);
/** It is not launched after all. */
void nnhal_fenced_task_drop(struct nnhal_fenced *fenced, int *sync_fence);
/**
 * Wait for the in-fences, execute the binding, and signal the fence, in the background. Its writes
 * have begun. @duration_ns: counts from the end of the in-fences.
 */
void nnhal_fenced_task_start(struct nnhal_fenced *fenced, int64_t deadline_ns, int64_t duration_ns);

#endif
