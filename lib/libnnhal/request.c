// SPDX-License-Identifier: Apache-2.0
/* Checks of a request against the model: hal.md 3.2, 6.2 and 6.4. Everything wrong is INVALID_ARGUMENT. */
#include <sys/mman.h>

#include "hal.h"

/* An argument by name, for messages. */
struct which {
	const char *kind;
	uint32_t index;
};

static enum nnhal_status refuse(char *message, struct which w, const char *why)
{
	nnhal_message(message, "%s %u: %s", w.kind, w.index, why);
	return NNHAL_INVALID_ARGUMENT;
}

bool nnhal_io_shape(const struct nnhal_io *io, const struct nnhal_request_argument *arg, uint32_t *rank,
		    uint32_t dims[NNPROG_MAX_RANK])
{
	bool complete = io->scalar;

	*rank = io->rank ? io->rank : arg->rank;
	if (!io->scalar)
		complete = *rank > 0;
	for (uint32_t i = 0; i < NNPROG_MAX_RANK; i++) {
		dims[i] = 0;
		if (i >= *rank)
			continue;
		if (io->rank)
			dims[i] = io->dims[i];
		if (dims[i] == 0 && arg->rank)
			dims[i] = arg->dims[i];
		complete = complete && dims[i] > 0;
	}
	return complete;
}

int nnhal_shape_bytes(uint32_t element, uint32_t rank, const uint32_t *dims, uint64_t *bytes)
{
	uint64_t n = element;

	for (uint32_t i = 0; i < rank; i++)
		if (__builtin_mul_overflow(n, (uint64_t)dims[i], &n))
			return -EOVERFLOW;
	if (n > UINT32_MAX)
		return -EOVERFLOW;
	*bytes = n;
	return 0;
}

static enum nnhal_status check_dims(const struct nnhal_io *io, const struct nnhal_request_argument *arg,
				    bool output, struct which w, char *message)
{
	if (arg->rank == 0)
		return NNHAL_NONE;
	if (!arg->dims)
		return refuse(message, w, "a rank without dimensions");
	if (io->scalar)
		return refuse(message, w, "dimensions for a scalar");
	if (arg->rank > NNPROG_MAX_RANK)
		return refuse(message, w, "more dimensions than the device knows");
	if (io->rank && arg->rank != io->rank)
		return refuse(message, w, "rank differs from the model's");
	for (uint32_t i = 0; i < arg->rank; i++) {
		if (arg->dims[i] == 0 && !output)
			return refuse(message, w, "a dimension is 0");
		if (io->rank && io->dims[i] && arg->dims[i] != io->dims[i])
			return refuse(message, w, "dimensions contradict the model's");
	}
	return NNHAL_NONE;
}

static enum nnhal_status check_argument(const struct nnhal_request *request, const struct nnhal_io *io,
					const struct nnhal_request_argument *arg, bool output,
					bool complete_needed, struct nnhal_pool_view *views,
					struct which w, char *message)
{
	uint32_t rank, dims[NNPROG_MAX_RANK];
	const struct nnhal_memory *memory;
	uint64_t end, bytes;
	bool complete;

	if (arg->has_no_value) {
		if (arg->pool || arg->offset || arg->length || arg->padding || arg->rank)
			return refuse(message, w, "has no value, but a location or dimensions");
		complete = nnhal_io_shape(io, arg, &rank, dims);
		if (output && !complete)
			return refuse(message, w, "an output of unknown shape cannot be omitted");
		return NNHAL_NONE;
	}
	if (arg->pool >= request->num_pools)
		return refuse(message, w, "no such pool");
	if (request->pools[arg->pool].is_token)
		return refuse(message, w, "no device buffer has this token");
	memory = &request->pools[arg->pool].memory;
	if (arg->length == 0)
		return refuse(message, w, "length is 0");
	if (__builtin_add_overflow(arg->offset, arg->length, &end) ||
	    __builtin_add_overflow(end, arg->padding, &end) || end > memory->size)
		return refuse(message, w, "reaches beyond its pool");
	if (!(memory->prot & (output ? PROT_WRITE : PROT_READ)))
		return refuse(message, w, output ? "its pool is not writable" : "its pool is not readable");
	if (check_dims(io, arg, output, w, message))
		return NNHAL_INVALID_ARGUMENT;
	complete = nnhal_io_shape(io, arg, &rank, dims);
	if (!complete && !output)
		return refuse(message, w, "shape is not fully specified");
	if (!complete && complete_needed)
		return refuse(message, w, "shape must be fully specified in a fenced execution");
	if (complete) {
		if (nnhal_shape_bytes(io->element, rank, dims, &bytes))
			return refuse(message, w, "larger than 4 GiB");
		if (arg->length != bytes) {
			nnhal_message(message, "%s %u: %llu bytes given, %llu expected", w.kind, w.index,
				      (unsigned long long)arg->length, (unsigned long long)bytes);
			return NNHAL_INVALID_ARGUMENT;
		}
	}
	if (output)
		views[arg->pool].write = true;
	else
		views[arg->pool].read = true;
	return NNHAL_NONE;
}

