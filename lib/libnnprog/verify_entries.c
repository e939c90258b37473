// SPDX-License-Identifier: Apache-2.0
/*
 * Second stage of verification: every entry by itself. Lists, attributes, scales and constants have
 * one owner each, in whose order they are stored, so that a small program cannot cause much work.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnaccel/nnaccel_ring.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "nnutil_align.h"
#include "plan.h"
#include "verify.h"

_Static_assert(NNPROG_MAX_RANK == NNACCEL_MAX_RANK, "arguments carry every shape");

/** What earlier entries have used of the shared sections. */
struct cursors {
	uint64_t tensors, operations, index, attrs, scales, data;
	bool gaps; /* larger ones than alignment needs, in data */
};

#define BAD_SCALE "per-channel scale is not a positive number"

/** Where the bytes of a tensor are. Text of what is wrong, or NULL. */
static const char *check_location(const struct nnprog *prog, const struct nnprog_subgraph *sg,
				  const struct nnprog_tensor *t, struct cursors *at)
{
	const struct nnprog_section *data = &prog->header->sections[NNPROG_DATA];
	struct nnprog_shape shape = { .rank = t->rank };
	uint64_t bytes = 0, start, room;
	bool complete;

	memcpy(shape.dims, t->dims, sizeof(shape.dims));
	complete = t->kind != NNPROG_OMITTED && nnprog_shape_complete(&shape);
	if (complete && nnprog_shape_bytes(&shape, t->dtype, &bytes))
		return "tensor is too large";
	if (t->size != bytes)
		return "size is not that of the shape";
	if (t->kind == NNPROG_TEMP) {
		if (t->offset == NNPROG_NO_OFFSET)
			return NULL;
		if (!complete)
			return "arena offset of a tensor of unknown size";
		if (t->offset % NNPROG_ALIGN)
			return "arena offset is not aligned";
		if (t->offset > sg->arena_size || bytes > sg->arena_size - t->offset)
			return "tensor reaches beyond the arena";
		return NULL;
	}
	if (t->kind != NNPROG_CONST)
		return t->offset == NNPROG_NO_OFFSET ? NULL
						     : "offset of a tensor that must not have one";
	if (!complete)
		return "constant of unknown shape";
	start = nnutil_align_up(at->data, NNPROG_ALIGN);
	room = prog->header->version > NNPROG_VERSION_DENSE ? NNPROG_MAX_GAP : NNPROG_ALIGN;
	if (t->offset < start || t->offset - start >= room || t->offset % NNPROG_ALIGN ||
	    t->offset > data->count || bytes > data->count - t->offset)
		return "constant is not in the order of the tensors";
	for (uint64_t i = at->data; i < t->offset; i++)
		if (prog->data[i])
			return "gap before the constant is not 0";
	at->gaps |= t->offset != start;
	at->data = t->offset + bytes;
	return NULL;
}

static const char *check_tensor(const struct nnprog *prog, const struct nnprog_subgraph *sg,
				const struct nnprog_tensor *t, struct cursors *at)
{
	struct nnprog_operand op;
	const char *text;
	uint32_t i;

	if (t->dtype >= NNPROG_DTYPE_END)
		return "unknown data type";
	if (t->kind >= NNPROG_KIND_COUNT)
		return "unknown kind";
	if (t->flags || t->reserved)
		return "reserved field is not 0";
	if (t->rank > NNPROG_MAX_RANK && t->rank != NNPROG_RANK_UNKNOWN)
		return "rank is too large";
	for (i = t->rank > NNPROG_MAX_RANK ? 0 : t->rank; i < NNPROG_MAX_RANK; i++)
		if (t->dims[i])
			return "dimension beyond the rank is not 0";
	if (t->kind == NNPROG_OMITTED &&
	    (t->rank || t->scale != 0 || t->zero_point || t->num_scales))
		return "omitted tensor with a shape or quantization";
	if (t->num_scales) {
		if (t->scales != at->scales ||
		    t->num_scales > prog->header->sections[NNPROG_SCALES].count - at->scales)
			return "per-channel scales are not in the order of the tensors";
		at->scales += t->num_scales;
	} else if (t->scales) {
		return "position of empty per-channel scales is not 0";
	}
	text = check_location(prog, sg, t, at);
	if (text)
		return text;
	nnprog_tensor_operand(prog, t, &op);
	op.scales = NULL;
	return nnprog_check_quantization(&op);
}

