// SPDX-License-Identifier: Apache-2.0
/* Samples of models and requests. */
#include "samples.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t number(int ret)
{
	if (ret < 0)
		abort();
	return (uint32_t)ret;
}

struct nnmodel *sample_model(uint32_t sample)
{
	static const uint32_t dims[] = { 2, 2 };
	static const float scales[] = { 0.5f, 0.25f };
	struct nnmodel *m;
	uint32_t io[3], act;

	if (sample == 1)
		return NULL;
	m = nnmodel_new();
	if (!m)
		abort();
	for (int i = 0; i < 3; i++)
		io[i] = number(nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						   NNMODEL_SUBGRAPH_INPUT, dims, 2, 0, 0));
	act = number(nnmodel_add_int32(m, NNMODEL_FUSED_NONE));
	number(nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ io[0], io[1], act }, 3, &io[2],
				     1));
	number(nnmodel_set_io(m, io, 2, &io[2], 1));
	if (sample == 2) {
		/* a pool that has no descriptor */
		number(nnmodel_add_pool(m, dup(sample_fd()), PROT_READ, 0, 64));
		close(m->pools[0].fd);
		m->pools[0].fd = -1;
		return m;
	}
	for (uint64_t i = 0; i < 3; i++)
		number(nnmodel_add_pool(m, dup(sample_fd()), PROT_READ, 4096 * i, 64 + i));
	number(nnmodel_add_operand(m, NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL,
				   NNMODEL_CONSTANT_REFERENCE, dims, 2, 0, 0));
	number(nnmodel_set_channel_quant(m, 4, 1, scales, 2));
	number(nnmodel_set_value_from_pool(m, 4, 1, 8, 4));
	m->relaxed = true;
	m->extensions = calloc(1, sizeof(*m->extensions));
	m->num_extensions = 1;
	m->extensions[0] = (struct nnmodel_extension){ strdup("vendor.name"), 0x7fff };
	return m;
}

const struct nnmodel *sample_model_of(uint32_t sample)
{
	static struct nnmodel *models[IDL_SAMPLES];

	if (!models[sample])
		models[sample] = sample_model(sample);
	return models[sample];
}

bool sample_same_model(const struct nnmodel *a, const struct nnmodel *b)
{
	struct nnipc_writer x = { 0 }, y = { 0 };
	bool same;

	nnipc_put_model(&x, a);
	nnipc_put_model(&y, b);
	same = !x.error && !y.error && x.size == y.size && !memcmp(x.data, y.data, x.size) &&
	       x.num_fds == y.num_fds;
	nnipc_writer_fini(&x);
	nnipc_writer_fini(&y);
	return same;
}

const uint32_t sample_slots[3] = { 17, UINT32_MAX, UINT32_MAX };

const struct nnhal_request *sample_request_of(uint32_t sample)
{
	static const uint32_t dims[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, UINT32_MAX };
	static const struct nnhal_request_argument inputs[] = {
		{ .pool = 0, .offset = 1ull << 40, .length = UINT64_MAX, .padding = 7 },
		{ .has_no_value = true },
		{ .pool = UINT32_MAX, .rank = 11, .dims = dims },
	};
	static const struct nnhal_request_argument outputs[] = {
		{ .pool = 2, .length = 4, .rank = 1, .dims = dims },
		{ .pool = 1, .rank = 5 }, /* dimensions
					     that
					     are
					     not
					     there
					   */
	};
	static struct nnhal_request_pool pools[] = {
		{ .memory = { .prot = PROT_READ, .offset = 4096, .size = 1ull << 33 } },
		{ .is_token = true, .token = 77, .memory.fd = -1 },
		{ .memory = { .fd = -1, .prot = -1, .size = 5 } },
	};

	static struct nnhal_request requests[IDL_SAMPLES] = {
		{ sizeof(struct nnhal_request), 3, inputs, outputs, 2, 3, pools },
		{ .size = sizeof(struct nnhal_request) },
		{ .size = sizeof(struct nnhal_request),
		  .num_inputs = 2,
		  .outputs = outputs,
		  .num_outputs = 1,
		  .num_pools = UINT32_MAX },
	};

	pools[0].memory.fd = sample_fd();
	return &requests[sample];
}

static bool arguments_same(const struct nnhal_request_argument *a,
			   const struct nnhal_request_argument *b, uint32_t count)
{
	if (!a || !b)
		return !a && !b;
	for (uint32_t i = 0; i < count; i++)
		if (a[i].has_no_value != b[i].has_no_value || a[i].pool != b[i].pool ||
		    a[i].offset != b[i].offset || a[i].length != b[i].length ||
		    a[i].padding != b[i].padding || a[i].rank != b[i].rank ||
		    bytes_differ(a[i].dims, b[i].dims, a[i].rank * sizeof(uint32_t)))
			return false;
	return true;
}

static bool pools_same(const struct nnhal_request_pool *a, const struct nnhal_request_pool *b,
		       uint32_t count)
{
	if (!a || !b)
		return !a && !b;
	for (uint32_t i = 0; i < count; i++)
		if (a[i].is_token != b[i].is_token || a[i].token != b[i].token)
			return false;
	return true;
}

bool sample_same_request(const struct nnhal_request *a, const struct nnhal_request *b)
{
	if (!a || !b)
		return !a && !b;
	return a->size == b->size && a->num_inputs == b->num_inputs &&
	       a->num_outputs == b->num_outputs && a->num_pools == b->num_pools &&
	       arguments_same(a->inputs, b->inputs, a->num_inputs) &&
	       arguments_same(a->outputs, b->outputs, a->num_outputs) &&
	       pools_same(a->pools, b->pools, a->num_pools);
}
