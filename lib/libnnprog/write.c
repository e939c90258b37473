// SPDX-License-Identifier: Apache-2.0
/* The builder's end: plan the arena, lay the sections out, write, verify what was written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "verify.h"
#include "nnprog_builder.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "nnutil_align.h"
#include "control_flow.h"
#include "plan.h"

static int out_of_memory(struct nnprog_error *err)
{
	nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "out of memory");
	return -ENOMEM;
}

static uint32_t count_io(const void *priv, uint32_t graph, bool output)
{
	const struct nnprog_builder *b = priv;

	return output ? b->subgraphs[graph].num_outputs : b->subgraphs[graph].num_inputs;
}

static void get_io(const void *priv, uint32_t graph, bool output, uint32_t i,
		   struct nnprog_operand *op)
{
	const struct nnprog_builder *b = priv;
	const struct build_subgraph *sg = &b->subgraphs[graph];

	*op = sg->tensors[sg->io[output ? sg->num_inputs + i : i]].op;
}

void nnprog_builder_stop(struct nnprog_builder *b, bool (*stop)(void *cookie), void *cookie)
{
	b->stop = stop;
	b->stop_cookie = cookie;
}

static bool stopped(const struct nnprog_builder *b)
{
	return b->stop && b->stop(b->stop_cookie);
}

static int too_late(struct nnprog_error *err)
{
	nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "given up");
	return -ETIME;
}

/** Infer again from the start: shapes may have been learned after an operation was added. The
 * shapes of a subgraph are known before those of its users, which have lower numbers. */
static int infer_all(struct nnprog_builder *b, struct nnprog_error *err)
{
	const struct nnprog_graphs graphs = { b, (uint32_t)b->num_subgraphs, count_io, get_io };

	for (size_t i = b->num_subgraphs; i--;)
		for (size_t n = 0; n < b->subgraphs[i].num_operations; n++) {
			int ret = stopped(b) ? too_late(err)
					     : nnprog_build_infer(&b->subgraphs[i], (uint32_t)i,
								  &b->subgraphs[i].operations[n],
								  &graphs, err);

			if (ret && err) {
				err->subgraph = (uint32_t)i;
				err->operation = (uint32_t)n;
			}
			if (ret)
				return ret;
		}
	return 0;
}

static void find_lives(const struct build_subgraph *sg, struct nnprog_life *life)
{
	for (size_t i = 0; i < sg->num_tensors; i++)
		life[i] = (struct nnprog_life){ NNPROG_NONE, 0 };
	for (size_t n = 0; n < sg->num_operations; n++) {
		const struct build_operation *op = &sg->operations[n];

		for (uint32_t i = 0; i < op->num_in + op->num_out; i++) {
			struct nnprog_life *l = &life[op->list[i]];

			if (l->first == NNPROG_NONE)
				l->first = (uint32_t)n;
			l->last = (uint32_t)n;
		}
	}
}

static int plan_arena(const struct nnprog_builder *b, struct build_subgraph *sg,
		      struct nnprog_error *err)
{
	struct nnprog_life *life = malloc((sg->num_tensors + 1) * sizeof(*life));
	struct nnprog_plan_item *items = calloc(sg->num_tensors + 1, sizeof(*items));
	size_t count = 0;
	int ret;

	if (!life || !items) {
		ret = out_of_memory(err);
		goto out;
	}
	find_lives(sg, life);
	for (size_t i = 0; i < sg->num_tensors; i++) {
		struct build_tensor *t = &sg->tensors[i];

		t->offset = NNPROG_NO_OFFSET;
		if (t->kind != NNPROG_TEMP || life[i].first == NNPROG_NONE ||
		    nnprog_shape_bytes(&t->op.shape, t->op.dtype, &items[count].size))
			continue;
		items[count].life = life[i];
		count++;
		t->offset = 0;
	}
	ret = nnprog_plan_until(items, count, &sg->arena_size, b->stop, b->stop_cookie);
	if (ret == -ETIME) {
		too_late(err);
		goto out;
	}
	if (ret) {
		nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
				 ret == -ENOMEM ? "out of memory" : "temporaries are too large");
		goto out;
	}
	count = 0;
	for (size_t i = 0; i < sg->num_tensors; i++)
		if (sg->tensors[i].offset == 0)
			sg->tensors[i].offset = items[count++].offset;
