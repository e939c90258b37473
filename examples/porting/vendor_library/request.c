// SPDX-License-Identifier: Apache-2.0
/*
 * The memory of a request. The rules are those of Documentation/hal.rst, "Requests": what breaks
 * one is INVALID_ARGUMENT.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conv8.h"

/* An argument of the request, and its tensor. */
struct argument {
	const char *kind;
	uint32_t number;
	const struct nnhal_request_argument *arg;
	const struct conv8_tensor *tensor;
};

static struct argument request_argument(const struct conv8_program *program,
					const struct nnhal_request *request, bool output,
					uint32_t number)
{
	const uint32_t *operands = output ? program->outputs : program->inputs;

	return (struct argument){
		.kind = output ? "output" : "input",
		.number = number,
		.arg = output ? &request->outputs[number] : &request->inputs[number],
		.tensor = &program->tensors[operands[number]],
	};
}

/* ---- checks ---- */

static enum nnhal_status argument_refuse(const struct argument *a, char *message, size_t size,
					 const char *why)
{
	return conv8_refuse(message, size, NNHAL_INVALID_ARGUMENT, "%s %u: %s", a->kind, a->number,
			    why);
}

static bool dims_agree(const struct argument *a)
{
	if (a->arg->rank && (a->arg->rank != a->tensor->rank || !a->arg->dims))
		return false;
	for (uint32_t i = 0; i < a->arg->rank; i++)
		if (a->arg->dims[i] != a->tensor->dims[i])
			return false;
	return true;
}

static enum nnhal_status argument_check(const struct nnhal_request *request,
					const struct argument *a, bool output, char *message,
					size_t size)
{
	const struct nnhal_request_argument *arg = a->arg;
	const struct nnhal_memory *memory;
	uint64_t end;

	if (arg->has_no_value)
		return argument_refuse(a, message, size, "the model needs a value");
	if (arg->pool >= request->num_pools)
		return argument_refuse(a, message, size, "its pool does not exist");
	if (request->pools[arg->pool].is_token)
		return argument_refuse(a, message, size, "this device has no buffers");
	memory = &request->pools[arg->pool].memory;
	if (__builtin_add_overflow(arg->offset, arg->length, &end) ||
	    __builtin_add_overflow(end, arg->padding, &end) || end > memory->size)
		return argument_refuse(a, message, size, "it reaches beyond its pool");
	if (!(memory->prot & (output ? PROT_WRITE : PROT_READ)))
		return argument_refuse(a, message, size, "its pool does not allow the access");
	if (!dims_agree(a))
		return argument_refuse(a, message, size, "its dimensions contradict the model's");
	if (output ? !arg->length : arg->length != a->tensor->bytes)
		return argument_refuse(a, message, size, "its length contradicts its dimensions");
	return NNHAL_NONE;
}

/* Whether two arguments share bytes. */
static bool arguments_overlap(const struct nnhal_request_argument *a,
			      const struct nnhal_request_argument *b)
{
	return a->pool == b->pool && a->offset < b->offset + b->length &&
	       b->offset < a->offset + a->length;
}

static bool output_alone(const struct nnhal_request *request, uint32_t output)
{
	for (uint32_t i = 0; i < request->num_inputs; i++)
		if (arguments_overlap(&request->outputs[output], &request->inputs[i]))
			return false;
	for (uint32_t i = 0; i < output; i++)
		if (arguments_overlap(&request->outputs[output], &request->outputs[i]))
			return false;
	return true;
}

