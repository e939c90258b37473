/* SPDX-License-Identifier: Apache-2.0 */
/* Giving back the memory of weights that operations have packed, and no run reads. */
#ifndef NNFW_DISCARD_H
#define NNFW_DISCARD_H

#include "core.h"
#include "program.h"

/**
 * nnfw_program_discard() - after a program was loaded
 * @p: READY, with a reference of the caller
 *
 * A program that lies in the client's memory cannot be loaded again afterwards, so it is kept: it
 * is dropped when the client unloads it, and not for another program. Such programs have at most
 * half of the quota; others keep their weights, and can be dropped.
 */
void nnfw_program_discard(struct nnfw *fw, struct program *p);

#endif