out:
	free(items);
	free(life);
	return ret;
}

/** Sizes of the sections, entries; the same walk as in write_subgraph(). */
static void write_measure(const struct nnprog_builder *b, uint64_t count[NNPROG_SECTION_COUNT])
{
	memset(count, 0, NNPROG_SECTION_COUNT * sizeof(*count));
	count[NNPROG_SUBGRAPHS] = b->num_subgraphs;
	count[NNPROG_STRINGS] = 1;
	for (size_t i = 0; i < b->num_subgraphs; i++) {
		const struct build_subgraph *sg = &b->subgraphs[i];

		count[NNPROG_TENSORS] += sg->num_tensors;
		count[NNPROG_OPERATIONS] += sg->num_operations;
		count[NNPROG_INDEX] += sg->num_inputs + sg->num_outputs;
		if (*sg->name)
			count[NNPROG_STRINGS] += strlen(sg->name) + 1;
		for (size_t n = 0; n < sg->num_operations; n++) {
			const struct build_operation *op = &sg->operations[n];

			count[NNPROG_INDEX] += op->num_in + op->num_out;
			if (op->attrs_size)
				count[NNPROG_ATTRS] =
					nnutil_align_up(count[NNPROG_ATTRS], 8) + op->attrs_size;
			if (op->ext_name)
				count[NNPROG_STRINGS] += strlen(op->ext_name) + 1;
		}
		for (size_t n = 0; n < sg->num_tensors; n++) {
			count[NNPROG_SCALES] += sg->tensors[n].op.num_scales;
		}
	}
}

static bool is_shared(const struct nnprog_builder *b, const struct build_tensor *t)
{
	return b->share && t->kept && t->size >= NNPROG_SHARED_MIN &&
	       nnutil_is_aligned((uintptr_t)t->op.data, NNPROG_ALIGN);
}

/**
 * The places of the constants in DATA, which begins at byte @section of the program. The bytes of
 * DATA, how many of them are shared, and the version that its gaps need.
 */
static uint64_t place_constants(struct nnprog_builder *b, uint64_t section, uint64_t *shared,
				uint32_t *version)
{
	uint64_t end = 0, gap;

	*shared = 0;
	for (size_t i = 0; i < b->num_subgraphs; i++) {
		struct build_subgraph *sg = &b->subgraphs[i];

		for (size_t n = 0; n < sg->num_tensors; n++) {
			struct build_tensor *t = &sg->tensors[n];

			if (t->kind != NNPROG_CONST)
				continue;
			t->offset = nnutil_align_up(end, NNPROG_ALIGN);
			t->shared = is_shared(b, t);
			if (t->shared) {
				gap = ((uintptr_t)t->op.data - section - t->offset) % b->page;
				if (gap)
					*version = NNPROG_VERSION;
				t->offset += gap;
				*shared += t->size;
			}
			end = t->offset + t->size;
		}
	}
	return end;
}

/** Where the next entry of each section goes. */
struct writer {
	uint8_t *base;
	const struct nnprog_section *sections;
	uint64_t used[NNPROG_SECTION_COUNT];
};

/**
 * Room for @count entries of a section at a multiple of @align; their number is returned in @at.
 */
static void *write_take(struct writer *w, uint32_t section, uint64_t count, uint64_t align,
			uint32_t *at)
{
	const struct nnprog_section *s = &w->sections[section];
	uint64_t n = nnutil_align_up(w->used[section], align);

	w->used[section] = n + count;
	if (at)
		*at = (uint32_t)n;
	return w->base + s->offset + n * s->stride;
}

static uint32_t write_string(struct writer *w, const char *s)
{
	uint32_t at;

	if (!s || !*s)
		return 0;
	strcpy(write_take(w, NNPROG_STRINGS, strlen(s) + 1, 1, &at), s);
	return at;
}

static uint32_t write_list(struct writer *w, const uint32_t *list, uint32_t count)
{
	uint32_t at;
	uint32_t *to = write_take(w, NNPROG_INDEX, count, 1, &at);

	if (count)
		memcpy(to, list, count * sizeof(*list));
	return at;
}

