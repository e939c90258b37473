// SPDX-License-Identifier: Apache-2.0
/* Models, and why one was refused. */
#include "messages/nnipc_messages.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/nnipc_wire.h"

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
static struct nnmodel *codec_models_parse(struct nnipc_reader *r, const void *bytes, size_t size,
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
		model = codec_models_parse(r, bytes, size, fds, count);
	if (model)
		free(fds);
	else
		nnipc_fds_free(fds, count);
	return model;
}

void nnipc_put_model_error(struct nnipc_writer *w, const struct nnmodel_error *err)
{
	nnipc_put_u32(w, err->subgraph);
	nnipc_put_u32(w, err->operation);
	nnipc_put_u32(w, err->operand);
	nnipc_put_chars(w, err->text, sizeof(err->text));
}

void nnipc_get_model_error(struct nnipc_reader *r, struct nnmodel_error *err)
{
	err->size = sizeof(*err);
	err->subgraph = nnipc_get_u32(r);
	err->operation = nnipc_get_u32(r);
	err->operand = nnipc_get_u32(r);
	nnipc_get_text_into(r, err->text, sizeof(err->text));
	if (r->error)
		*err = (struct nnmodel_error)NNMODEL_ERROR_INIT;
}
