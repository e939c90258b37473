/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A latch: something has happened, once. 0 is a closed latch. Any number of threads may wait.
 */
#ifndef NNIPC_LATCH_H
#define NNIPC_LATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

void nnipc_latch_open(atomic_uint *latch);
/** False: it is still closed after @timeout_ns; negative: no limit. */
bool nnipc_latch_wait(atomic_uint *latch, int64_t timeout_ns);

#endif
