/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with so many 8-bit products that they are worth AMX (isa/isa.h). */
#ifndef NNFW_HEAVY_H
#define NNFW_HEAVY_H

#include "core.h"
#include "program.h"

/** 8-bit multiply-adds of a heavy program. */
#define NNFW_HEAVY_MACS 20000000u

/**
 * 8-bit multiply-adds of an operation that is worth another instruction set for them; 0: it is not,
 * or its shapes depend on a run.
 */
uint64_t nnfw_heavy_macs(const struct program_graph *g, const struct program_op *op);

#endif
