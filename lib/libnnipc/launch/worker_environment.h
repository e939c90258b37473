/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a worker: an allow-list. Private to the room. */
#ifndef NNIPC_WORKER_ENVIRONMENT_H
#define NNIPC_WORKER_ENVIRONMENT_H

/**
 * The variables that a worker gets, NULL at the end; the texts are the process's own. free() it.
 * NULL: no memory.
 */
char **nnipc_worker_environment(void);

#endif
