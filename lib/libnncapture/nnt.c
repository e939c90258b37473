// SPDX-License-Identifier: Apache-2.0
#include "nnt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

_Static_assert(sizeof(struct nnt_header) == 256, "header");
_Static_assert(sizeof(struct nnt_example) == 64, "example");
_Static_assert(sizeof(struct nnt_subgraph) == 48, "subgraph");
_Static_assert(sizeof(struct nnt_operand) == 64, "operand");
_Static_assert(sizeof(struct nnt_operation) == 24, "operation");
_Static_assert(sizeof(struct nnt_blob) == 32, "blob");

const uint32_t nnt_entry_sizes[NNT_NSECTIONS] = { 64, 48, 64, 24, 4, 32, 1, 1 };

static bool in_range(uint32_t first, uint32_t count, uint32_t limit)
{
	return count <= limit && first <= limit - count;
}

static uint32_t count_of(const struct nnt *n, int section)
{
	return n->header->sec[section].count;
}

const char nnt_magic[8] = { 'N', 'N', 'T', 'E', 'S', 'T', '\r', '\n' };

bool nnt_is(const void *bytes, size_t size)
{
	return size >= sizeof(nnt_magic) && !memcmp(bytes, nnt_magic, sizeof(nnt_magic));
}

static const char *check_sections(const struct nnt *n)
{
	const struct nnt_header *h = n->header;

	if (n->size < sizeof(*h) || !nnt_is(n->bytes, n->size))
		return "not a conformance file";
	if (h->version != 1 || h->header_size != sizeof(*h))
		return "another version of the format";
	if (h->file_size != n->size)
		return "the file is cut short or has something behind it";
	if (crc32(0, n->bytes + sizeof(*h), (uInt)(n->size - sizeof(*h))) != h->crc32)
		return "the checksum does not fit";
	for (int i = 0; i < NNT_NSECTIONS; i++) {
		const struct nnt_section *s = &h->sec[i];

		if (s->entsize != nnt_entry_sizes[i] || s->off % 64 || s->off > n->size ||
		    (uint64_t)s->count * s->entsize > n->size - s->off)
			return "a section lies outside the file";
	}
	if (!h->sec[NNT_STRINGS].count ||
	    n->bytes[h->sec[NNT_STRINGS].off + h->sec[NNT_STRINGS].count - 1])
		return "the strings do not end";
	return NULL;
}

static bool string_ok(const struct nnt *n, uint32_t offset)
{
	return offset == NNT_NONE || offset < count_of(n, NNT_STRINGS);
}

static const char *check_operands(const struct nnt *n)
{
	for (uint32_t i = 0; i < count_of(n, NNT_OPERANDS); i++) {
		const struct nnt_operand *o = &n->operands[i];

		if (!in_range(o->dims, o->rank, count_of(n, NNT_U32POOL)) ||
		    !in_range(o->scales, o->scale_count, count_of(n, NNT_U32POOL)) ||
		    !string_ok(n, o->name))
			return "an operand's lists lie outside the file";
		if (o->blob == NNT_NONE ? o->data_size != 0
					: o->blob >= count_of(n, NNT_BLOBS) ||
						  n->blobs[o->blob].size != o->data_size)
			return "an operand's data lies outside the file";
	}
	for (uint32_t i = 0; i < count_of(n, NNT_BLOBS); i++)
		if (n->blobs[i].off > n->size || n->blobs[i].size > n->size - n->blobs[i].off)
			return "a blob lies outside the file";
	return NULL;
}

