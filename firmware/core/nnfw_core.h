/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The firmware's core, for platforms that are linked with it (firmware/board, tests). The types are
 * those of the plugin's interface, include/nnfw.h, which calls the same functions by pointer.
 */
#ifndef NNFW_CORE_CALLS_H
#define NNFW_CORE_CALLS_H

#include "nnfw.h"

/** 0 or -errno. */
int nnfw_create(const struct nnfw_platform *platform, const struct nnfw_config *config,
		struct nnfw **fw);
/** Stops the workers; jobs that are left complete with CANCELED first, from the calling thread. */
void nnfw_destroy(struct nnfw *fw);

/**
 * The operation set: struct nnaccel_opset_header and entries; bytes in all. Copies at most @size.
 */
size_t nnfw_opset(void *buffer, size_t size);
uint32_t nnfw_version(void); /* major << 16 | minor << 8 | patch */
uint32_t nnfw_caps(void); /* NNACCEL_CAP_ */

/** Contexts and queues: ids are the caller's, below NNACCEL_MAX_CONTEXTS / _QUEUES. 0, -EEXIST,
 * -ENOENT, -EINVAL, -ENOMEM. Closing a context destroys its queues and drops its programs; when
 * these return, no map of the context (queue) is held any more. They wait for a running operation
 * to stop; completions of jobs that are left come from the calling thread, so they must not be
 * called from a callback. */
int nnfw_context_open(struct nnfw *fw, uint32_t context);
int nnfw_context_close(struct nnfw *fw, uint32_t context);
int nnfw_queue_create(struct nnfw *fw, uint32_t queue, uint32_t context, uint32_t priority);
int nnfw_queue_destroy(struct nnfw *fw, uint32_t queue);

/**
 * Queue a job. @job and @args (job->num_args of them) are copied, in host byte order, and checked:
 * what is wrong with them is a completion with BAD_ARGUMENT, not an error here. 0, -ENOENT (no
 * queue), -ENOMEM.
 */
int nnfw_submit(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
		const struct nnaccel_arg *args);

/** End a job early; its completion says ABORTED unless it ended before. One that is the first of
 * its queue does not wait for an engine; if it has not begun, nothing is touched for it. 0 or
 * -ENOENT (not there). */
int nnfw_abort(struct nnfw *fw, uint32_t queue, uint64_t seqno);

/** Load ahead of the first run, on an engine that no job wants; errors of the program are kept for
 * that run. 0; -EINVAL, -ENOENT (no context), -ENOMEM, -EAGAIN (too many hints are waiting). */
int nnfw_program_load(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
		      uint64_t generation);
int nnfw_program_unload(struct nnfw *fw, uint32_t context, uint64_t addr);

void nnfw_stats(struct nnfw *fw, struct nnfw_stats *stats);

#endif