static void write_tensor(struct writer *w, const struct build_tensor *t)
{
	struct nnprog_tensor *to = write_take(w, NNPROG_TENSORS, 1, 1, NULL);
	uint64_t n;

	to->dtype = t->op.dtype;
	to->kind = t->kind;
	to->offset = t->offset;
	if (t->kind == NNPROG_OMITTED)
		return;
	to->rank = t->op.shape.rank;
	memcpy(to->dims, t->op.shape.dims, sizeof(to->dims));
	to->scale = t->op.scale;
	to->zero_point = t->op.zero_point;
	to->channel_dim = t->op.channel_dim;
	if (t->op.num_scales) {
		to->num_scales = t->op.num_scales;
		memcpy(write_take(w, NNPROG_SCALES, to->num_scales, 1, &to->scales), t->op.scales,
		       to->num_scales * sizeof(float));
	}
	if (!nnprog_shape_bytes(&t->op.shape, t->op.dtype, &n))
		to->size = n;
	if (t->kind == NNPROG_CONST && t->size && !t->shared)
		memcpy(w->base + w->sections[NNPROG_DATA].offset + t->offset, t->op.data, t->size);
}

static void write_operation(struct writer *w, const struct build_operation *op)
{
	struct nnprog_operation *to = write_take(w, NNPROG_OPERATIONS, 1, 1, NULL);

	to->opcode = op->opcode;
	to->num_inputs = op->num_in;
	to->num_outputs = op->num_out;
	to->inputs = write_list(w, op->list, op->num_in);
	to->outputs = write_list(w, op->list + op->num_in, op->num_out);
	to->attrs_size = (uint32_t)op->attrs_size;
	if (op->attrs_size)
		memcpy(write_take(w, NNPROG_ATTRS, op->attrs_size, 8, &to->attrs), op->attrs,
		       op->attrs_size);
	to->name = write_string(w, op->ext_name);
}

/** 0; -ETIME before a constant: they may be large. */
static int write_subgraph(const struct nnprog_builder *b, struct writer *w,
			  const struct build_subgraph *sg)
{
	struct nnprog_subgraph *to = write_take(w, NNPROG_SUBGRAPHS, 1, 1, NULL);

	to->first_tensor = (uint32_t)w->used[NNPROG_TENSORS];
	to->num_tensors = (uint32_t)sg->num_tensors;
	to->first_operation = (uint32_t)w->used[NNPROG_OPERATIONS];
	to->num_operations = (uint32_t)sg->num_operations;
	to->num_inputs = sg->num_inputs;
	to->num_outputs = sg->num_outputs;
	to->arena_size = sg->arena_size;
	to->inputs = write_list(w, sg->io, sg->num_inputs);
	to->outputs = write_list(w, sg->io + (sg->io ? sg->num_inputs : 0), sg->num_outputs);
	to->name = write_string(w, sg->name);
	for (size_t i = 0; i < sg->num_tensors; i++) {
		if (sg->tensors[i].kind == NNPROG_CONST && stopped(b))
			return -ETIME;
		write_tensor(w, &sg->tensors[i]);
	}
	for (size_t i = 0; i < sg->num_operations; i++)
		write_operation(w, &sg->operations[i]);
	return 0;
}

static const uint32_t strides[NNPROG_SECTION_COUNT] = {
	[NNPROG_SUBGRAPHS] = sizeof(struct nnprog_subgraph),
	[NNPROG_TENSORS] = sizeof(struct nnprog_tensor),
	[NNPROG_OPERATIONS] = sizeof(struct nnprog_operation),
	[NNPROG_INDEX] = sizeof(uint32_t),
	[NNPROG_ATTRS] = 1,
	[NNPROG_SCALES] = sizeof(float),
	[NNPROG_STRINGS] = 1,
	[NNPROG_DATA] = 1,
};

/**
 * Header with the section table, and the places of the constants; @shared: bytes of those that are
 * shared. 0 or -EOVERFLOW.
 */
static int lay_out(struct nnprog_builder *b, struct nnprog_header *h, uint64_t *shared)
{
	uint64_t count[NNPROG_SECTION_COUNT], end = sizeof(*h);

	write_measure(b, count);
	*h = (struct nnprog_header){
		.magic = NNPROG_MAGIC,
		.version = NNPROG_VERSION_DENSE,
		.header_size = sizeof(*h),
		.opset_version = NNPROG_OPSET_VERSION,
		.flags = b->flags,
		.arena_size = b->subgraphs[0].arena_size,
	};
	for (uint32_t i = 0; i < NNPROG_SECTION_COUNT; i++) {
		end = nnutil_align_up(end, NNPROG_ALIGN);
		if (i == NNPROG_DATA)
			count[i] = place_constants(b, end, shared, &h->version);
		if (count[i] > NNPROG_MAX_SIZE || count[i] * strides[i] > NNPROG_MAX_SIZE - end)
			return -EOVERFLOW;
		h->sections[i] = (struct nnprog_section){ end, (uint32_t)count[i], strides[i] };
		end += count[i] * strides[i];
	}
	h->total_size = end;
	return 0;
}

