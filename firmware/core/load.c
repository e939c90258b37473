// SPDX-License-Identifier: Apache-2.0
/*
 * Loading a program: copy the client's bytes unless nothing can write them, verify what is private
 * now, then prepare everything that does not depend on a run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "nnutil_process.h"
#include "core_program.h"
#include "nnfw_ops.h"
#include "nnutil_align.h"
#include "core_run.h"
#include "isa/isa.h"

/* Programs with so many 8-bit products that they are worth AMX (isa/isa.h). */

/* 8-bit multiply-adds of a heavy program. */
#define NNFW_HEAVY_MACS 20000000u

/* Of such an operation. */
#define MAX_OPERANDS 8u

/*
 * 8-bit multiply-adds of an operation that is worth another instruction set for them; 0: it is not,
 * or its shapes depend on a run.
 */
static uint64_t heavy_macs(const struct program_graph *g, const struct program_op *op)
{
	struct nnfw_tensor operands[MAX_OPERANDS];
	const uint32_t count = op->num_in + op->num_out;
	const struct nnfw_op_ctx ctx = {
		.desc = op->desc,
		.attrs = op->attrs,
		.in = operands,
		.num_in = op->num_in,
		.out = operands + op->num_in,
		.num_out = op->num_out,
	};

	if (!op->op->products || count > MAX_OPERANDS)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		operands[i] = g->tensors[i < op->num_in ? op->in[i] : op->out[i - op->num_in]];
		if (!operands[i].omitted && !nnfw_tensor_complete(&operands[i]))
			return 0;
	}
	if (operands[0].dtype != NNPROG_INT8 && operands[0].dtype != NNPROG_UINT8)
		return 0;
	return nnfw_op_work(&ctx).macs;
}

/** Bytes copied, and table entries visited, between two ticks. */
#define COPY_SLICE ((size_t)512 << 10)
#define TICK_ENTRIES 2048u

/** A program that is being loaded. Memory is charged before it is allocated. */
struct loading {
	struct nnfw *fw;
	struct program *p;
	struct queue_progress *progress;
	uint64_t bytes; /* charged */
	uint64_t wanted; /* that the program cannot do without, and did not get */
	uint32_t entries; /* since the last tick */
	uint64_t macs; /* heavy_macs() of each operation once */
	bool left_out; /* the quota has no room for the state of the operation that is being loaded
			*/
	struct nnfw_need *need; /* the program is only measured; NULL: it is loaded */
	size_t measured; /* of the operation's state that would fit */
};

/** Count a table entry; tick if due. OK or ABORTED. */
static uint32_t entry(struct loading *l)
{
	if (++l->entries < TICK_ENTRIES)
		return NNACCEL_STATUS_OK;
	l->entries = 0;
	return nnfw_progress_tick(&l->progress->op) ? NNACCEL_STATUS_ABORTED : NNACCEL_STATUS_OK;
}

/** Charge @bytes more, if there is room for them. */
static bool load_charge(struct loading *l, uint64_t bytes)
{
	const uint64_t sum = l->bytes + bytes;

	if (l->need ? sum + NNFW_ENTRY_BYTES > l->fw->config.program_quota
		    : !nnfw_program_charge(l->fw, l->p, sum))
		return false;
	l->bytes = sum;
	return true;
}

/** Charge @bytes more that the program cannot do without. */
static uint32_t load_take(struct loading *l, uint64_t bytes)
{
	if (l->need) {
		l->need->loaded += bytes;
		l->bytes += bytes;
		return NNACCEL_STATUS_OK;
	}
	if (load_charge(l, bytes))
		return NNACCEL_STATUS_OK;
	l->wanted = l->bytes + bytes + NNFW_ENTRY_BYTES;
	return nnfw_fail(&l->p->error, NNACCEL_STATUS_NO_MEMORY,
			 "loaded program of %llu bytes does not fit into the quota of %llu",
			 (unsigned long long)(l->bytes + bytes),
			 (unsigned long long)l->fw->config.program_quota);
}

static uint32_t out_of_memory(struct program *p)
{
	return nnfw_fail(&p->error, NNACCEL_STATUS_NO_MEMORY,
			 "out of memory while loading the program");
}