/** Scales of one tensor, where they belong. 0, -EINVAL, or what nnprog_pace() says. */
static int check_scales(const struct nnprog *prog, const struct nnprog_tensor *t)
{
	for (uint32_t i = 0; i < t->num_scales; i += NNPROG_PACE) {
		uint32_t n = t->num_scales - i < NNPROG_PACE ? t->num_scales - i : NNPROG_PACE;
		int ret = nnprog_pace(prog, n);

		if (ret)
			return ret;
		if (!nnprog_check_scales(prog->scales + t->scales + i, n))
			return -EINVAL;
	}
	return 0;
}

/** A list of tensor numbers that begins where the last one ended. */
static const char *take_list(const struct nnprog *prog, const struct nnprog_subgraph *sg,
			     uint32_t position, uint32_t count, uint32_t max, struct cursors *at)
{
	uint64_t end = prog->header->sections[NNPROG_INDEX].count;

	if (count > max)
		return "too many operands";
	if (position != at->index || count > end - at->index)
		return "index list is not in the order of the operations";
	for (uint32_t i = 0; i < count; i++)
		if (prog->index[position + i] >= sg->num_tensors)
			return "tensor number is too large";
	at->index += count;
	return NULL;
}

static const char *check_name(const struct nnprog *prog, uint32_t name)
{
	return name < prog->header->sections[NNPROG_STRINGS].count ? NULL
								   : "name beyond the strings";
}

static const char *check_operation(const struct nnprog *prog, const struct nnprog_subgraph *sg,
				   const struct nnprog_operation *op, struct cursors *at)
{
	const struct nnprog_section *attrs = &prog->header->sections[NNPROG_ATTRS];
	const char *text;
	uint64_t start;

	text = take_list(prog, sg, op->inputs, op->num_inputs, NNPROG_MAX_OPERANDS, at);
	if (!text)
		text = take_list(prog, sg, op->outputs, op->num_outputs, NNPROG_MAX_OPERANDS, at);
	if (!text)
		text = check_name(prog, op->name);
	if (text)
		return text;
	if (op->opcode == NNPROG_OP_EXTENSION) {
		if (!prog->strings[op->name])
			return "extension operation without a name";
	} else if (!nnprog_op_find(op->opcode)) {
		return "unknown operation";
	} else if (op->name) {
		return "name of an operation that is not an extension's";
	} else if (op->attrs_size != nnprog_op_find(op->opcode)->attrs_size) {
		return "attributes have the wrong size";
	}
	if (!op->attrs_size)
		return op->attrs ? "position of empty attributes is not 0" : NULL;
	start = nnutil_align_up(at->attrs, 8);
	if (op->attrs != start || start > attrs->count || op->attrs_size > attrs->count - start)
		return "attributes are not in the order of the operations";
	for (uint64_t i = at->attrs; i < start; i++)
		if (prog->attrs[i])
			return "gap before the attributes is not 0";
	at->attrs = start + op->attrs_size;
	return NULL;
}

static const char *check_subgraph(const struct nnprog *prog, const struct nnprog_subgraph *sg,
				  struct cursors *at)
{
	const struct nnprog_section *s = prog->header->sections;

