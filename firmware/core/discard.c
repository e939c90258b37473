// SPDX-License-Identifier: Apache-2.0
#include "core_run.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnutil_align.h"
#include "core_program.h"

/* Of smaller constants little is left without the pages that they share with others. */
#define LEAST ((uint64_t)64 << 10)

/* A constant of the program. */
struct constant {
	uint64_t offset, end; /* in the program's data */
	bool read; /* by a run */
};

/* Constants of all subgraphs that may matter, by offset. */
struct constants {
	struct constant *list;
	size_t count;
};

static bool is_constant(const struct program_graph *g, uint32_t tensor)
{
	return g->declared[tensor].kind == NNPROG_CONST && g->tensors[tensor].size;
}

/* Which constants of a subgraph a run reads: @reads has an entry for each tensor. */
static void graph_reads(const struct program_graph *g, bool *reads)
{
	for (uint32_t i = 0; i < g->sg->num_tensors; i++)
		reads[i] = g->staged[i];
	for (uint32_t i = 0; i < g->sg->num_outputs; i++)
		reads[g->outputs[i]] = true;
	for (uint32_t n = 0; n < g->sg->num_operations; n++) {
		const struct program_op *op = &g->ops[n];

		for (uint32_t i = 0; i < op->num_in; i++)
			if (op->control || i >= 32 || !(op->unread & 1u << i))
				reads[op->in[i]] = true;
	}
}

static int constants_add(struct constants *c, const struct program_graph *g)
{
	bool *reads = calloc((size_t)g->sg->num_tensors + 1, sizeof(*reads));

	if (!reads)
		return -1;
	graph_reads(g, reads);
	for (uint32_t i = 0; i < g->sg->num_tensors; i++)
		if (is_constant(g, i))
			c->list[c->count++] = (struct constant){
				.offset = g->declared[i].offset,
				.end = g->declared[i].offset + g->tensors[i].size,
				.read = reads[i],
			};
	free(reads);
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct constant *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Constants that overlap are read together; neighbours that are not read share their pages. */
static void constants_merge(struct constants *c)
{
	size_t last = 0;

	if (!c->count)
		return;
	qsort(c->list, c->count, sizeof(*c->list), by_offset);
	for (size_t i = 1; i < c->count; i++) {
		struct constant *into = &c->list[last], *from = &c->list[i];

		if (from->offset >= into->end &&
		    (from->read || into->read || from->offset - into->end >= NNPROG_ALIGN)) {
			c->list[++last] = *from;
			continue;
		}
		into->end = from->end > into->end ? from->end : into->end;
		into->read |= from->read;
	}
	c->count = last + 1;
}

static int constants_find(struct constants *c, const struct program *p)
{
	size_t most = 1;

	for (uint32_t i = 0; i < p->prog.num_subgraphs; i++)
		most += p->graphs[i].sg->num_tensors;
	c->list = calloc(most, sizeof(*c->list));
	if (!c->list)
		return -1;
	for (uint32_t i = 0; i < p->prog.num_subgraphs; i++)
		if (constants_add(c, &p->graphs[i]))
			return -1;
	constants_merge(c);
	return 0;
}

/* The whole pages of a constant, as addresses; bytes, or 0. */
static size_t constant_pages(const struct program *p, const struct constant *c, void **from)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uintptr_t data = (uintptr_t)p->prog.data;
	const uintptr_t begin = nnutil_align_up(data + c->offset, page);
	const uintptr_t end = nnutil_align_down(data + c->end, page);

	*from = (void *)begin;
	return !c->read && c->end - c->offset >= LEAST && end > begin ? end - begin : 0;
}

static uint64_t constants_bytes(const struct program *p, const struct constants *c)
{
	uint64_t bytes = 0;
	void *from;

	for (size_t i = 0; i < c->count; i++)
		bytes += constant_pages(p, &c->list[i], &from);
	return bytes;
}

static void constants_release(struct nnfw *fw, const struct program *p, const struct constants *c)
{
	for (size_t i = 0; i < c->count; i++) {
		void *from;
		size_t bytes = constant_pages(p, &c->list[i], &from);

		if (bytes && p->in_place)
			fw->platform.dma_discard(fw->platform.priv, &p->map, from, bytes);
		else if (bytes)
			(void)madvise(from, bytes, MADV_DONTNEED);
	}
}

void nnfw_program_discard(struct nnfw *fw, struct program *p)
{
	struct constants c = { 0 };
	uint64_t bytes;

	if (p->in_place && !fw->platform.dma_discard)
		return;
	/* without memory for the list the weights stay */
	if (!constants_find(&c, p)) {
		bytes = constants_bytes(p, &c);
		if (bytes && nnfw_cache_discard(fw, p, bytes))
			constants_release(fw, p, &c);
	}
	free(c.list);
}
