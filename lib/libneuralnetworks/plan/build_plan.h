/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compilation becomes a plan in four parts: what each operation costs on each device (cost.c),
 * which device takes it (partition_choice.c, partition_transfer.c), steps (partition_steps.c,
 * partition_graph.c), and their preparation (prepare_steps.c). The findings stay with the
 * compilation as a report, for explain.c.
 *
 * A "graph" is one subgraph of the model: 0 main, 1 + i referenced[i]. Devices are numbers in the
 * compilation's list; the number behind the last one is the runtime, which interprets IF and WHILE.
 */
#ifndef NNR_BUILD_PLAN_H
#define NNR_BUILD_PLAN_H

#include "plan/compilation.h"

/**
 * Partition and prepare as the compilation says. @deadline_ns: CLOCK_BOOTTIME or NNHAL_NO_TIME.
 * Result code of finish(); *@plan with NO_ERROR.
 */
int nnr_plan_build(ANeuralNetworksCompilation *compilation, int64_t deadline_ns,
		   struct nnr_plan **plan);
/**
 * Before the plan of a finished compilation is used: make a plan from before a fork anew. Result
 * code (logged).
 */
int nnr_compilation_renew(const ANeuralNetworksCompilation *compilation);

#endif
