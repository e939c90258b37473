// SPDX-License-Identifier: Apache-2.0
/* Checks of a request against the model (Documentation/hal.rst). Every error is INVALID_ARGUMENT.
 */
#include "execute/nnhal_execute.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/nnhal_base.h"
#include "values/nnhal_values.h"
#include "nnprog_shape.h"

/* An argument by name, for messages. */
struct which {
	const char *kind;
	uint32_t index;
};

static enum nnhal_status request_refuse(char *message, struct which w, const char *why)
{
	return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT, "%s %u: %s", w.kind, w.index, why);
}

bool nnhal_io_shape(const struct nnhal_io *io, const struct nnhal_request_argument *arg,
		    const struct nnhal_buf *buffer, uint32_t *rank, uint32_t dims[NNPROG_MAX_RANK])
{
	if (buffer) {
		/* a buffer has a complete shape, which agrees with model and request */
		*rank = buffer->io.rank;
		memcpy(dims, buffer->io.dims, sizeof(buffer->io.dims));
		return true;
	}

	*rank = io->rank;
	memcpy(dims, io->dims, sizeof(io->dims));
	nnmodel_shape_merge(rank, dims, arg->rank, arg->dims);
	return io->scalar || nnmodel_shape_complete(*rank, dims);
}

static enum nnhal_status check_dims(const struct nnhal_io *io,
				    const struct nnhal_request_argument *arg, bool output,
				    struct which w, char *message)
{
	if (arg->rank == 0)
		return NNHAL_NONE;
	if (!arg->dims)
		return request_refuse(message, w, "it has a rank, but its dimensions are NULL");
	if (io->scalar)
		return request_refuse(message, w, "a scalar has no dimensions");
	if (arg->rank > NNPROG_MAX_RANK)
		return request_refuse(message, w, "more dimensions than the device supports");
	if (io->rank && arg->rank != io->rank)
		return request_refuse(message, w, "rank differs from the model's");
	for (uint32_t i = 0; i < arg->rank; i++) {
		if (arg->dims[i] == 0 && !output)
			return request_refuse(message, w, "a dimension is 0");
		if (io->rank && io->dims[i] && arg->dims[i] != io->dims[i])
			return request_refuse(message, w, "dimensions contradict the model's");
	}
	return NNHAL_NONE;
}

static enum nnhal_status check_omitted(const struct nnhal_io *io,
				       const struct nnhal_request_argument *arg, bool output,
				       struct which w, char *message)
{
	uint32_t rank, dims[NNPROG_MAX_RANK];

	if (arg->pool || arg->offset || arg->length || arg->padding || arg->rank)
		return request_refuse(message, w,
				      "an omitted argument has no location or dimensions");
	if (output && !nnhal_io_shape(io, arg, NULL, &rank, dims))
		return request_refuse(message, w, "an output of unknown shape cannot be omitted");
	return NNHAL_NONE;
}

/* An argument that is a whole device buffer. Its roles were checked by allocate(). */
static enum nnhal_status check_buffer(const struct nnhal_request_state *state,
				      const struct nnhal_request_argument *arg, bool output,
				      struct which w, char *message)
{
	const struct nnhal_pool *pool = &state->pools[arg->pool];
	const struct nnhal_io *io = &pool->buffer->io;

	if (arg->offset || arg->length || arg->padding)
		return request_refuse(
			message, w,
			"a device buffer is used whole: offset, length and padding must be 0");
	if (!nnhal_buf_has_role(pool->buffer, state->pm->generation, output, w.index))
		return request_refuse(message, w,
				      "its device buffer was not allocated for this role");
	for (uint32_t i = 0; i < arg->rank; i++)
		if (arg->rank != io->rank || (arg->dims[i] && arg->dims[i] != io->dims[i]))
			return request_refuse(message, w,
					      "dimensions contradict the device buffer's");
	/* the same buffer may be in several pools */
	for (uint32_t i = 0; i < state->request->num_pools; i++) {
		const struct nnhal_pool *p = &state->pools[i];

		if (p->buffer == pool->buffer && (p->write || (output && p->read)))
			return request_refuse(message, w,
					      "its device buffer is used by another argument");
	}
	return NNHAL_NONE;
}

