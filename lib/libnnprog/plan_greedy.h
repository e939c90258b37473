/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan*.c. */
#ifndef NNPROG_PLAN_GREEDY_H
#define NNPROG_PLAN_GREEDY_H

#include "plan_order.h"

/** Place the items in the order of their sizes. 0, -ENOMEM, -ETIME. */
int plan_greedy(struct plan_work *w, uint64_t *offsets, uint64_t *arena);

#endif