static enum nnhal_status request_check(const struct conv8_program *program,
				       const struct nnhal_request *request, bool *sufficient,
				       char *message, size_t size)
{
	enum nnhal_status status = NNHAL_NONE;
	struct argument a;

	if (request->num_inputs != program->num_inputs ||
	    request->num_outputs != program->num_outputs)
		return conv8_refuse(message, size, NNHAL_INVALID_ARGUMENT,
				    "%u inputs and %u outputs, the model has %u and %u",
				    request->num_inputs, request->num_outputs, program->num_inputs,
				    program->num_outputs);
	for (uint32_t i = 0; i < request->num_inputs && status == NNHAL_NONE; i++) {
		a = request_argument(program, request, false, i);
		status = argument_check(request, &a, false, message, size);
	}
	for (uint32_t i = 0; i < request->num_outputs && status == NNHAL_NONE; i++) {
		a = request_argument(program, request, true, i);
		status = argument_check(request, &a, true, message, size);
		if (status == NNHAL_NONE && !output_alone(request, i))
			status = argument_refuse(&a, message, size, "it overlaps another argument");
		sufficient[i] = a.arg->length >= a.tensor->bytes;
	}
	for (uint32_t i = 0; i < request->num_outputs && status == NNHAL_NONE; i++)
		if (!sufficient[i])
			status = conv8_refuse(message, size, NNHAL_OUTPUT_INSUFFICIENT_SIZE,
					      "output %u has %llu bytes, the result has %zu", i,
					      (unsigned long long)request->outputs[i].length,
					      program->tensors[program->outputs[i]].bytes);
	return status;
}

/* ---- mapping ---- */

/* A file that is shorter than its pool would end in SIGBUS. */
static bool mapping_make(const struct nnhal_memory *memory, struct conv8_mapping *mapping)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), head = memory->offset % page;
	struct stat st;
	void *start;

	if (!memory->size || fstat(memory->fd, &st) || st.st_size < 0 ||
	    memory->offset > (uint64_t)st.st_size ||
	    memory->size > (uint64_t)st.st_size - memory->offset)
		return false;
	start = mmap(NULL, memory->size + head, memory->prot, MAP_SHARED, memory->fd,
		     (off_t)(memory->offset - head));
	if (start == MAP_FAILED)
		return false;
	*mapping = (struct conv8_mapping){ start, memory->size + head, (uint8_t *)start + head };
	return true;
}

static enum nnhal_status pools_map(const struct nnhal_request *request,
				   struct conv8_binding *binding, char *message, size_t size)
{
	for (uint32_t i = 0; i < request->num_pools; i++)
		if (!request->pools[i].is_token &&
		    !mapping_make(&request->pools[i].memory, &binding->mappings[i]))
			return conv8_refuse(message, size, NNHAL_INVALID_ARGUMENT,
					    "pool %u: its memory cannot be mapped", i);
	return NNHAL_NONE;
}

enum nnhal_status conv8_bind(const struct conv8_program *program,
			     const struct nnhal_request *request, struct conv8_binding *binding,
			     bool *sufficient, char *message, size_t size)
{
	enum nnhal_status status = request_check(program, request, sufficient, message, size);

	*binding = (struct conv8_binding){ .num_mappings = request->num_pools };
	if (status != NNHAL_NONE)
		return status;
	binding->mappings = calloc(request->num_pools + 1, sizeof(*binding->mappings));
	binding->tensors = calloc(program->num_tensors + 1, sizeof(*binding->tensors));
	if (!binding->mappings || !binding->tensors)
		status = conv8_refuse(message, size, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
				      "no memory for the request");
	else
		status = pools_map(request, binding, message, size);
	if (status != NNHAL_NONE) {
		conv8_unbind(binding);
		return status;
	}
	for (uint32_t i = 0; i < request->num_inputs; i++)
		binding->tensors[program->inputs[i]] =
			binding->mappings[request->inputs[i].pool].data + request->inputs[i].offset;
	for (uint32_t i = 0; i < request->num_outputs; i++)
		binding->tensors[program->outputs[i]] =
			binding->mappings[request->outputs[i].pool].data +
			request->outputs[i].offset;
	return NNHAL_NONE;
}

void conv8_unbind(struct conv8_binding *binding)
{
	for (uint32_t i = 0; binding->mappings && i < binding->num_mappings; i++)
		if (binding->mappings[i].start)
			munmap(binding->mappings[i].start, binding->mappings[i].length);
	free(binding->mappings);
	free(binding->tensors);
}