	for (size_t i = 0; i < sizeof(sg->reserved) / sizeof(sg->reserved[0]); i++)
		if (sg->reserved[i])
			return "reserved field is not 0";
	if (sg->first_tensor != at->tensors ||
	    sg->num_tensors > s[NNPROG_TENSORS].count - at->tensors)
		return "tensors are not in the order of the subgraphs";
	if (sg->first_operation != at->operations ||
	    sg->num_operations > s[NNPROG_OPERATIONS].count - at->operations)
		return "operations are not in the order of the subgraphs";
	if (sg->arena_size % NNPROG_ALIGN || sg->arena_size > NNPROG_MAX_ARENA)
		return "arena size is unaligned or too large";
	at->tensors += sg->num_tensors;
	at->operations += sg->num_operations;
	return check_name(prog, sg->name);
}

static int check_ends(const struct nnprog *prog, const struct cursors *at, struct nnprog_error *err)
{
	const struct {
		uint32_t section;
		uint64_t end;
		const char *name;
	} ends[] = {
		{ NNPROG_TENSORS, at->tensors, "tensors" },
		{ NNPROG_OPERATIONS, at->operations, "operations" },
		{ NNPROG_INDEX, at->index, "index entries" },
		{ NNPROG_ATTRS, at->attrs, "attributes" },
		{ NNPROG_SCALES, at->scales, "scales" },
		{ NNPROG_DATA, at->data, "constants" },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct nnprog_section *s = &prog->header->sections[ends[i].section];

		if (s->count != ends[i].end)
			return nnprog_refuse_at(err, s->offset + ends[i].end * s->stride,
						NNPROG_NONE, NNPROG_NONE,
						"%s: entries that nothing uses", ends[i].name);
	}
	if (at->gaps != (prog->header->version > NNPROG_VERSION_DENSE))
		return nnprog_refuse_at(err, offsetof(struct nnprog_header, version), NNPROG_NONE,
					NNPROG_NONE,
					"format version 1.1 of a program without gaps");
	return 0;
}

int nnprog_verify_entries(const struct nnprog *prog, struct nnprog_error *err)
{
	struct cursors at = { 0 };

	for (uint32_t i = 0; i < prog->num_subgraphs; i++) {
		const struct nnprog_subgraph *sg = &prog->subgraphs[i];
		const char *text = check_subgraph(prog, sg, &at);
		const struct nnprog_tensor *t;
		const struct nnprog_operation *op;

		if (!text)
			text = take_list(prog, sg, sg->inputs, sg->num_inputs, NNACCEL_MAX_ARGS,
					 &at);
		if (!text)
			text = take_list(prog, sg, sg->outputs, sg->num_outputs,
					 NNACCEL_MAX_ARGS - sg->num_inputs, &at);
		if (text)
			return nnprog_refuse_at(err, nnprog_offset(prog, sg), i, NNPROG_NONE,
						"subgraph %u: %s", i, text);
		t = prog->tensors + sg->first_tensor;
		for (uint32_t n = 0; n < sg->num_tensors; n++) {
			int ret = nnprog_pace(prog, 1);

			text = check_tensor(prog, sg, &t[n], &at);
			if (!text && !ret) {
				ret = check_scales(prog, &t[n]);
				text = ret == -EINVAL ? BAD_SCALE : NULL;
			}
			if (!text && ret)
				return ret;
			if (text)
				return nnprog_refuse_at(err, nnprog_offset(prog, &t[n]), i,
							NNPROG_NONE, "tensor %u: %s", n, text);
		}
		op = prog->operations + sg->first_operation;
		for (uint32_t n = 0; n < sg->num_operations; n++) {
			int ret = nnprog_pace(prog, 1 + (op[n].num_inputs + op[n].num_outputs) / 8);

			if (ret)
				return ret;
			text = check_operation(prog, sg, &op[n], &at);
			if (text)
				return nnprog_refuse_at(err, nnprog_offset(prog, &op[n]), i, n,
							"operation %u: %s", n, text);
		}
	}
	if (prog->header->arena_size != prog->subgraphs[0].arena_size)
		return nnprog_refuse_at(err, offsetof(struct nnprog_header, arena_size),
					NNPROG_NONE, NNPROG_NONE, "arena size is not that of main");
	return check_ends(prog, &at, err);
}
