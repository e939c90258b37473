// SPDX-License-Identifier: Apache-2.0
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
