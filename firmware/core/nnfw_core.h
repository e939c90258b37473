/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The firmware's core, for platforms that are linked with it (firmware/board, tests). The types are
 * those of the plugin's interface, include/nnfw.h, which calls the same functions by pointer.
 */
#ifndef NNFW_CORE_CALLS_H
#define NNFW_CORE_CALLS_H

#include "nnfw.h"

/* See struct nnfw_plugin for each function. */
int nnfw_create(const struct nnfw_platform *platform, const struct nnfw_config *config,
		struct nnfw **fw);
void nnfw_destroy(struct nnfw *fw);
size_t nnfw_opset(void *buffer, size_t size);
uint32_t nnfw_version(void);
uint32_t nnfw_caps(void);
int nnfw_context_open(struct nnfw *fw, uint32_t context);
int nnfw_context_close(struct nnfw *fw, uint32_t context);
int nnfw_queue_create(struct nnfw *fw, uint32_t queue, uint32_t context, uint32_t priority);
int nnfw_queue_destroy(struct nnfw *fw, uint32_t queue);
int nnfw_submit(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
		const struct nnaccel_arg *args);
int nnfw_submit_here(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
		     const struct nnaccel_arg *args);
void nnfw_run_here(struct nnfw *fw, uint32_t queue, uint64_t seqno);
/*
 * For a platform with a thread of its own that submits jobs and is then free to run them. Between
 * the two calls it submits with nnfw_submit_here(); nnfw_destroy() waits for the second one.
 */
/** The calling thread is going to call nnfw_work(). @fw must not be being destroyed. */
void nnfw_work_begin(struct nnfw *fw);
/** Run jobs of all queues on the calling thread, as a worker does, until no job gets an engine. */
void nnfw_work(struct nnfw *fw);
int nnfw_abort(struct nnfw *fw, uint32_t queue, uint64_t seqno);
int nnfw_program_load(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
		      uint64_t generation);
int nnfw_program_unload(struct nnfw *fw, uint32_t context, uint64_t addr);
int nnfw_program_measure(struct nnfw *fw, const void *program, size_t size, struct nnfw_need *need);
void nnfw_stats(struct nnfw *fw, struct nnfw_stats *stats);
bool nnfw_instructions(size_t i, struct nnfw_instructions *set);

#endif
