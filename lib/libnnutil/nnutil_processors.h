/* SPDX-License-Identifier: Apache-2.0 */
/* How many processors there are for this process. */
#ifndef NNUTIL_PROCESSORS_H
#define NNUTIL_PROCESSORS_H

#include <stdint.h>

/**
 * Processors that the calling thread may use: those of its affinity, and no more than the quotas
 * (cpu.max) of the process' cgroups amount to, rounded up. At least 1.
 */
uint32_t nnutil_processors(void);

/** The quota of cpu.max's contents, in processors, rounded up; UINT32_MAX: none. */
uint32_t nnutil_quota(const char *text);

#endif