void nnprog_builder_memory(struct nnprog_builder *b,
			   void *(*memory)(void *cookie, size_t size, size_t shared), void *cookie)
{
	b->memory = memory;
	b->memory_cookie = cookie;
}

void nnprog_builder_share(struct nnprog_builder *b,
			  int (*share)(void *cookie, void *to, const void *from, size_t size),
			  void *cookie, size_t page)
{
	b->share = share;
	b->share_cookie = cookie;
	b->page = page;
}

static void *own_memory(size_t size)
{
	size_t room = nnutil_align_up(size, NNPROG_ALIGN);
	void *p = aligned_alloc(NNPROG_ALIGN, room);

	return p ? memset(p, 0, room) : NULL;
}

/** 0, -ETIME or the error of nnprog_builder_share(). */
static int share_constants(const struct nnprog_builder *b, uint8_t *data, struct nnprog_error *err)
{
	for (size_t i = 0; i < b->num_subgraphs; i++) {
		const struct build_subgraph *sg = &b->subgraphs[i];

		for (size_t n = 0; n < sg->num_tensors; n++) {
			const struct build_tensor *t = &sg->tensors[n];
			int ret = 0;

			if (!t->shared)
				continue;
			if (stopped(b))
				return too_late(err);
			ret = b->share(b->share_cookie, data + t->offset, t->op.data, t->size);
			if (ret) {
				nnprog_refuse_at(err, 0, (uint32_t)i, NNPROG_NONE,
						 "tensor %zu: its contents cannot be shared: %s", n,
						 strerror(-ret));
				return ret;
			}
		}
	}
	return 0;
}

/** Into the memory that was given. 0, -ETIME or the error of verification or sharing. */
static int write_program(const struct nnprog_builder *b, const struct nnprog_header *layout,
			 uint8_t *base, struct nnprog_error *err)
{
	struct writer w = { .base = base, .sections = layout->sections };
	struct nnprog_header h = *layout;
	struct nnprog prog;
	int ret = share_constants(b, base + h.sections[NNPROG_DATA].offset, err);

	if (ret)
		return ret;
	write_take(&w, NNPROG_STRINGS, 1, 1, NULL);
	for (size_t i = 0; i < b->num_subgraphs && !ret; i++)
		ret = write_subgraph(b, &w, &b->subgraphs[i]);
	if (ret || stopped(b))
		return too_late(err);
	if (!(h.flags & NNPROG_FLAG_UNSUMMED))
		h.crc32 = nnprog_crc32(0, base + sizeof(h), h.total_size - sizeof(h));
	memcpy(base, &h, sizeof(h));
	/* but for the checksum, which would be computed from the same bytes again */
	return nnprog_verify_summed(base, h.total_size, &prog, err);
}

int nnprog_builder_finish(struct nnprog_builder *b, void **bytes, size_t *size,
			  struct nnprog_error *err)
{
	struct nnprog_header h;
	uint64_t shared = 0;
	void *base;
	int ret;

	*bytes = NULL;
	*size = 0;
	if (!b->num_subgraphs)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "no subgraph");
	ret = infer_all(b, err);
	for (size_t i = 0; i < b->num_subgraphs && !ret; i++)
		ret = plan_arena(b, &b->subgraphs[i], err);
	if (ret)
		return ret;
	ret = lay_out(b, &h, &shared);
	if (ret) {
		nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "program is too large");
		return ret;
	}
	base = b->memory ? b->memory(b->memory_cookie, h.total_size, shared)
			 : own_memory(h.total_size);
	if (!base)
		return out_of_memory(err);
	ret = write_program(b, &h, base, err);
	if (ret) {
		if (!b->memory)
			free(base);
		return ret;
	}
	*bytes = base;
	*size = h.total_size;
	return 0;
}
