/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the worker's environment names, and this installation's own libraries. */
#ifndef NNIPC_WORKER_PLACES_H
#define NNIPC_WORKER_PLACES_H

#include "sandbox/sandbox.h"

/**
 * What a vendor library may open beyond the system's places and its own folder: in @sandbox, for
 * nnipc_sandbox_enter(). The list is static: one sandbox in a process.
 */
void nnipc_worker_places(struct nnipc_sandbox *sandbox);

#endif
