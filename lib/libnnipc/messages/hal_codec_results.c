// SPDX-License-Identifier: Apache-2.0
/* Statuses, errors, times, and results of executions. */
#include "messages/nnipc_messages.h"

#define LEAST_SHAPE (4 + 1 + 1)
/* More than any model has; a worker must not make its client allocate without end. */
#define MAX_SHAPES 65536u
#define MAX_RANK 256u
/* The kernel's. */
#define MAX_ERRNO 4095

static const enum nnhal_status statuses[] = {
	NNHAL_NONE,
	NNHAL_DEVICE_UNAVAILABLE,
	NNHAL_GENERAL_FAILURE,
	NNHAL_OUTPUT_INSUFFICIENT_SIZE,
	NNHAL_INVALID_ARGUMENT,
	NNHAL_MISSED_DEADLINE_TRANSIENT,
	NNHAL_MISSED_DEADLINE_PERSISTENT,
	NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
	NNHAL_RESOURCE_EXHAUSTED_PERSISTENT,
	NNHAL_DEAD_OBJECT,
};

enum nnhal_status nnipc_get_status(struct nnipc_reader *r)
{
	uint32_t value = nnipc_get_u32(r);

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]) && !r->error; i++)
		if ((uint32_t)statuses[i] == value)
			return statuses[i];
	nnipc_reader_refuse(r);
	return NNHAL_GENERAL_FAILURE;
}

int nnipc_get_errno(struct nnipc_reader *r)
{
	const int64_t error = nnipc_get_i64(r);

	if (error > 0 || error < -MAX_ERRNO)
		nnipc_reader_refuse(r);
	return r->error ? 0 : (int)error;
}

void nnipc_put_timing(struct nnipc_writer *w, struct nnhal_timing timing)
{
	nnipc_put_i64(w, timing.on_device_ns);
	nnipc_put_i64(w, timing.in_driver_ns);
}

struct nnhal_timing nnipc_get_timing(struct nnipc_reader *r)
{
	struct nnhal_timing timing;

	timing.on_device_ns = nnipc_get_i64(r);
	timing.in_driver_ns = nnipc_get_i64(r);
	return r->error ? (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME } : timing;
}

void nnipc_put_result(struct nnipc_writer *w, const struct nnhal_execution_result *result)
{
	nnipc_put_u32(w, result->shapes ? result->num_shapes : 0);
	for (uint32_t i = 0; i < result->num_shapes && result->shapes; i++) {
		nnipc_put_numbers(w, result->shapes[i].dims, result->shapes[i].rank);
		nnipc_put_bool(w, result->shapes[i].sufficient);
	}
	nnipc_put_timing(w, result->timing);
	nnipc_put_chars(w, result->message, sizeof(result->message));
}

/* Clients read as many dimensions as the rank says: they must be there. */
static void get_shape(struct nnipc_reader *r, struct nnhal_output_shape *shape)
{
	shape->dims = nnipc_get_numbers(r, &shape->rank);
	shape->sufficient = nnipc_get_bool(r);
	if (shape->rank > MAX_RANK || (shape->rank && !shape->dims))
		nnipc_reader_refuse(r);
}

void nnipc_get_result(struct nnipc_reader *r, struct nnhal_execution_result *result)
{
	result->num_shapes = nnipc_get_count(r, LEAST_SHAPE, MAX_SHAPES);
	result->shapes = nnipc_list_alloc(r, &result->num_shapes, sizeof(*result->shapes));
	for (uint32_t i = 0; i < result->num_shapes; i++)
		get_shape(r, &result->shapes[i]);
	result->timing = nnipc_get_timing(r);
	nnipc_get_text_into(r, result->message, sizeof(result->message));
	if (r->error)
		nnhal_execution_result_clear(result);
}
