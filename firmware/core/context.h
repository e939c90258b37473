/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts. */
#ifndef NNFW_CONTEXT_H
#define NNFW_CONTEXT_H

#include "core.h"

/** Under the lock: nothing is loaded ahead for @ctx any more. */
void nnfw_context_stop(struct nnfw *fw, struct context *ctx);

#endif
