// SPDX-License-Identifier: Apache-2.0
/* The values of nnhal.h that hal.idl leaves to hand-written code: statuses, models, requests. */
#include "messages/nnipc_messages.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/nnipc_wire.h"

/* The kernel's. */
#define MAX_ERRNO 4095
/* Bytes of the smallest argument and pool of a message. */
#define LEAST_ARGUMENT (1 + 4 + 3 * 8 + 4 + 1)
#define LEAST_POOL (1 + 4)

/* ---- statuses ---- */

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

/* ---- models ---- */

void nnipc_put_model(struct nnipc_writer *w, const struct nnmodel *model)
{
	size_t place, size;
	int ret;

	if (!model) {
		nnipc_put_bool(w, false);
		return;
	}
	place = w->size;
	nnipc_put_bool(w, true);
	nnipc_put_reserve(w, sizeof(uint64_t));
	size = w->size;
	ret = nnmodel_serialize_places(model, nnipc_put_raw, w);
	if (w->error)
		return;
	if (ret) {
		w->size = place;
		nnipc_put_bool(w, false);
		return;
	}
	nnipc_put_u64_at(w, place + 1, w->size - size);
	nnipc_put_u32(w, model->num_pools);
	for (uint32_t i = 0; i < model->num_pools; i++)
		nnipc_put_lent_fd(w, model->pools[i].fd, false);
}

/* The pools' descriptors, as many as the model has; none may be missing for nnmodel_parse(). */
static void free_fds(int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count && fds; i++)
		nnipc_fd_close(fds[i]);
	free(fds);
}

static struct nnmodel *model_parse(struct nnipc_reader *r, const void *bytes, size_t size,
				   const int *fds, uint32_t count)
{
	int *there = count ? malloc(count * sizeof(*there)) : NULL;
	struct nnmodel *model = NULL;
	int ret = count && !there ? -ENOMEM : 0;

	/* a pool without a descriptor is the vendor library's to refuse */
	for (uint32_t i = 0; i < count && !ret; i++)
		there[i] = fds[i] >= 0 ? fds[i] : 0;
	if (!ret)
		ret = nnmodel_parse(bytes, size, there, count, &model);
	free(there);
	if (ret == -ENOMEM)
		nnipc_reader_no_memory(r);
	else if (ret)
		nnipc_reader_refuse(r);
	for (uint32_t i = 0; i < count && model; i++)
		model->pools[i].fd = fds[i];
	return model;
}

struct nnmodel *nnipc_get_model(struct nnipc_reader *r)
{
	struct nnmodel *model = NULL;
	const void *bytes;
	uint32_t count;
	size_t size;
	int *fds;

	if (!nnipc_get_bool(r))
		return NULL;
	bytes = nnipc_get_bytes(r, &size);
	count = nnipc_get_count(r, 1, UINT32_MAX);
	fds = nnipc_list_alloc(r, &count, sizeof(*fds));
	for (uint32_t i = 0; i < count; i++)
		fds[i] = nnipc_get_fd(r);
	if (!r->error)
		model = model_parse(r, bytes, size, fds, count);
	if (model)
		free(fds);
	else
		free_fds(fds, count);
	return model;
}

/* ---- requests ---- */

static void put_arguments(struct nnipc_writer *w, const struct nnhal_request_argument *list,
			  uint32_t count)
{
	nnipc_put_list(w, list, count);
	for (uint32_t i = 0; i < count && list; i++)
		nnipc_put_argument(w, &list[i]);
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
		nnipc_put_memory(w, &pool->memory);
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

static struct nnhal_request_argument *get_arguments(struct nnipc_reader *r, uint32_t *count)
{
	struct nnhal_request_argument *list;

	if (!nnipc_get_list(r, LEAST_ARGUMENT, count))
		return NULL;
	list = nnipc_list_alloc(r, count, sizeof(*list));
	for (uint32_t i = 0; i < *count; i++)
		nnipc_get_argument(r, &list[i]);
	return list;
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
		nnipc_get_memory(r, &pool->memory);
}

static void get_pools(struct nnipc_reader *r, struct nnipc_request *own)
{
	struct nnhal_request *request = &own->request;

	if (!nnipc_get_list(r, LEAST_POOL, &request->num_pools))
		return;
	own->pools = nnipc_list_alloc(r, &request->num_pools, sizeof(*own->pools));
	own->slots = nnipc_list_alloc(r, &request->num_pools, sizeof(*own->slots));
	request->pools = own->pools;
	for (uint32_t i = 0; i < request->num_pools; i++)
		get_pool(r, &own->pools[i], &own->slots[i]);
}

const struct nnhal_request *nnipc_get_request(struct nnipc_reader *r, struct nnipc_request *own)
{
	struct nnhal_request *request = &own->request;

	*own = (struct nnipc_request){ 0 };
	if (!nnipc_get_bool(r))
		return NULL;
	request->size = sizeof(*request);
	request->inputs = get_arguments(r, &request->num_inputs);
	request->outputs = get_arguments(r, &request->num_outputs);
	get_pools(r, own);
	if (!r->error)
		return request;
	nnipc_request_free(own);
	return NULL;
}

static void free_arguments(const struct nnhal_request_argument *list, uint32_t count)
{
	for (uint32_t i = 0; i < count && list; i++)
		nnipc_argument_free((struct nnhal_request_argument *)&list[i]);
	free((void *)list);
}

void nnipc_request_free(struct nnipc_request *own)
{
	const struct nnhal_request *request = &own->request;

	free_arguments(request->inputs, request->num_inputs);
	free_arguments(request->outputs, request->num_outputs);
	for (uint32_t i = 0; i < request->num_pools && own->pools; i++)
		if (own->slots[i] == UINT32_MAX)
			nnipc_fd_close(own->pools[i].memory.fd);
	free(own->pools);
	free(own->slots);
	*own = (struct nnipc_request){ 0 };
}
