/* SPDX-License-Identifier: Apache-2.0 */
/* What the planner places. Private to libnnprog. */
#ifndef NNPROG_PLAN_ITEM_H
#define NNPROG_PLAN_ITEM_H

#include <stdint.h>

/** When a tensor lives, in operation numbers, both ends included. first > last: never. */
struct nnprog_life {
	uint32_t first, last;
};

/** One tensor to place; @offset is the result. */
struct nnprog_plan_item {
	struct nnprog_life life;
	uint64_t size, offset;
};

#endif
