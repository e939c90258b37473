/* SPDX-License-Identifier: Apache-2.0 */
/* Requests bound to device addresses. Private to libnnhal. */
#ifndef NNHAL_BINDING_H
#define NNHAL_BINDING_H

#include "execute/request.h"

/** An argument that goes through the staging area. */
struct nnhal_staged_arg {
	struct nnhal_import *import; /* NULL: an omitted output */
	uint64_t offset; /* in the import */
	uint64_t staging_offset, length;
	uint32_t arg;
	bool output;
};

/** What the device says of an output, checked: execution_result.c. */
struct nnhal_judged {
	uint32_t rank, dims[NNACCEL_MAX_RANK];
	uint64_t size;
	bool known, sufficient;
};

/** A checked request, its memory held: independent of what the caller passed. */
struct nnhal_binding {
	atomic_uint refs; /* its owner, an execution in flight */
	atomic_bool busy; /* an execution in flight; of reusable ones */
	struct nnhal_pm *pm;
	uint32_t num_args;
	struct nnaccel_arg *args; /* outputs: with all that is known of their shapes */
	struct nnhal_buf **buffers; /* by argument; NULL: memory. Held by pools */
	uint64_t *writes; /* by argument: the number of the write to its buffer in progress */
	struct nnhal_tref *mems;
	uint32_t num_mems;
	struct nnhal_pool *pools;
	uint32_t num_pools, max_pools;
	struct nnhal_staged_arg *staged;
	uint32_t num_staged;
	bool staged_in, staged_out;
	bool complete; /* the shape of every output is known */
	bool lean; /* of a burst: no shapes in results when @complete, start_ns not set */
	struct nnhal_staging *staging;
	uint64_t result_size; /* head, shapes, then @num_op_times */
	uint32_t num_op_times;
	struct nnhal_judged *judged; /* num_outputs + 1, then room for a copy of the result */
	uint64_t in_place; /* bytes */
	bool measure;
	uint64_t loop_ns;
	int64_t start_ns; /* CLOCK_MONOTONIC of the call */
};

enum nnhal_status nnhal_bind(struct nnhal_pm *pm, const struct nnhal_request *request,
			     const struct nnhal_execution_config *config,
			     struct nnhal_binding **binding, char *message);
/** An empty binding, for nnhal_bind_fill(). */
struct nnhal_binding *nnhal_binding_new(struct nnhal_pm *pm);
/** On error the binding is empty again. @memories, @tokens: of a burst, or NULL. */
enum nnhal_status nnhal_bind_fill(struct nnhal_binding *binding,
				  const struct nnhal_request *request,
				  const struct nnhal_execution_config *config,
				  struct nnhal_memories *memories, const int64_t *tokens,
				  char *message);
/** Release what it holds. */
void nnhal_binding_empty(struct nnhal_binding *binding);
struct nnhal_binding *nnhal_binding_get(struct nnhal_binding *binding);
/** Drop a reference. */
void nnhal_unbind(struct nnhal_binding *binding);
/** Begin the one execution in flight of a reusable binding. False: there is one already. */
bool nnhal_binding_try(struct nnhal_binding *binding);
/** The execution in flight ended; drops its reference. */
void nnhal_binding_release(struct nnhal_binding *binding);
/**
 * Whether the buffers that are read have content, or get it from @waited_for. NONE or
 * GENERAL_FAILURE with @message.
 */
enum nnhal_status nnhal_binding_ready(struct nnhal_binding *binding,
				      struct nnhal_promise *const *waited_for,
				      uint32_t num_waited_for, char *message);
/** The execution begins, and ends, writing its buffers. @writer: as for nnhal_buf_begin(). */
void nnhal_binding_begin(struct nnhal_binding *binding, struct nnhal_promise *writer);
void nnhal_binding_done(struct nnhal_binding *binding, struct nnhal_promise *writer,
			enum nnhal_status status);
/** Copy staged inputs to the device and clear the result. */
void nnhal_binding_stage_in(struct nnhal_binding *binding);
/** Copy staged outputs back: output i has @sizes[i] bytes. */
void nnhal_binding_stage_out(struct nnhal_binding *binding, const uint64_t *sizes);
/** Submit structure of the binding, without fences. */
void nnhal_binding_submit(const struct nnhal_binding *binding, uint64_t deadline_ns,
			  struct nnhal_tsubmit *submit);

#endif
