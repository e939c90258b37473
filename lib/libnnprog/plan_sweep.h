/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan*.c. */
#ifndef NNPROG_PLAN_SWEEP_H
#define NNPROG_PLAN_SWEEP_H

#include "plan_order.h"

/** Place the items in the order of @order. 0, -ENOMEM, -ETIME. */
int plan_sweep(struct plan_work *w, const struct plan_order *order, bool backward,
	       uint64_t *offsets, uint64_t *arena);

#endif
