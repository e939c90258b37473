// SPDX-License-Identifier: Apache-2.0
/* Loaded programs: their end, and what they count. */
#include <stdlib.h>

#include "core.h"
#include "core_program.h"

static void release_graph(struct program_graph *g)
{
	for (uint32_t n = 0; g->ops && n < g->sg->num_operations; n++) {
		struct program_op *op = &g->ops[n];

		if (!op->state)
			continue;
		if (op->op->unload)
			op->op->unload(op->state);
		else
			free(op->state);
	}
	free(g->ops);
	free(g->uses);
	free(g->dead);
	free(g->staged);
	free(g->position);
	free(g->tensors);
}

void nnfw_program_release(struct nnfw *fw, struct program *p)
{
	for (uint32_t i = 0; p->graphs && i < p->prog.num_subgraphs; i++)
		release_graph(&p->graphs[i]);
	free(p->graphs);
	if (p->in_place)
		fw->platform.dma_unmap(fw->platform.priv, p->context, &p->map, false);
	else
		free((void *)p->image);
	p->graphs = NULL;
	p->in_place = false;
	p->image = NULL;
}

void nnfw_program_free(struct nnfw *fw, struct program *p)
{
	nnfw_program_release(fw, p);
	free(p);
}

/* What they count: in sum, by context, of idle ones, of kept ones. Under the lock. */

void nnfw_program_unlink(struct nnfw *fw, struct program *p)
{
	TAILQ_REMOVE(&fw->programs, p, entry);
	p->cached = false;
	fw->num_programs--;
}

void nnfw_program_charge_bytes(struct nnfw *fw, struct program *p, uint64_t bytes)
{
	/* unsigned: a smaller number wraps around and back */
	const uint64_t more = bytes - p->bytes;

	fw->contexts[p->context]->program_bytes += more;
	fw->program_bytes += more;
	p->bytes = bytes;
}

void nnfw_program_uncharge(struct nnfw *fw, struct program *p)
{
	if (p->kept)
		fw->kept_bytes -= p->bytes;
	nnfw_program_charge_bytes(fw, p, 0);
}

void nnfw_program_ref(struct nnfw *fw, struct program *p)
{
	if (!p->refs++ && !p->kept)
		fw->idle_bytes -= p->bytes;
}

void nnfw_program_idle(struct nnfw *fw, const struct program *p)
{
	if (!p->kept)
		fw->idle_bytes += p->bytes;
}

void nnfw_program_forget(struct nnfw *fw, struct program *p)
{
	nnfw_program_unlink(fw, p);
	if (p->refs)
		return;
	if (!p->kept)
		fw->idle_bytes -= p->bytes;
	nnfw_program_uncharge(fw, p);
	TAILQ_INSERT_TAIL(&fw->garbage, p, entry);
}