/*
 * Whether the host took the request back that @q serves. Called with the program mapped: from here
 * on the host waits for the map before it gives the address to another memory, and before the
 * request was taken back it had not done so.
 */
static bool request_dropped(struct nnfw *fw, const struct queue *q)
{
	bool dropped;

	if (!q->loader)
		return false;
	pthread_mutex_lock(&fw->lock);
	dropped = q->context->loading->dropped;
	pthread_mutex_unlock(&fw->lock);
	return dropped;
}

/** The mapped program in private memory. */
static uint32_t copy_program(struct program *p, const struct nnfw_map *map,
			     struct queue_progress *progress)
{
	uint8_t *copy = aligned_alloc(NNPROG_ALIGN, nnutil_align_up(p->size, NNPROG_ALIGN));

	if (!copy)
		return out_of_memory(p);
	p->image = copy;
	for (size_t at = 0; at < p->size; at += COPY_SLICE) {
		size_t n = p->size - at < COPY_SLICE ? p->size - at : COPY_SLICE;

		memcpy(copy + at, (const char *)map->ptr + at, n);
		if (nnfw_progress_tick(&progress->op))
			return NNACCEL_STATUS_ABORTED;
	}
	return NNACCEL_STATUS_OK;
}

/** A verified program in use must not change: it is a copy, or memory that nothing writes. */
static uint32_t take_program(struct nnfw *fw, struct program *p, struct queue_progress *progress)
{
	const struct nnfw_platform *platform = &fw->platform;
	uint32_t status = NNACCEL_STATUS_OK;
	struct nnfw_map map = { 0 };
	int ret;

	ret = platform->dma_map(platform->priv, p->context, p->addr, p->size, false, &map,
				&p->error.fault);
	if (ret == -EFAULT)
		return nnfw_fail(&p->error, NNACCEL_STATUS_FAULT, "program at %#llx is not mapped",
				 (unsigned long long)p->error.fault);
	if (ret)
		return out_of_memory(p);
	if (request_dropped(fw, progress->queue)) {
		status = NNACCEL_STATUS_ABORTED;
	} else if (map.constant && nnutil_is_aligned((uintptr_t)map.ptr, NNPROG_ALIGN)) {
		p->map = map;
		p->in_place = true;
		p->image = map.ptr;
	} else {
		status = copy_program(p, &map, progress);
	}
	if (!p->in_place)
		platform->dma_unmap(platform->priv, p->context, &map, false);
	if (!status)
		atomic_fetch_add_explicit(&fw->bytes_loaded, p->size, memory_order_relaxed);
	return status;
}

static void fill_tensor(const struct nnprog *prog, const struct nnprog_tensor *from,
			struct nnfw_tensor *to)
{
	*to = (struct nnfw_tensor){
		.dtype = from->dtype,
		.omitted = from->kind == NNPROG_OMITTED,
		.constant = from->kind == NNPROG_CONST,
		.rank = from->rank,
		.scale = from->scale,
		.zero_point = from->zero_point,
		.scales = from->num_scales ? prog->scales + from->scales : NULL,
		.num_scales = from->num_scales,
		.channel_dim = from->channel_dim,
	};
	memcpy(to->dims, from->dims, sizeof(to->dims));
	if (nnfw_tensor_complete(to))
		nnfw_tensor_sizes(to);
	/* operations do not write to their inputs */
	if (to->constant)
		to->data = (void *)(prog->data + from->offset);
}