static enum nnhal_status check_place(const struct nnhal_request *request,
				     const struct nnhal_request_argument *arg, bool output,
				     struct which w, char *message)
{
	const struct nnhal_memory *memory = &request->pools[arg->pool].memory;
	uint64_t end;

	if (arg->length == 0)
		return request_refuse(message, w, "length is 0");
	if (__builtin_add_overflow(arg->offset, arg->length, &end) ||
	    __builtin_add_overflow(end, arg->padding, &end) || end > memory->size)
		return request_refuse(message, w, "reaches beyond its pool");
	if (!(memory->prot & (output ? PROT_WRITE : PROT_READ)))
		return request_refuse(message, w,
				      output ? "its pool is not writable"
					     : "its pool is not readable");
	return NNHAL_NONE;
}

static enum nnhal_status check_shape(const struct nnhal_request_state *state,
				     const struct nnhal_io *io,
				     const struct nnhal_request_argument *arg, bool complete,
				     const uint32_t *dims, uint32_t rank, bool output,
				     struct which w, char *message)
{
	uint64_t bytes;

	if (!complete && !output)
		return request_refuse(message, w, "shape is not fully specified");
	if (!complete || state->pools[arg->pool].buffer)
		return NNHAL_NONE;
	if (nnmodel_shape_bytes(io->element, rank, dims, &bytes))
		return request_refuse(message, w, "larger than 4 GiB");
	if (arg->length != bytes)
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    "%s %u: %llu bytes given, %llu expected", w.kind, w.index,
				    (unsigned long long)arg->length, (unsigned long long)bytes);
	return NNHAL_NONE;
}

static enum nnhal_status check_argument(struct nnhal_request_state *state, bool output,
					struct which w, char *message)
{
	const struct nnhal_request *request = state->request;
	const struct nnhal_request_argument *arg = output ? &request->outputs[w.index]
							  : &request->inputs[w.index];
	const struct nnhal_io *io = output ? &state->pm->outputs[w.index]
					   : &state->pm->inputs[w.index];
	uint32_t rank, dims[NNPROG_MAX_RANK];
	struct nnhal_pool *pool;
	enum nnhal_status status;
	bool complete;

	if (arg->has_no_value)
		return check_omitted(io, arg, output, w, message);
	if (arg->pool >= request->num_pools)
		return request_refuse(message, w, "no such pool");
	pool = &state->pools[arg->pool];
	status = check_dims(io, arg, output, w, message);
	if (!status)
		status = pool->buffer ? check_buffer(state, arg, output, w, message)
				      : check_place(request, arg, output, w, message);
	if (status)
		return status;
	complete = nnhal_io_shape(io, arg, pool->buffer, &rank, dims);
	status = check_shape(state, io, arg, complete, dims, rank, output, w, message);
	if (status)
		return status;
	state->complete = state->complete && complete;
	if (output)
		pool->write = true;
	else
		pool->read = true;
	return NNHAL_NONE;
}

