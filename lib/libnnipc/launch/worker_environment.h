/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a worker: an allow-list. Private to the room. */
#ifndef NNIPC_WORKER_ENVIRONMENT_H
#define NNIPC_WORKER_ENVIRONMENT_H

#include <stdint.h>

/**
 * The variables that a worker gets, NULL at the end; the texts are the process's own. free() it.
 * @memory: what the worker may use, bytes, for NNACCEL_MEMORY_LIMIT; 0: as much as this process.
 * NULL: no memory.
 */
char **nnipc_worker_environment(uint64_t memory);

#endif