static bool list_ok(const struct nnt *n, uint32_t first, uint32_t count, uint32_t limit)
{
	if (!in_range(first, count, count_of(n, NNT_U32POOL)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (n->pool[first + i] >= limit)
			return false;
	return true;
}

static const char *check_graphs(const struct nnt *n)
{
	for (uint32_t i = 0; i < count_of(n, NNT_SUBGRAPHS); i++) {
		const struct nnt_subgraph *g = &n->subgraphs[i];

		if (!in_range(g->first_operand, g->operand_count, count_of(n, NNT_OPERANDS)) ||
		    !in_range(g->first_operation, g->operation_count,
			      count_of(n, NNT_OPERATIONS)) ||
		    !list_ok(n, g->inputs, g->input_count, g->operand_count) ||
		    !list_ok(n, g->outputs, g->output_count, g->operand_count))
			return "a subgraph's lists lie outside the file";
		for (uint32_t k = 0; k < g->operation_count; k++) {
			const struct nnt_operation *op = &n->operations[g->first_operation + k];

			if (!list_ok(n, op->inputs, op->input_count, g->operand_count) ||
			    !list_ok(n, op->outputs, op->output_count, g->operand_count))
				return "an operation's lists lie outside the file";
		}
	}
	for (uint32_t i = 0; i < count_of(n, NNT_EXAMPLES); i++) {
		const struct nnt_example *e = &n->examples[i];

		if (!e->subgraph_count || !string_ok(n, e->name) ||
		    !in_range(e->first_subgraph, e->subgraph_count, count_of(n, NNT_SUBGRAPHS)))
			return "an example's subgraphs lie outside the file";
	}
	return NULL;
}

int nnt_take(struct nnt *n, void *bytes, size_t size, char *error, size_t error_size)
{
	const char *why;

	*n = (struct nnt){ .bytes = bytes, .size = size, .header = bytes };
	why = check_sections(n);
	if (!why) {
		const struct nnt_section *s = n->header->sec;

		n->examples = (const void *)(n->bytes + s[NNT_EXAMPLES].off);
		n->subgraphs = (const void *)(n->bytes + s[NNT_SUBGRAPHS].off);
		n->operands = (const void *)(n->bytes + s[NNT_OPERANDS].off);
		n->operations = (const void *)(n->bytes + s[NNT_OPERATIONS].off);
		n->pool = (const void *)(n->bytes + s[NNT_U32POOL].off);
		n->blobs = (const void *)(n->bytes + s[NNT_BLOBS].off);
		n->strings = (const char *)n->bytes + s[NNT_STRINGS].off;
		n->num_examples = s[NNT_EXAMPLES].count;
		why = check_operands(n);
	}
	if (!why)
		why = check_graphs(n);
	if (!why)
		return 0;
	snprintf(error, error_size, "%s", why);
	nnt_close(n);
	return -1;
}

void nnt_close(struct nnt *n)
{
	free(n->bytes);
	memset(n, 0, sizeof(*n));
}

const char *nnt_string(const struct nnt *n, uint32_t offset)
{
	return offset == NNT_NONE ? "" : n->strings + offset;
}

const struct nnt_operand *nnt_input(const struct nnt *n, const struct nnt_example *ex, uint32_t i)
{
	const struct nnt_subgraph *main = &n->subgraphs[ex->first_subgraph];

	return &n->operands[main->first_operand + n->pool[main->inputs + i]];
}

const struct nnt_operand *nnt_output(const struct nnt *n, const struct nnt_example *ex, uint32_t i)
{
	const struct nnt_subgraph *main = &n->subgraphs[ex->first_subgraph];

	return &n->operands[main->first_operand + n->pool[main->outputs + i]];
}

const void *nnt_data(const struct nnt *n, const struct nnt_operand *o)
{
	return o->blob == NNT_NONE ? NULL : n->bytes + n->blobs[o->blob].off;
}

/* ---- to a model ---- */

/* Where the constants of a model are put. Values are padded to 4 bytes. */
struct packing {
	uint8_t *data;
	size_t size;
};

static int nnt_pack(struct packing *p, const void *data, size_t size, uint64_t *offset)
{
	size_t padded = (size + 3) & ~(size_t)3;
	uint8_t *bigger;

	/* one blob may be the value of any number of operands */
	if (padded > NNT_MAX_FILE - p->size)
		return -1;
	bigger = realloc(p->data, p->size + padded + 1);
	if (!bigger)
		return -1;
	p->data = bigger;
	*offset = p->size;
	memset(bigger + p->size, 0, padded);
	if (size)
		memcpy(bigger + p->size, data, size);
	p->size += padded;
	return 0;
}

static void *copy_list(const void *from, uint32_t count)
{
	void *list = malloc((size_t)count * 4 + 1);

	if (list && count)
		memcpy(list, from, (size_t)count * 4);
	return list;
}

static int make_operand(const struct nnt *n, const struct nnt_operand *from,
			struct nnmodel_operand *to, struct packing *values, struct packing *pool)
{
	const void *data = nnt_data(n, from);
	uint32_t index;

	to->type = from->type;
	to->lifetime = from->lifetime;
	to->rank = from->rank;
	to->dims = copy_list(n->pool + from->dims, from->rank);
	to->scale = from->scale;
	to->zero_point = from->zero_point;
	if (!to->dims)
		return -1;
	if (from->flags & NNT_OPERAND_CHANNEL_QUANT) {
		to->channel_dim = from->channel_dim;
		to->num_scales = from->scale_count;
		to->scales = copy_list(n->pool + from->scales, from->scale_count);
		if (!to->scales)
			return -1;
	}
	switch (from->lifetime) {
	case NNMODEL_CONSTANT_COPY:
	case NNMODEL_CONSTANT_REFERENCE:
		/* A constant of 0 bytes is an omitted operand. */
		if (!from->data_size) {
			to->lifetime = NNMODEL_NO_VALUE;
			return 0;
		}
		to->location.length = from->data_size;
		return nnt_pack(from->lifetime == NNMODEL_CONSTANT_COPY ? values : pool, data,
				from->data_size, &to->location.offset);
	case NNMODEL_LIFETIME_SUBGRAPH:
		if (from->data_size != sizeof(index))
			return 0;
		memcpy(&index, data, sizeof(index));
		to->location.offset = index;
		return 0;
	default:
		return 0;
	}
}

static int make_graph(const struct nnt *n, const struct nnt_subgraph *from,
		      struct nnmodel_subgraph *to, struct packing *values, struct packing *pool)
{
	to->operands = calloc(from->operand_count + 1, sizeof(*to->operands));
	to->operations = calloc(from->operation_count + 1, sizeof(*to->operations));
	to->inputs = copy_list(n->pool + from->inputs, from->input_count);
	to->outputs = copy_list(n->pool + from->outputs, from->output_count);
	if (!to->operands || !to->operations || !to->inputs || !to->outputs)
		return -1;
	to->num_inputs = from->input_count;
	to->num_outputs = from->output_count;
	to->num_operands = from->operand_count;
	for (uint32_t i = 0; i < from->operand_count; i++)
		if (make_operand(n, &n->operands[from->first_operand + i], &to->operands[i], values,
				 pool))
			return -1;
	to->num_operations = from->operation_count;
	for (uint32_t i = 0; i < from->operation_count; i++) {
		const struct nnt_operation *op = &n->operations[from->first_operation + i];
		struct nnmodel_operation *t = &to->operations[i];

		t->type = op->type;
		t->inputs = copy_list(n->pool + op->inputs, op->input_count);
		t->outputs = copy_list(n->pool + op->outputs, op->output_count);
		if (!t->inputs || !t->outputs)
			return -1;
		t->num_inputs = op->input_count;
		t->num_outputs = op->output_count;
	}
	return 0;
}

static int add_pool(struct nnmodel *model, const struct packing *pool)
{
	int fd;

	if (!pool->size)
		return 0;
	fd = memfd_create("nnt-constants", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (write(fd, pool->data, pool->size) == (ssize_t)pool->size &&
	    nnmodel_add_pool(model, fd, PROT_READ, 0, pool->size) >= 0)
		return 0;
	close(fd);
	return -1;
}

struct nnmodel *nnt_model(const struct nnt *n, const struct nnt_example *ex)
{
	struct packing values = { 0 }, pool = { 0 };
	struct nnmodel *model = nnmodel_new();
	int ret = -1;

	if (!model)
		return NULL;
	model->relaxed = ex->flags & NNT_RELAXED;
	model->referenced = calloc(ex->subgraph_count, sizeof(*model->referenced));
	if (!model->referenced)
		goto out;
	model->num_referenced = ex->subgraph_count - 1;
	ret = make_graph(n, &n->subgraphs[ex->first_subgraph], &model->main, &values, &pool);
	for (uint32_t i = 1; i < ex->subgraph_count && !ret; i++)
		ret = make_graph(n, &n->subgraphs[ex->first_subgraph + i],
				 &model->referenced[i - 1], &values, &pool);
	model->values = values.data;
	model->values_size = values.size;
	if (!ret)
		ret = add_pool(model, &pool);
out:
	free(pool.data);
	if (!ret)
		return model;
	nnmodel_free(model);
	return NULL;
}
