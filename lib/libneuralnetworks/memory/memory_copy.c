// SPDX-License-Identifier: Apache-2.0
/* Copies between memory objects of hosts and devices. */
#include <string.h>

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"

static bool same_channel_quant(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->channel_dim == b->channel_dim && a->num_scales == b->num_scales &&
	       (!a->num_scales ||
		!memcmp(a->scales, b->scales, a->num_scales * sizeof(*a->scales)));
}

static bool same_extension_data(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->extension_size == b->extension_size &&
	       (!a->extension_size ||
		!memcmp(a->extension_data, b->extension_data, a->extension_size));
}

bool nnr_memory_same_operand(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
	       same_channel_quant(a, b) && same_extension_data(a, b);
}

/* ---- copies ---- */

static int device_result(const char *what, enum nnhal_status status)
{
	if (status != NNHAL_NONE)
		nnutil_log(NNUTIL_LOG_WARNING, "%s: %s", what, nnhal_status_name(status));
	return nnhal_status_result_code(status);
}

/* State of a memory at one moment. */
struct view {
	bool initialized;
	uint32_t rank, dims[NNR_MAX_RANK];
	uint64_t bytes; /* 0: not known */
};

static void memory_copy_look(ANeuralNetworksMemory *memory, struct view *v)
{
	memset(v, 0, sizeof(*v));
	if (!memory->from_desc) {
		v->initialized = true;
		v->bytes = memory->shared.size;
		return;
	}
	nnr_memory_lock(memory);
	v->initialized = memory->initialized;
	v->rank = memory->rank;
	memcpy(v->dims, memory->dims, v->rank * sizeof(*v->dims));
	pthread_mutex_unlock(&memory->lock);
	v->bytes = nnr_type_bytes(memory->operand->type, v->dims, v->rank);
}

/* The shape of @dst after the copy: merged of its descriptor and the source. */
static bool combine(const ANeuralNetworksMemory *src, const struct view *from,
		    const ANeuralNetworksMemory *dst, struct view *to)
{
	if (!dst->from_desc)
		return from->bytes == dst->shared.size;
	if (src->from_desc && !nnr_memory_same_operand(src->operand, dst->operand))
		return false;
	to->rank = dst->initial_rank;
	memcpy(to->dims, dst->initial_dims, to->rank * sizeof(*to->dims));
	if (src->from_desc && !nnr_dims_merge(&to->rank, to->dims, from->rank, from->dims))
		return false;
	to->bytes = nnr_type_bytes(dst->operand->type, to->dims, to->rank);
	return to->bytes && to->bytes == from->bytes;
}

static int copy_host(ANeuralNetworksMemory *src, ANeuralNetworksMemory *dst, uint64_t bytes)
{
	void *from, *to;
	int result = nnr_memory_map(src, &from);

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_memory_map(dst, &to);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	nnr_memory_cpu_access(src, false, true);
	nnr_memory_cpu_access(dst, true, true);
	memmove(to, from, bytes);
	nnr_memory_cpu_access(dst, true, false);
	nnr_memory_cpu_access(src, false, false);
	return result;
}

static int to_buffer(ANeuralNetworksMemory *dst, const struct nnhal_memory *src,
		     const struct view *shape)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "copyFrom");

	return device_result("copy into device memory",
			     dst->buffer->ops->copy_from(dst->buffer, src, shape->rank,
							 shape->dims));
}

static int from_buffer(ANeuralNetworksMemory *src, const struct nnhal_memory *dst)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "copyTo");

	return device_result("copy from device memory",
			     src->buffer->ops->copy_to(src->buffer, dst));
}

/* Two devices' buffers do not know each other. */
static int copy_buffers(ANeuralNetworksMemory *src, ANeuralNetworksMemory *dst,
			const struct view *shape)
{
	ANeuralNetworksMemory *between;
	int result = nnr_memory_create_host(shape->bytes, &between);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = from_buffer(src, &between->shared);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = to_buffer(dst, &between->shared, shape);
	nnr_memory_put(between);
	return result;
}

/* A device maps the memory: a file that is too short must not reach it. */
static int copy_contents(ANeuralNetworksMemory *src, ANeuralNetworksMemory *dst,
			 const struct view *shape)
{
	void *data;
	int result;

	if (src->buffer && dst->buffer)
		return copy_buffers(src, dst, shape);
	if (!src->buffer && !dst->buffer)
		return copy_host(src, dst, shape->bytes);
	result = nnr_memory_map(src->buffer ? dst : src, &data);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	return src->buffer ? from_buffer(src, &dst->shared) : to_buffer(dst, &src->shared, shape);
}

static int memory_copy(ANeuralNetworksMemory *src, ANeuralNetworksMemory *dst, struct view *to)
{
	struct view from;

	if (src->image || dst->image)
		return nnr_refuse(
			BAD_DATA,
			"cannot copy an AHardwareBuffer with an image format: use format BLOB");
	memory_copy_look(src, &from);
	if (!from.initialized)
		return nnr_refuse(BAD_DATA, "the source memory was never written");
	*to = from;
	if (!combine(src, &from, dst, to))
		return nnr_refuse(BAD_DATA, "source and destination differ in size, type or shape");
	return copy_contents(src, dst, to);
}

int nnr_memory_copy(ANeuralNetworksMemory *src, ANeuralNetworksMemory *dst)
{
	struct view shape = { .rank = 0 };
	int result;

	if (src == dst)
		return ANEURALNETWORKS_NO_ERROR;
	result = memory_copy(src, dst, &shape);
	nnr_memory_written(dst, result == ANEURALNETWORKS_NO_ERROR, shape.rank, shape.dims);
	return result;
}

int nnr_memory_read_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *dst)
{
	return from_buffer(memory, dst);
}

int nnr_memory_write_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *src)
{
	struct view shape;

	memory_copy_look(memory, &shape);
	return to_buffer(memory, src, &shape);
}
