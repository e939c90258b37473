// SPDX-License-Identifier: Apache-2.0
/* The door is shut: what the worker holds is all that it has. */
#include <errno.h>
#include <unistd.h>

#include "sandbox/sandbox.h"
#include "sandbox/sandbox_internal.h"
#include "sandbox/warden.h"

static int empty_root(const struct nnipc_sandbox *sandbox)
{
	if (!(sandbox->namespaces & NNIPC_LAYER_MOUNT_NS) || sandbox->warden < 0)
		return -ENOTSUP;
	return nnipc_warden_empty_root(sandbox->warden);
}

int nnipc_sandbox_close(struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	const bool skip = NNIPC_SANITIZED && sandbox->mode != NNIPC_SANDBOX_STRICT;
	int error = 0;

	if (sandbox->mode != NNIPC_SANDBOX_OFF)
		error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_EMPTY_ROOT,
					    skip ? -ENOTSUP : empty_root(sandbox), message, size);
	if (sandbox->warden >= 0)
		close(sandbox->warden);
	sandbox->warden = -1;
	return error;
}
