// SPDX-License-Identifier: Apache-2.0
#include "nncapture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "nnt.h"
#include "nnutil_file.h"
#include "nnutil_log.h"

#define SECTION_ALIGNMENT 64u
/* of blobs below 64 bytes */
#define BLOB_ALIGNMENT 16u

struct section {
	uint8_t *data;
	size_t size, room;
};

struct writer {
	struct section sections[NNT_NSECTIONS];
	const struct nnmodel *model;
	const struct nnmodel_maps *maps;
	bool half; /* some operand is TENSOR_FLOAT16 */
	bool failed; /* no memory */
	struct nncapture_error *error;
};

/* The value is -1. */
#define REFUSE(error, ...) nnutil_refuse((error)->text, sizeof((error)->text), -1, __VA_ARGS__)

static size_t align(size_t size, size_t alignment)
{
	return (size + alignment - 1) & ~(alignment - 1);
}

/* Returns where the bytes are in the section. */
static size_t section_add(struct writer *w, int number, const void *data, size_t size)
{
	struct section *s = &w->sections[number];
	const size_t at = s->size;

	if (!size)
		return at;
	if (size > s->room - s->size) {
		const size_t room = 2 * s->room + size + 4096;
		uint8_t *bigger = realloc(s->data, room);

		if (!bigger) {
			w->failed = true;
			return 0;
		}
		s->data = bigger;
		s->room = room;
	}
	if (data)
		memcpy(s->data + at, data, size);
	else
		memset(s->data + at, 0, size);
	s->size += size;
	return at;
}

static uint32_t pool_add(struct writer *w, const void *words, uint32_t count)
{
	return (uint32_t)(section_add(w, NNT_U32POOL, words, (size_t)count * 4) / 4);
}

static uint32_t string_add(struct writer *w, const char *text)
{
	return text[0] ? (uint32_t)section_add(w, NNT_STRINGS, text, strlen(text) + 1) : 0;
}

/* ---- blobs: equal ones are in the file once ---- */

/* The offset is that in the section until file_assemble(). */
static bool blob_is(const struct writer *w, const struct nnt_blob *blob, const void *data,
		    size_t size, uint32_t crc)
{
	return blob->size == size && blob->crc32 == crc &&
	       !memcmp(w->sections[NNT_BLOBDATA].data + blob->off, data, size);
}

static uint32_t blob_add(struct writer *w, const void *data, size_t size)
{
	const struct section *section = &w->sections[NNT_BLOBS];
	struct nnt_blob *blobs = (void *)section->data, blob = { .size = size, .refs = 1 };
	struct section *bytes = &w->sections[NNT_BLOBDATA];
	const size_t count = section->size / sizeof(blob);

	if (!size)
		return NNT_NONE;
	blob.crc32 = (uint32_t)crc32_z(0, data, size);
	for (size_t i = 0; i < count; i++)
		if (blob_is(w, &blobs[i], data, size, blob.crc32)) {
			blobs[i].refs++;
			return (uint32_t)i;
		}
	blob.off =
		align(bytes->size, size < SECTION_ALIGNMENT ? BLOB_ALIGNMENT : SECTION_ALIGNMENT);
	section_add(w, NNT_BLOBDATA, NULL, blob.off - bytes->size);
	section_add(w, NNT_BLOBDATA, data, size);
	return (uint32_t)(section_add(w, NNT_BLOBS, &blob, sizeof(blob)) / sizeof(blob));
}

/* ---- graphs ---- */

static int refuse_extension(const struct writer *w, uint32_t type)
{
	return REFUSE(w->error,
		      "a capture cannot name number %u of an extension (type or operation 0x%x)",
		      type & 0xffff, type);
}

/* Contents that the model itself has. 0, or -1 with the reason. */
static int contents_find(const struct writer *w, const struct nnmodel_operand *operand,
			 uint32_t *subgraph, struct nncapture_value *value)
{
	switch (operand->lifetime) {
	case NNMODEL_CONSTANT_COPY:
	case NNMODEL_CONSTANT_REFERENCE:
		if (!nnmodel_constant(w->model, w->maps, operand, &value->data, &value->size))
			return 0;
		return REFUSE(w->error, "a constant of the model lies outside of its memory");
	case NNMODEL_LIFETIME_SUBGRAPH:
		*subgraph = (uint32_t)operand->location.offset;
		value->data = subgraph;
		value->size = sizeof(*subgraph);
		return 0;
	default:
		return 0;
	}
}

