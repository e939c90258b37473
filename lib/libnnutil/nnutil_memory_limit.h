/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory there is for this process. */
#ifndef NNUTIL_MEMORY_LIMIT_H
#define NNUTIL_MEMORY_LIMIT_H

#include <stdint.h>

/**
 * Environment variable, bytes: the limit of a process that cannot see it. A worker has a namespace
 * of cgroups of its own, so who starts it passes its limit on.
 */
#define NNUTIL_MEMORY_LIMIT "NNACCEL_MEMORY_LIMIT"

/** Bytes: the machine's memory, and no more than memory.max of the process' cgroups. */
uint64_t nnutil_memory_limit(void);

/** The bytes of memory.max's contents; UINT64_MAX: no limit. */
uint64_t nnutil_memory_max(const char *text);

#endif