/** Find the temporaries that the run allocates, and the operation after which each is freed. */
static uint32_t find_dead(struct loading *l, struct program_graph *g)
{
	struct program *p = l->p;
	const struct nnprog_tensor *t = g->declared;
	uint32_t num_tensors = g->sg->num_tensors, num_operations = g->sg->num_operations;
	uint32_t *last = calloc((size_t)num_tensors + 1, sizeof(*last));
	uint32_t total = 0, status = NNACCEL_STATUS_OK;

	g->dead = calloc((size_t)num_tensors + 1, sizeof(*g->dead));
	if (!last || !g->dead) {
		free(last);
		return out_of_memory(p);
	}
	for (uint32_t n = 0; n < num_operations && !status; n++) {
		const struct program_op *op = &g->ops[n];

		for (uint32_t i = 0; i < op->num_in; i++)
			last[op->in[i]] = n;
		for (uint32_t i = 0; i < op->num_out; i++)
			last[op->out[i]] = n;
		status = entry(l);
	}
	for (uint32_t i = 0; i < num_tensors && !status; i++) {
		if (t[i].kind == NNPROG_TEMP && t[i].offset == NNPROG_NO_OFFSET)
			g->ops[last[i]].num_dead++;
		status = entry(l);
	}
	for (uint32_t n = 0; n < num_operations && !status; n++) {
		g->ops[n].first_dead = total;
		total += g->ops[n].num_dead;
		g->ops[n].num_dead = 0;
		status = entry(l);
	}
	for (uint32_t i = 0; i < num_tensors && !status; i++) {
		if (t[i].kind == NNPROG_TEMP && t[i].offset == NNPROG_NO_OFFSET) {
			struct program_op *op = &g->ops[last[i]];

			g->dead[op->first_dead + op->num_dead++] = i;
		}
		status = entry(l);
	}
	free(last);
	return status;
}

/** Mark operands whose contents a rule reads, here or in a subgraph of the operation. */
static void stage_operands(struct program *p, struct program_graph *g, const struct program_op *op)
{
	uint32_t first = op->desc->opcode == NNPROG_OP_IF ? 1 : 0;

	for (uint32_t i = 0; i < op->num_in && i < 32; i++)
		if (op->desc->value_inputs & 1u << i)
			g->staged[op->in[i]] = 1;
	for (uint32_t k = 0; op->control && k < 2; k++) {
		const struct program_graph *inner = &p->graphs[op->graphs[k]];

		for (uint32_t i = first; i < op->num_in; i++)
			g->staged[op->in[i]] |= inner->staged[inner->inputs[i - first]];
		/* outputs of a loop are copied, after the last rule has read them */
		for (uint32_t i = 0; op->desc->opcode == NNPROG_OP_IF && i < op->num_out; i++)
			g->staged[op->out[i]] |= inner->staged[inner->outputs[i]];
	}
}

/** Find an extension's operation by name, and verify it, which libnnprog could not. */
static uint32_t fill_extension(struct program *p, struct program_graph *g, uint32_t n)
{
	const struct nnprog_operation *from = &p->prog.operations[g->sg->first_operation + n];
	const char *name = p->prog.strings + from->name;
	const struct nnfw_extension_op *ext = NULL;
	struct nnprog_attr_extension attr;
	struct nnprog_error why;
	int ret;

	p->error.offset = (uint64_t)((const char *)from - (const char *)p->image);
	if (from->attrs_size >= sizeof(attr)) {
		memcpy(&attr, p->prog.attrs + from->attrs, sizeof(attr));
		ext = attr.reserved ? NULL : nnfw_extension_find(name, attr.operation);
	}
	if (!ext)
		return nnfw_fail(
			&p->error, NNACCEL_STATUS_BAD_PROGRAM,
			"operation %u: this device has no extension %.64s, or no such operation of it",
			n, name);
	ret = nnprog_verify_extension(&p->prog, (uint32_t)(g - p->graphs), n, &ext->desc, &why);
	if (ret == -ENOMEM)
		return out_of_memory(p);
	if (ret)
		return nnfw_fail(&p->error, NNACCEL_STATUS_BAD_PROGRAM, "%s", why.text);
	g->ops[n].op = &ext->op;
	g->ops[n].desc = &ext->desc;
	return NNACCEL_STATUS_OK;
}