/* @given: the value of an input or output; NULL: what the model has. */
static int operand_add(struct writer *w, const struct nnmodel_subgraph *graph, uint32_t number,
		       const struct nncapture_value *given)
{
	const struct nnmodel_operand *from = &graph->operands[number];
	struct nncapture_value value = { 0 };
	struct nnt_operand to = {
		.type = from->type,
		.lifetime = from->lifetime,
		.rank = from->rank,
		.dims = pool_add(w, from->dims, from->rank),
		.scale = from->scale,
		.zero_point = from->zero_point,
	};
	uint32_t subgraph;

	if (from->type > NNMODEL_TYPE_BASE_MAX)
		return refuse_extension(w, from->type);
	if (given)
		value = *given;
	else if (contents_find(w, from, &subgraph, &value))
		return -1;
	if (from->type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		to.flags |= NNT_OPERAND_CHANNEL_QUANT;
		to.channel_dim = from->channel_dim;
		to.scale_count = from->num_scales;
		to.scales = pool_add(w, from->scales, from->num_scales);
	}
	for (uint32_t i = 0; i < graph->num_operations; i++)
		for (uint32_t k = 0; k < graph->operations[i].num_inputs; k++)
			to.consumers += graph->operations[i].inputs[k] == number;
	to.name = value.name ? string_add(w, value.name) : 0;
	to.blob = blob_add(w, value.data, value.size);
	to.data_size = value.size;
	w->half = w->half || from->type == NNMODEL_TENSOR_FLOAT16;
	section_add(w, NNT_OPERANDS, &to, sizeof(to));
	return 0;
}

static int operation_add(struct writer *w, const struct nnmodel_operation *from)
{
	const struct nnt_operation to = {
		.type = from->type,
		.input_count = from->num_inputs,
		.inputs = pool_add(w, from->inputs, from->num_inputs),
		.output_count = from->num_outputs,
		.outputs = pool_add(w, from->outputs, from->num_outputs),
	};

	if (from->type > NNMODEL_TYPE_BASE_MAX)
		return refuse_extension(w, from->type);
	section_add(w, NNT_OPERATIONS, &to, sizeof(to));
	return 0;
}

/* The value of operand @number, or NULL. */
static const struct nncapture_value *value_find(const struct nncapture_value *values,
						const uint32_t *numbers, uint32_t count,
						uint32_t number)
{
	for (uint32_t i = 0; values && i < count; i++)
		if (numbers[i] == number)
			return &values[i];
	return NULL;
}

/* @c: of the main subgraph; else NULL */
static int graph_add(struct writer *w, const struct nnmodel_subgraph *graph,
		     const struct nncapture *c)
{
	struct nnt_subgraph to = {
		.name = NNT_NONE,
		.first_operand =
			(uint32_t)(w->sections[NNT_OPERANDS].size / sizeof(struct nnt_operand)),
		.operand_count = graph->num_operands,
		.first_operation =
			(uint32_t)(w->sections[NNT_OPERATIONS].size / sizeof(struct nnt_operation)),
		.operation_count = graph->num_operations,
		.input_count = graph->num_inputs,
		.inputs = pool_add(w, graph->inputs, graph->num_inputs),
		.output_count = graph->num_outputs,
		.outputs = pool_add(w, graph->outputs, graph->num_outputs),
	};
	int ret = 0;

	for (uint32_t i = 0; i < graph->num_operands && !ret; i++) {
		const struct nncapture_value *value = NULL;

		if (c)
			value = value_find(c->inputs, graph->inputs, graph->num_inputs, i);
		if (c && !value)
			value = value_find(c->outputs, graph->outputs, graph->num_outputs, i);
		ret = operand_add(w, graph, i, value);
	}
	for (uint32_t i = 0; i < graph->num_operations && !ret; i++)
		ret = operation_add(w, &graph->operations[i]);
	section_add(w, NNT_SUBGRAPHS, &to, sizeof(to));
	return ret;
}

static int model_add(struct writer *w, const struct nncapture *c)
{
	const uint32_t name = string_add(w, c->name);
	struct nnt_example example = {
		.name = name,
		.cpp_name = name,
		.flags = (c->model->relaxed ? NNT_RELAXED : 0u) |
			 (c->outputs ? 0u : NNT_EXPECT_FAILURE),
		.subgraph_count = 1 + c->model->num_referenced,
	};
	const uint64_t loop = c->limits.loop_timeout_ns, timeout = c->limits.timeout_ns;
	int ret = graph_add(w, &c->model->main, c);

	for (uint32_t i = 0; i < c->model->num_referenced && !ret; i++)
		ret = graph_add(w, &c->model->referenced[i], NULL);
	if (w->half)
		example.flags |= NNT_HAS_FLOAT16;
	if (loop || timeout) {
		example.flags |= NNT_LIMITS;
		example.limits[0] = (uint32_t)loop;
		example.limits[1] = (uint32_t)(loop >> 32);
		example.limits[2] = (uint32_t)timeout;
		example.limits[3] = (uint32_t)(timeout >> 32);
	}
	section_add(w, NNT_EXAMPLES, &example, sizeof(example));
	return ret;
}

