/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow that the runtime interprets. Result codes. */
#ifndef NNR_IF_WHILE_H
#define NNR_IF_WHILE_H

#include "run/invocation.h"

int nnr_if_run(struct nnr_invocation *invocation, struct nnr_scope *scope,
	       const struct nnr_node *node);
int nnr_while_run(struct nnr_invocation *invocation, struct nnr_scope *scope,
		  const struct nnr_node *node, struct nnr_while *loop);

#endif