static uint32_t fill_op(struct program *p, struct program_graph *g, uint32_t n)
{
	const struct nnprog_operation *from = &p->prog.operations[g->sg->first_operation + n];
	struct program_op *op = &g->ops[n];
	uint32_t type, status;

	*op = (struct program_op){
		.op = from->opcode < NNPROG_OP_COUNT ? nnfw_op_table[from->opcode] : NULL,
		.desc = nnprog_op_find(from->opcode),
		.attrs = p->prog.attrs + from->attrs,
		.in = p->prog.index + from->inputs,
		.num_in = from->num_inputs,
		.out = p->prog.index + from->outputs,
		.num_out = from->num_outputs,
		.control = from->opcode == NNPROG_OP_IF || from->opcode == NNPROG_OP_WHILE,
	};
	if (from->opcode == NNPROG_OP_EXTENSION) {
		status = fill_extension(p, g, n);
		if (status)
			return status;
	}
	if (op->control)
		memcpy(op->graphs, op->attrs, sizeof(op->graphs));
	if (op->num_in + op->num_out > p->max_operands)
		p->max_operands = op->num_in + op->num_out;
	type = op->num_in && !g->tensors[op->in[0]].omitted ? 1u << g->tensors[op->in[0]].dtype : 0;
	if (op->op && op->desc && !(type & ~op->op->types)) {
		stage_operands(p, g, op);
		return NNACCEL_STATUS_OK;
	}
	p->error.offset = (uint64_t)((const char *)from - (const char *)p->image);
	return nnfw_fail(&p->error, NNACCEL_STATUS_BAD_PROGRAM,
			 "operation %u: this device has no %s for %s", n, op->desc->name,
			 type ? nnprog_dtype_name(g->tensors[op->in[0]].dtype) : "these operands");
}

/** Whether the shapes of an operation follow from the program alone. */
static uint32_t find_fixed(struct program *p, const struct program_graph *g, struct program_op *op,
			   struct nnprog_operand *operands)
{
	struct nnprog_operand *out = operands + op->num_in;
	struct nnprog_error why;

	op->fixed_shapes = true;
	if (op->control) {
		for (uint32_t i = 0; i < op->num_out; i++)
			op->fixed_shapes &= nnfw_tensor_complete(&g->tensors[op->out[i]]);
		return NNACCEL_STATUS_OK;
	}
	for (uint32_t i = 0; i < op->num_in; i++) {
		nnprog_tensor_operand(&p->prog, &g->declared[op->in[i]], &operands[i]);
		if (!operands[i].omitted && !nnprog_shape_complete(&operands[i].shape))
			op->fixed_shapes = false;
		/* which optional operands may be combined is checked for the operands of a run */
		if (operands[i].omittable && nnprog_input_optional(op->desc, i))
			op->fixed_shapes = false;
	}
	for (uint32_t i = 0; i < op->num_out; i++)
		nnprog_tensor_operand(&p->prog, &g->declared[op->out[i]], &out[i]);
	if (!op->fixed_shapes)
		return NNACCEL_STATUS_OK;
	/* verification has inferred the same shapes from the same operands */
	if (op->desc->infer(op->attrs, operands, op->num_in, out, op->num_out, &why))
		return nnfw_fail(
			&p->error, NNACCEL_STATUS_INTERNAL,
			"%s: shape inference failed after it had succeeded in verification",
			op->desc->name);
	for (uint32_t i = 0; i < op->num_out; i++)
		op->fixed_shapes &= nnprog_shape_complete(&out[i].shape);
	return NNACCEL_STATUS_OK;
}

/**
 * Called before an operation allocates its state. State that does not fit is left out: the
 * operation makes it in its scratch memory, in each run.
 */
static int load_reserve(void *loading, size_t bytes)
{
	struct loading *l = loading;

	l->left_out = !load_charge(l, bytes);
	if (l->need) {
		l->need->packed += bytes;
		l->measured = l->left_out ? 0 : bytes;
		l->left_out = true;
	}
	return l->left_out ? -ENOMEM : 0;
}

/** The threads that share the work of packing; NULL: there is only this one, or nothing is packed.
 */
static struct nnfw_crew *crew_of(const struct loading *l)
{
	return !l->need && l->fw->crew_threads > 1 ? &l->progress->queue->crew.base : NULL;
}

/** Run the load callback of an operation. */
static uint32_t load_op(struct loading *l, struct program_graph *g, struct program_op *op,
			struct nnfw_tensor *operands)
{
	struct program *p = l->p;
	struct nnfw_op_ctx ctx = {
		.desc = op->desc,
		.attrs = op->attrs,
		.in = operands,
		.num_in = op->num_in,
		.out = operands + op->num_in,
		.num_out = op->num_out,
		.relaxed = p->prog.header->flags & NNPROG_FLAG_RELAXED,
		.isa = p->isa,
		.progress = &l->progress->op,
		.crew = crew_of(l),
		.slots = l->fw->crew_threads,
		.reserve = load_reserve,
		.loading = l,
		.unread = &op->unread,
	};
	size_t size = 0;
	int ret;