/* ---- the file ---- */

static bool sections_fit(const struct writer *w)
{
	size_t sum = sizeof(struct nnt_header);

	for (int i = 0; i < NNT_NSECTIONS; i++)
		sum += align(w->sections[i].size, SECTION_ALIGNMENT);
	return sum <= NNT_MAX_FILE;
}

static void *file_assemble(struct writer *w, struct nnt_header *header, size_t *size)
{
	struct nnt_blob *blobs = (void *)w->sections[NNT_BLOBS].data;
	size_t end = sizeof(*header);
	uint8_t *bytes;

	for (int i = 0; i < NNT_NSECTIONS; i++) {
		const size_t at = align(end, SECTION_ALIGNMENT);

		header->sec[i] = (struct nnt_section){
			at, (uint32_t)(w->sections[i].size / nnt_entry_sizes[i]), nnt_entry_sizes[i]
		};
		end = at + w->sections[i].size;
	}
	for (uint32_t i = 0; i < header->sec[NNT_BLOBS].count; i++)
		blobs[i].off += header->sec[NNT_BLOBDATA].off;
	bytes = calloc(1, end);
	if (!bytes)
		return NULL;
	for (int i = 0; i < NNT_NSECTIONS; i++)
		if (w->sections[i].size)
			memcpy(bytes + header->sec[i].off, w->sections[i].data,
			       w->sections[i].size);
	header->file_size = end;
	header->crc32 = (uint32_t)crc32_z(0, bytes + sizeof(*header), end - sizeof(*header));
	memcpy(bytes, header, sizeof(*header));
	*size = end;
	return bytes;
}

/* Write to @fd, which is closed. 0 or -errno. */
static int bytes_store(int fd, const void *bytes, size_t size)
{
	int ret = nnutil_write_all(fd, bytes, size);

	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* Under another name, which no other process has, until it is complete. */
static int file_store(const char *path, const void *bytes, size_t size,
		      struct nncapture_error *error)
{
	char *part;
	int fd, ret;

	if (asprintf(&part, "%s.XXXXXX", path) < 0)
		return REFUSE(error, "out of memory");
	fd = mkostemp(part, O_CLOEXEC);
	ret = fd < 0 ? -errno : bytes_store(fd, bytes, size);
	if (!ret && rename(part, path))
		ret = -errno;
	if (ret && fd >= 0)
		unlink(part);
	free(part);
	return ret ? REFUSE(error, "%s: %s", path, strerror(-ret)) : 0;
}

static void *capture_make(struct writer *w, const struct nncapture *c, size_t *size)
{
	struct nnt_header header = { .version = 1, .header_size = sizeof(header) };
	void *bytes = NULL;

	memcpy(header.magic, nnt_magic, sizeof(header.magic));
	section_add(w, NNT_STRINGS, "", 1);
	if (model_add(w, c))
		return NULL;
	header.spec_name = string_add(w, c->name);
	header.folder = string_add(w, "capture");
	header.source_rev = string_add(w, c->origin);
	if (!w->failed && !sections_fit(w)) {
		REFUSE(w->error, "the capture would have more than %u MiB", NNT_MAX_FILE >> 20);
		return NULL;
	}
	if (!w->failed)
		bytes = file_assemble(w, &header, size);
	if (!bytes)
		REFUSE(w->error, "out of memory");
	return bytes;
}

void *nncapture_bytes(const struct nncapture *c, size_t *size, struct nncapture_error *error)
{
	struct writer w = { .model = c->model, .error = error };
	struct nnmodel_maps *maps;
	void *bytes;
	int ret = nnmodel_map_pools(c->model, &maps);

	if (ret) {
		REFUSE(error, "the constants of the model cannot be read: %s", strerror(-ret));
		return NULL;
	}
	w.maps = maps;
	bytes = capture_make(&w, c, size);
	for (int i = 0; i < NNT_NSECTIONS; i++)
		free(w.sections[i].data);
	nnmodel_unmap_pools(maps);
	return bytes;
}

int nncapture_write(const struct nncapture *c, const char *path, struct nncapture_error *error)
{
	size_t size;
	void *bytes = nncapture_bytes(c, &size, error);
	int ret = bytes ? file_store(path, bytes, size, error) : -1;

	free(bytes);
	return ret;
}
