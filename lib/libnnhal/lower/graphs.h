/* SPDX-License-Identifier: Apache-2.0 */
/* The subgraphs that a model uses. */
#ifndef NNHAL_LOWER_GRAPHS_H
#define NNHAL_LOWER_GRAPHS_H

#include "nnmodel.h"

/** Subgraphs of the model that main uses, through others too. A program holds them in an order in
 * which each comes after those that use it. */
struct lower_graphs {
	uint32_t num;
	uint32_t *order; /* indices in nnmodel.referenced; [i] is subgraph 1 + i of the program */
	uint32_t *number; /* by that index: of the program; UINT32_MAX: not used */
	char **refused; /* by that index, when only asking what is supported: why not, or NULL */
};

/**
 * 0; -EOPNOTSUPP (nested too deep) with @err, -ENOMEM. Free with lower_graphs_fini() in any case.
 */
int lower_graphs_init(struct lower_graphs *graphs, const struct nnmodel *model,
		      struct nnmodel_error *err);
void lower_graphs_fini(struct lower_graphs *graphs, const struct nnmodel *model);

#endif
