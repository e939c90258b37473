// SPDX-License-Identifier: Apache-2.0
/* Configurations of preparations and executions. */
#include "messages/nnipc_messages.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_HINT (4 + 1 + 8)
#define LEAST_EXTENSION (4 + 1)
/* Of a name in a message, far more than any vendor has. */
#define NAME_MAX_BYTES 4096u

/* ---- hints and names of extensions ---- */

static void put_hints(struct nnipc_writer *w, const struct nnhal_token_value *hints, uint32_t count)
{
	nnipc_put_list(w, hints, count);
	for (uint32_t i = 0; i < count && hints; i++) {
		nnipc_put_u32(w, hints[i].token);
		nnipc_put_bool(w, hints[i].value != NULL);
		nnipc_put_u64(w, hints[i].size);
		if (hints[i].value)
			nnipc_put_raw(w, hints[i].value, hints[i].size);
	}
}

/*
 * A copy of @size bytes, aligned for whatever the vendor library reads there: the message need not
 * live as long as the configuration. NULL: malformed, or no memory.
 */
static void *get_copy(struct nnipc_reader *r, size_t size)
{
	const void *from = nnipc_get_raw(r, size);
	void *copy = from ? malloc(size + !size) : NULL;

	if (from && !copy)
		nnipc_reader_no_memory(r);
	if (copy)
		memcpy(copy, from, size);
	return copy;
}

static void *get_value(struct nnipc_reader *r, size_t *size)
{
	bool present = nnipc_get_bool(r);
	uint64_t bytes = nnipc_get_u64(r);
	void *value = present ? get_copy(r, (size_t)bytes) : NULL;

	*size = r->error ? 0 : (size_t)bytes;
	return value;
}

static struct nnhal_token_value *get_hints(struct nnipc_reader *r, uint32_t *count)
{
	struct nnhal_token_value *hints;

	if (!nnipc_get_list(r, LEAST_HINT, count))
		return NULL;
	hints = nnipc_list_alloc(r, count, sizeof(*hints));
	for (uint32_t i = 0; i < *count; i++) {
		hints[i].token = nnipc_get_u32(r);
		hints[i].value = get_value(r, &hints[i].size);
	}
	return hints;
}

static void free_hints(const struct nnhal_token_value *hints, uint32_t count)
{
	for (uint32_t i = 0; i < count && hints; i++)
		free((void *)hints[i].value);
	free((void *)hints);
}

static void put_names(struct nnipc_writer *w, const struct nnmodel_extension *list, uint32_t count)
{
	nnipc_put_list(w, list, count);
	for (uint32_t i = 0; i < count && list; i++) {
		nnipc_put_u32(w, list[i].prefix);
		nnipc_put_text(w, list[i].name);
	}
}

static struct nnmodel_extension *get_names(struct nnipc_reader *r, uint32_t *count)
{
	struct nnmodel_extension *list;
	uint32_t prefix;

	if (!nnipc_get_list(r, LEAST_EXTENSION, count))
		return NULL;
	list = nnipc_list_alloc(r, count, sizeof(*list));
	for (uint32_t i = 0; i < *count; i++) {
		prefix = nnipc_get_u32(r);
		if (prefix > UINT16_MAX)
			nnipc_reader_refuse(r);
		list[i].prefix = (uint16_t)prefix;
		list[i].name = nnipc_get_text(r, NAME_MAX_BYTES);
	}
	return list;
}

static void free_names(const struct nnmodel_extension *list, uint32_t count)
{
	for (uint32_t i = 0; i < count && list; i++)
		free(list[i].name);
	free((void *)list);
}

/* ---- executions ---- */

void nnipc_put_execution_config(struct nnipc_writer *w, const struct nnhal_execution_config *c)
{
	nnipc_put_bool(w, c != NULL);
	if (!c)
		return;
	nnipc_put_bool(w, c->measure_timing);
	nnipc_put_i64(w, c->loop_timeout_ns);
	put_hints(w, c->hints, c->num_hints);
	put_names(w, c->extensions, c->num_extensions);
}

struct nnhal_execution_config nnipc_get_execution_config(struct nnipc_reader *r)
{
	struct nnhal_execution_config c = { 0 };

	if (!nnipc_get_bool(r))
		return c;
	c.size = sizeof(c);
	c.measure_timing = nnipc_get_bool(r);
	c.loop_timeout_ns = nnipc_get_i64(r);
	c.hints = get_hints(r, &c.num_hints);
	c.extensions = get_names(r, &c.num_extensions);
	if (r->error)
		nnipc_execution_config_free(&c);
	return c;
}

void nnipc_execution_config_free(struct nnhal_execution_config *c)
{
	free_hints(c->hints, c->num_hints);
	free_names(c->extensions, c->num_extensions);
	*c = (struct nnhal_execution_config){ 0 };
}

/* ---- preparations ---- */

void nnipc_put_prepare_config(struct nnipc_writer *w, const struct nnhal_prepare_config *config)
{
	nnipc_put_bool(w, config != NULL);
	if (!config)
		return;
	nnipc_put_u32(w, config->preference);
	nnipc_put_u32(w, config->priority);
	nnipc_put_i64(w, config->deadline_ns);
	nnipc_put_fds(w, config->model_cache, config->num_model_cache);
	nnipc_put_fds(w, config->data_cache, config->num_data_cache);
	nnipc_put_bool(w, config->token != NULL);
	if (config->token)
		nnipc_put_raw(w, config->token, NNHAL_CACHE_TOKEN_SIZE);
	put_hints(w, config->hints, config->num_hints);
	put_names(w, config->extensions, config->num_extensions);
}

struct nnhal_prepare_config nnipc_get_prepare_config(struct nnipc_reader *r)
{
	struct nnhal_prepare_config c = { 0 };

	if (!nnipc_get_bool(r))
		return c;
	c.size = sizeof(c);
	c.preference = nnipc_get_u32(r);
	c.priority = nnipc_get_u32(r);
	c.deadline_ns = nnipc_get_i64(r);
	c.model_cache = nnipc_get_fds(r, &c.num_model_cache);
	c.data_cache = nnipc_get_fds(r, &c.num_data_cache);
	c.token = nnipc_get_bool(r) ? get_copy(r, NNHAL_CACHE_TOKEN_SIZE) : NULL;
	c.hints = get_hints(r, &c.num_hints);
	c.extensions = get_names(r, &c.num_extensions);
	if (r->error)
		nnipc_prepare_config_free(&c);
	return c;
}

void nnipc_prepare_config_free(struct nnhal_prepare_config *config)
{
	nnipc_fds_free((int *)config->model_cache, config->num_model_cache);
	nnipc_fds_free((int *)config->data_cache, config->num_data_cache);
	free((void *)config->token);
	free_hints(config->hints, config->num_hints);
	free_names(config->extensions, config->num_extensions);
	*config = (struct nnhal_prepare_config){ 0 };
}
