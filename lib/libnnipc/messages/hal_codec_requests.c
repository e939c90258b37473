// SPDX-License-Identifier: Apache-2.0
/* Memory and requests. */
#include "messages/nnipc_messages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire/nnipc_wire.h"

/* Bytes of the smallest argument and pool of a message. */
#define LEAST_ARGUMENT (1 + 4 + 3 * 8 + 4 + 1)
#define LEAST_POOL (1 + 4)

/* ---- memory ---- */

static void put_memory(struct nnipc_writer *w, const struct nnhal_memory *memory)
{
	nnipc_put_u32(w, (uint32_t)memory->prot);
	nnipc_put_u64(w, memory->offset);
	nnipc_put_u64(w, memory->size);
	nnipc_put_lent_fd(w, memory->fd, memory->prot & PROT_WRITE);
}

static void get_memory(struct nnipc_reader *r, struct nnhal_memory *memory)
{
	memory->prot = (int)nnipc_get_u32(r);
	memory->offset = nnipc_get_u64(r);
	memory->size = nnipc_get_u64(r);
	memory->fd = nnipc_get_fd(r);
}

void nnipc_put_memory(struct nnipc_writer *w, const struct nnhal_memory *memory)
{
	nnipc_put_bool(w, memory != NULL);
	if (memory)
		put_memory(w, memory);
}

bool nnipc_get_memory(struct nnipc_reader *r, struct nnhal_memory *memory)
{
	*memory = (struct nnhal_memory){ .fd = -1 };
	if (!nnipc_get_bool(r))
		return false;
	get_memory(r, memory);
	return !r->error;
}

/* ---- requests ---- */

static void put_arguments(struct nnipc_writer *w, const struct nnhal_request_argument *list,
			  uint32_t count)
{
	nnipc_put_list(w, list, count);
	for (uint32_t i = 0; i < count && list; i++) {
		const struct nnhal_request_argument *a = &list[i];

		nnipc_put_bool(w, a->has_no_value);
		nnipc_put_u32(w, a->pool);
		nnipc_put_u64(w, a->offset);
		nnipc_put_u64(w, a->length);
		nnipc_put_u64(w, a->padding);
		nnipc_put_numbers(w, a->dims, a->rank);
	}
}

static void put_pool(struct nnipc_writer *w, const struct nnhal_request_pool *pool, uint32_t slot)
{
	bool in_slot = !pool->is_token && slot != UINT32_MAX;

	nnipc_put_bool(w, pool->is_token);
	if (pool->is_token) {
		nnipc_put_u32(w, pool->token);
		return;
	}
	nnipc_put_u32(w, in_slot ? slot : UINT32_MAX);
	if (!in_slot)
		put_memory(w, &pool->memory);
}

void nnipc_put_request(struct nnipc_writer *w, const struct nnhal_request *request,
		       const uint32_t *slots)
{
	nnipc_put_bool(w, request != NULL);
	if (!request)
		return;
	put_arguments(w, request->inputs, request->num_inputs);
	put_arguments(w, request->outputs, request->num_outputs);
	nnipc_put_list(w, request->pools, request->num_pools);
	for (uint32_t i = 0; i < request->num_pools && request->pools; i++)
		put_pool(w, &request->pools[i], slots ? slots[i] : UINT32_MAX);
}

/* Inputs or outputs, behind the @before arguments that are there: their place, or SIZE_MAX: NULL.
 */
static size_t get_arguments(struct nnipc_reader *r, struct nnipc_request *request, size_t before,
			    uint32_t *count)
{
	struct nnhal_request_argument *list;

	*count = 0;
	if (!nnipc_get_list(r, LEAST_ARGUMENT, count))
		return SIZE_MAX;
	list = realloc(request->arguments, (before + *count) * sizeof(*list));
	if (!list) {
		nnipc_reader_no_memory(r);
		*count = 0;
		return SIZE_MAX;
	}
	request->arguments = list;
	for (size_t i = before; i < before + *count; i++) {
		list[i].has_no_value = nnipc_get_bool(r);
		list[i].pool = nnipc_get_u32(r);
		list[i].offset = nnipc_get_u64(r);
		list[i].length = nnipc_get_u64(r);
		list[i].padding = nnipc_get_u64(r);
		list[i].dims = nnipc_get_numbers(r, &list[i].rank);
	}
	return before;
}

static void get_pool(struct nnipc_reader *r, struct nnhal_request_pool *pool, uint32_t *slot)
{
	pool->memory.fd = -1;
	*slot = UINT32_MAX;
	pool->is_token = nnipc_get_bool(r);
	if (pool->is_token) {
		pool->token = nnipc_get_u32(r);
		return;
	}
	*slot = nnipc_get_u32(r);
	if (*slot == UINT32_MAX)
		get_memory(r, &pool->memory);
}

static void get_pools(struct nnipc_reader *r, struct nnipc_request *out)
{
	struct nnhal_request *request = &out->request;

	if (!nnipc_get_list(r, LEAST_POOL, &request->num_pools))
		return;
	out->pools = nnipc_list_alloc(r, &request->num_pools, sizeof(*out->pools));
	out->slots = nnipc_list_alloc(r, &request->num_pools, sizeof(*out->slots));
	request->pools = out->pools;
	for (uint32_t i = 0; i < request->num_pools; i++)
		get_pool(r, &out->pools[i], &out->slots[i]);
}

void nnipc_get_request(struct nnipc_reader *r, struct nnipc_request *out)
{
	struct nnhal_request *request = &out->request;
	size_t inputs, outputs;

	*out = (struct nnipc_request){ 0 };
	if (!nnipc_get_bool(r))
		return;
	request->size = sizeof(*request);
	out->present = true;
	inputs = get_arguments(r, out, 0, &request->num_inputs);
	outputs = get_arguments(r, out, inputs == SIZE_MAX ? 0 : request->num_inputs,
				&request->num_outputs);
	if (inputs != SIZE_MAX)
		request->inputs = out->arguments + inputs;
	if (outputs != SIZE_MAX)
		request->outputs = out->arguments + outputs;
	get_pools(r, out);
	if (r->error)
		nnipc_request_free(out);
}

static void free_arguments(const struct nnhal_request_argument *list, uint32_t count)
{
	for (uint32_t i = 0; i < count && list; i++)
		free((void *)list[i].dims);
}

void nnipc_request_free(struct nnipc_request *out)
{
	const struct nnhal_request *request = &out->request;

	free_arguments(request->inputs, request->num_inputs);
	free_arguments(request->outputs, request->num_outputs);
	free(out->arguments);
	for (uint32_t i = 0; i < request->num_pools && out->pools; i++)
		if (out->slots[i] == UINT32_MAX && out->pools[i].memory.fd >= 0)
			close(out->pools[i].memory.fd);
	free(out->pools);
	free(out->slots);
	*out = (struct nnipc_request){ 0 };
}
