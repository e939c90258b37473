/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose shapes and memory are all fixed: the operands of every operation are laid out once
 * and stay in the bookkeeping of an arena. The next run of the program on that arena only puts the
 * addresses of its arguments in.
 */
#ifndef NNFW_FIXED_OPERANDS_H
#define NNFW_FIXED_OPERANDS_H

#include "job_run.h"

/** Operands of such a program, of all its operations; 0: @program is none. */
uint32_t nnfw_operands_count(const struct program *program);
/** Number the operands, when the program is loaded. 0 or -ENOMEM. */
int nnfw_operands_plan(struct program *program);
/** Bytes that nnfw_operands_plan() allocates. */
uint64_t nnfw_operands_bytes(const struct program *program);
/** Whether the job's arguments allow it: none is omitted. */
bool nnfw_operands_fit(const struct program *program, const struct job *job);
/** Lay them out in run->placed; the tensors of the run's main are in place. */
void nnfw_operands_place(struct run *run);
/** The arguments are bound: put their addresses in. */
void nnfw_operands_bind(struct run *run);

#endif