static enum nnhal_status check_pool(const struct nnhal_request_pool *pool, uint32_t index,
				    struct nnhal_pool_view *view, char *message)
{
	struct which w = { "pool", index };

	*view = (struct nnhal_pool_view){ 0 };
	if (pool->is_token)
		return refuse(message, w, "no device buffer has this token");
	switch (nnhal_memory_identify(&pool->memory, &view->id)) {
	case 0:
		return NNHAL_NONE;
	case -EBADF:
		return refuse(message, w, "bad file descriptor");
	default:
		return refuse(message, w, "size is 0, protection unknown, or the file is smaller");
	}
}

static bool same_file(const struct nnhal_identity *a, const struct nnhal_identity *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

/* Extent of an argument in its file, so that two pools of one memory are seen to overlap. */
static struct nnhal_extent extent_of(const struct nnhal_request *request,
				     const struct nnhal_pool_view *views,
				     const struct nnhal_request_argument *arg)
{
	struct nnhal_extent e = { .id = views[arg->pool].id };

	e.begin = request->pools[arg->pool].memory.offset + arg->offset;
	e.end = e.begin + arg->length;
	return e;
}

static bool overlap(const struct nnhal_extent *a, const struct nnhal_extent *b)
{
	return a->begin < b->end && b->begin < a->end && same_file(&a->id, &b->id);
}

static enum nnhal_status check_overlap(const struct nnhal_pm *pm, const struct nnhal_request *request,
				       const struct nnhal_pool_view *views, char *message)
{
	struct nnhal_extent a, b;
	uint32_t i, j;

	for (i = 0; i < request->num_outputs; i++) {
		struct which w = { "output", i };

		if (request->outputs[i].has_no_value)
			continue;
		a = extent_of(request, views, &request->outputs[i]);
		for (j = 0; j < i; j++) {
			if (request->outputs[j].has_no_value)
				continue;
			b = extent_of(request, views, &request->outputs[j]);
			if (overlap(&a, &b))
				return refuse(message, w, "overlaps another output");
		}
		for (j = 0; j < request->num_inputs; j++) {
			if (request->inputs[j].has_no_value)
				continue;
			b = extent_of(request, views, &request->inputs[j]);
			if (overlap(&a, &b))
				return refuse(message, w, "overlaps an input");
		}
		for (j = 0; j < pm->num_constants; j++)
			if (overlap(&a, &pm->constants[j]))
				return refuse(message, w, "overlaps a constant of the model");
	}
	return NNHAL_NONE;
}

enum nnhal_status nnhal_request_check(const struct nnhal_pm *pm, const struct nnhal_request *request,
				      bool complete, struct nnhal_pool_view *views, char *message)
{
	enum nnhal_status status;
	uint32_t i;

	for (i = 0; i < request->num_pools; i++) {
		status = check_pool(&request->pools[i], i, &views[i], message);
		if (status)
			return status;
	}
	for (i = 0; i < request->num_inputs; i++) {
		status = check_argument(request, &pm->inputs[i], &request->inputs[i], false, false, views,
					(struct which){ "input", i }, message);
		if (status)
			return status;
	}
	for (i = 0; i < request->num_outputs; i++) {
		status = check_argument(request, &pm->outputs[i], &request->outputs[i], true, complete,
					views, (struct which){ "output", i }, message);
		if (status)
			return status;
	}
	return check_overlap(pm, request, views, message);
}

enum nnhal_status nnhal_execution_config_check(const struct nnhal_execution_config *config,
					       int64_t deadline_ns, char *message)
{
	if (!config) {
		nnhal_message(message, "no configuration");
		return NNHAL_INVALID_ARGUMENT;
	}
	if (!nnhal_time_valid(deadline_ns)) {
		nnhal_message(message, "negative deadline %lld", (long long)deadline_ns);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (!nnhal_time_valid(config->loop_timeout_ns)) {
		nnhal_message(message, "negative loop timeout %lld", (long long)config->loop_timeout_ns);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (config->loop_timeout_ns > NNHAL_LOOP_TIMEOUT_MAXIMUM_NS) {
		nnhal_message(message, "loop timeout of %lld ns, at most %lld",
			      (long long)config->loop_timeout_ns, NNHAL_LOOP_TIMEOUT_MAXIMUM_NS);
		return NNHAL_INVALID_ARGUMENT;
	}
	return NNHAL_NONE;
}