	for (uint32_t i = 0; i < op->num_in; i++)
		operands[i] = g->tensors[op->in[i]];
	for (uint32_t i = 0; i < op->num_out; i++)
		ctx.out[i] = g->tensors[op->out[i]];
	if (op->op->load) {
		l->left_out = false;
		l->measured = 0;
		ret = op->op->load(&ctx, &op->state, &size);
		if (ret == -ECANCELED)
			return NNACCEL_STATUS_ABORTED;
		if (ret == -ENOMEM && l->left_out)
			ret = 0;
		if (ret == -ENOMEM)
			return out_of_memory(p);
		if (ret)
			return nnfw_fail(&p->error, NNACCEL_STATUS_INTERNAL,
					 "%s: loading failed (%d)", op->desc->name, ret);
		if (!op->state)
			op->unread = 0;
	}
	if (!op->fixed_shapes) {
		g->fixed_shapes = false;
		return NNACCEL_STATUS_OK;
	}
	ctx.state = op->state;
	if (op->op->scratch)
		op->scratch = op->op->scratch(&ctx);
	op->scratch -= l->measured < op->scratch ? l->measured : op->scratch;
	/* more than any arena has, and sums do not overflow */
	if (op->scratch > NNPROG_MAX_ARENA)
		op->scratch = NNPROG_MAX_ARENA;
	if (op->scratch > g->scratch)
		g->scratch = op->scratch;
	return NNACCEL_STATUS_OK;
}

static uint64_t table_bytes(const struct nnprog_subgraph *sg)
{
	const struct program_graph *g = NULL;

	return sizeof(*g) + ((uint64_t)sg->num_operations + 1) * sizeof(*g->ops) +
	       ((uint64_t)sg->num_tensors + 1) * (sizeof(*g->tensors) + sizeof(*g->position) +
						  sizeof(*g->staged) + sizeof(*g->dead));
}

/** Fill the tables of a subgraph; those of the subgraphs that it uses are filled. */
static uint32_t fill_graph(struct loading *l, struct program_graph *g)
{
	const struct nnprog_subgraph *sg = g->sg;
	uint32_t status = NNACCEL_STATUS_OK;
	struct program *p = l->p;

	g->fixed_shapes = true;
	g->declared = p->prog.tensors + sg->first_tensor;
	g->inputs = p->prog.index + sg->inputs;
	g->outputs = p->prog.index + sg->outputs;
	g->tensors = calloc((size_t)sg->num_tensors + 1, sizeof(*g->tensors));
	g->position = calloc((size_t)sg->num_tensors + 1, sizeof(*g->position));
	g->staged = calloc((size_t)sg->num_tensors + 1, sizeof(*g->staged));
	g->ops = calloc((size_t)sg->num_operations + 1, sizeof(*g->ops));
	if (!g->tensors || !g->position || !g->staged || !g->ops)
		return out_of_memory(p);
	for (uint32_t i = 0; i < sg->num_tensors && !status; i++) {
		fill_tensor(&p->prog, &g->declared[i], &g->tensors[i]);
		status = entry(l);
	}
	for (uint32_t i = 0; i < sg->num_outputs; i++)
		g->position[g->outputs[i]] = i;
	for (uint32_t n = 0; n < sg->num_operations && !status; n++) {
		status = fill_op(p, g, n);
		if (!status) {
			l->macs += heavy_macs(g, &g->ops[n]);
			status = entry(l);
		}
	}
	return status ? status : find_dead(l, g);
}

static uint32_t load_graph(struct loading *l, struct program_graph *g,
			   struct nnprog_operand *shapes, struct nnfw_tensor *operands)
{
	uint32_t status = NNACCEL_STATUS_OK;

	for (uint32_t n = 0; n < g->sg->num_operations && !status; n++) {
		status = find_fixed(l->p, g, &g->ops[n], shapes);
		if (!status)
			status = load_op(l, g, &g->ops[n], operands);
		if (!status && nnfw_progress_tick(&l->progress->op))
			status = NNACCEL_STATUS_ABORTED;
	}
	return status;
}