static enum nnhal_status check_pool(const struct nnhal_request_state *state, uint32_t index,
				    char *message)
{
	const struct nnhal_request_pool *pool = &state->request->pools[index];
	struct nnhal_pool *to = &state->pools[index];
	struct which w = { "pool", index };
	bool contradiction = false;

	if (pool->is_token) {
		to->buffer = nnhal_buf_find(&state->pm->dev->buffers, pool->token);
		if (!to->buffer)
			return request_refuse(message, w, "no device buffer has this token");
		if (state->tokens && state->tokens[index] != -1)
			return request_refuse(message, w,
					      "the memory number of a device buffer must be -1");
		return NNHAL_NONE;
	}
	if (state->memories && nnhal_memories_known(state->memories, state->tokens[index],
						    &pool->memory, &to->id, &contradiction))
		return NNHAL_NONE;
	if (contradiction)
		return request_refuse(message, w,
				      "its memory number means another memory: release it first");
	switch (nnhal_memory_identify(&pool->memory, &to->id)) {
	case 0:
		return NNHAL_NONE;
	case -EBADF:
		return request_refuse(message, w, "bad file descriptor");
	default:
		return request_refuse(message, w,
				      "size 0, unknown protection, or larger than its file");
	}
}

/* Extent of an argument in its file: two pools of one memory can overlap. */
static struct nnhal_extent extent_of(const struct nnhal_request *request,
				     const struct nnhal_pool *pools,
				     const struct nnhal_request_argument *arg)
{
	struct nnhal_extent e = { .id = pools[arg->pool].id };

	e.begin = request->pools[arg->pool].memory.offset + arg->offset;
	e.end = e.begin + arg->length;
	return e;
}

static bool overlap(const struct nnhal_extent *a, const struct nnhal_extent *b)
{
	return a->begin < b->end && b->begin < a->end && nnhal_identity_equal(&a->id, &b->id);
}

static bool in_memory(const struct nnhal_request_state *state,
		      const struct nnhal_request_argument *arg)
{
	return !arg->has_no_value && !state->pools[arg->pool].buffer;
}

/* Of arguments in memory; check_buffer() checks device buffers. */
static enum nnhal_status check_overlap(const struct nnhal_request_state *state, char *message)
{
	const struct nnhal_request *request = state->request;
	const struct nnhal_pool *pools = state->pools;
	struct nnhal_extent a, b;
	uint32_t i, j;

	for (i = 0; i < request->num_outputs; i++) {
		struct which w = { "output", i };

		if (!in_memory(state, &request->outputs[i]))
			continue;
		a = extent_of(request, pools, &request->outputs[i]);
		for (j = 0; j < i; j++) {
			if (!in_memory(state, &request->outputs[j]))
				continue;
			b = extent_of(request, pools, &request->outputs[j]);
			if (overlap(&a, &b))
				return request_refuse(message, w, "overlaps another output");
		}
		for (j = 0; j < request->num_inputs; j++) {
			if (!in_memory(state, &request->inputs[j]))
				continue;
			b = extent_of(request, pools, &request->inputs[j]);
			if (overlap(&a, &b))
				return request_refuse(message, w, "overlaps an input");
		}
		for (j = 0; j < state->pm->num_constants; j++)
			if (overlap(&a, &state->pm->constants[j]))
				return request_refuse(message, w,
						      "overlaps a constant of the model");
	}
	return NNHAL_NONE;
}

enum nnhal_status nnhal_request_begin(struct nnhal_request_state *state, char *message)
{
	enum nnhal_status status = nnhal_execution_config_check(
		&state->config, &state->older_config, state->deadline_ns, message);

	if (status)
		return status;
	state->request = nnhal_request_upgrade(state->request, &state->older_request, message);
	return state->request ? NNHAL_NONE : NNHAL_INVALID_ARGUMENT;
}

enum nnhal_status nnhal_request_check(struct nnhal_request_state *state, char *message)
{
	const struct nnhal_request *request = state->request;
	enum nnhal_status status = NNHAL_NONE;
	uint32_t i;

	state->complete = true;
	for (i = 0; i < request->num_pools && !status; i++)
		status = check_pool(state, i, message);
	for (i = 0; i < request->num_inputs && !status; i++)
		status = check_argument(state, false, (struct which){ "input", i }, message);
	for (i = 0; i < request->num_outputs && !status; i++)
		status = check_argument(state, true, (struct which){ "output", i }, message);
	return status ? status : check_overlap(state, message);
}
