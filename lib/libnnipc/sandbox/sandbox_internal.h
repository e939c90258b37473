/* SPDX-License-Identifier: Apache-2.0 */
/* What enter and close share. */
#ifndef NNIPC_SANDBOX_INTERNAL_H
#define NNIPC_SANDBOX_INTERNAL_H

#include "sandbox/sandbox.h"

/* A sanitizer opens files, maps memory and makes calls whenever it likes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NNIPC_SANITIZED 1
#else
#define NNIPC_SANITIZED 0
#endif

/**
 * The layer is active, if @error is 0. Else the layer is missing: 0, or in strict mode -EPERM with
 * a message.
 */
int nnipc_sandbox_layer(struct nnipc_sandbox *sandbox, enum nnipc_layer layer, int error,
			char *message, size_t size);

#endif