static uint32_t load_prepare(struct loading *l)
{
	struct program *p = l->p;
	uint32_t count = p->prog.num_subgraphs, status = NNACCEL_STATUS_OK;
	struct nnprog_operand *shapes;
	struct nnfw_tensor *operands;
	uint64_t bytes = 0, before;

	for (uint32_t i = 0; i < count && !status; i++) {
		bytes += table_bytes(&p->prog.subgraphs[i]);
		status = entry(l);
	}
	if (!status)
		status = load_take(l, bytes);
	if (status)
		return status;
	p->main = &p->prog.subgraphs[0];
	p->graphs = calloc(count, sizeof(*p->graphs));
	if (!p->graphs)
		return out_of_memory(p);
	for (uint32_t i = 0; i < count && !status; i++) {
		p->graphs[i].sg = &p->prog.subgraphs[i];
		status = entry(l);
	}
	/* the subgraphs that a subgraph uses come after it */
	for (uint32_t i = count; i-- && !status;)
		status = fill_graph(l, &p->graphs[i]);
	if (status)
		return status;
	shapes = calloc((size_t)p->max_operands + 1, sizeof(*shapes));
	operands = calloc((size_t)p->max_operands + 1, sizeof(*operands));
	if (!shapes || !operands)
		status = out_of_memory(p);
	if (!status && l->macs >= NNFW_HEAVY_MACS && !(l->fw->config.flags & NNFW_CONFIG_NO_AMX))
		p->isa = nnfw_isa_heavy();
	before = l->bytes;
	for (uint32_t i = 0; i < count && !status; i++)
		status = load_graph(l, &p->graphs[i], shapes, operands);
	/* the states are all that it charges */
	p->far = l->bytes - before > nnutil_caches().second;
	free(operands);
	free(shapes);
	/* without it each run finds its operands anew */
	if (!status && load_charge(l, nnfw_operands_bytes(p)) && nnfw_operands_plan(p))
		status = out_of_memory(p);
	return status;
}

static int verify_tick(void *progress)
{
	return nnfw_progress_tick(progress);
}

uint32_t nnfw_load(struct nnfw *fw, struct program *p, struct queue_progress *progress,
		   uint64_t *bytes, uint64_t *wanted)
{
	struct loading l = { .fw = fw, .p = p, .progress = progress, .bytes = p->size };
	struct nnprog_error why = { .text = "" };
	uint32_t status;
	int ret;

	status = take_program(fw, p, progress);
	if (!status) {
		ret = nnprog_verify_paced(p->image, p->size, &p->prog, verify_tick, &progress->op,
					  &why);
		if (ret == -ECANCELED) {
			status = NNACCEL_STATUS_ABORTED;
		} else if (ret == -ENOMEM) {
			status = out_of_memory(p);
		} else if (ret) {
			p->error.offset = why.offset;
			status = nnfw_fail(&p->error, NNACCEL_STATUS_BAD_PROGRAM, "%s", why.text);
		}
	}
	p->number = atomic_fetch_add_explicit(&fw->num_loaded, 1, memory_order_relaxed) + 1;
	if (!status)
		status = load_prepare(&l);
	if (status)
		nnfw_program_release(fw, p);
	*bytes = l.bytes;
	*wanted = l.wanted;
	return status;
}

static int never(struct nnfw_progress *progress)
{
	(void)progress;
	return 0;
}

int nnfw_program_measure(struct nnfw *fw, const void *program, size_t size, struct nnfw_need *need)
{
	struct queue_progress progress = { .op.tick = never };
	struct program p = { .image = program, .size = size };
	struct loading l = { .fw = fw, .p = &p, .progress = &progress, .bytes = size, .need = need };
	struct nnprog_error why;
	int ret;

	*need = (struct nnfw_need){ .loaded = size + NNFW_ENTRY_BYTES };
	/* the sum over the weights is checked when the program is loaded */
	ret = nnprog_verify_summed(program, size, &p.prog, &why);
	if (ret)
		return ret == -ENOMEM ? ret : -EINVAL;
	switch (load_prepare(&l)) {
	case NNACCEL_STATUS_OK:
		need->arena = p.main->arena_size + p.graphs[0].scratch;
		break;
	case NNACCEL_STATUS_NO_MEMORY:
		ret = -ENOMEM;
		break;
	default:
		ret = -EINVAL;
		break;
	}
	p.image = NULL;
	nnfw_program_release(fw, &p);
	return ret;
}
