// SPDX-License-Identifier: Apache-2.0
/* The door is shut: what the worker holds is all that it has. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sandbox/call_filter.h"
#include "sandbox/landlock_domain.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_internal.h"
#include "sandbox/warden.h"

static int empty_root(const struct nnipc_sandbox *sandbox)
{
	if (!(sandbox->namespaces & NNIPC_LAYER_MOUNT_NS) || sandbox->warden < 0)
		return -ENOTSUP;
	return nnipc_warden_empty_root(sandbox->warden);
}

/* Each in its turn: the filter shuts out what the layers before need. */
static int shut(struct nnipc_sandbox *sandbox, scmp_filter_ctx filter, int filter_error,
		char *message, size_t size)
{
	const bool skip = NNIPC_SANITIZED && sandbox->mode != NNIPC_SANDBOX_STRICT;
	const bool learn = sandbox->mode == NNIPC_SANDBOX_LEARN;
	/* learning has the second filter alone */
	const bool first_missing = !learn && !(sandbox->layers & NNIPC_LAYER_SECCOMP);
	int landlock = -EOPNOTSUPP, error;

	/* a sanitizer looks for leaks in /proc: the domain of nnipc_sandbox_enter() has to do */
	if (sandbox->layers & NNIPC_LAYER_LANDLOCK)
		landlock = skip ? 0 : nnipc_landlock_close();
	/* half of a layer does not count */
	if (landlock)
		sandbox->layers &= ~(uint32_t)NNIPC_LAYER_LANDLOCK;
	sandbox->layers &= ~(uint32_t)NNIPC_LAYER_SECCOMP;
	error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_LANDLOCK, landlock, message, size);
	if (!error)
		error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_EMPTY_ROOT,
					    skip ? -ENOTSUP : empty_root(sandbox), message, size);
	if (error || !filter) {
		seccomp_release(filter);
		return error ? error
			     : nnipc_sandbox_layer(sandbox, NNIPC_LAYER_SECCOMP, filter_error,
						   message, size);
	}
	error = nnipc_call_filter_load(filter, learn);
	return nnipc_sandbox_layer(sandbox, NNIPC_LAYER_SECCOMP, first_missing ? -ENOTSUP : error,
				   message, size);
}

/* The warden last: the parent looks at the worker then. */
static void release(struct nnipc_sandbox *sandbox)
{
	free(sandbox->profile_text);
	sandbox->profile_text = NULL;
	if (sandbox->process >= 0)
		close(sandbox->process);
	if (sandbox->warden >= 0)
		close(sandbox->warden);
	sandbox->process = sandbox->warden = -1;
}

int nnipc_sandbox_close(struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	const bool skip = NNIPC_SANITIZED && sandbox->mode != NNIPC_SANDBOX_STRICT;
	const struct nnipc_profile profile = { sandbox->profile, sandbox->profile_text };
	scmp_filter_ctx filter = NULL;
	char why[256] = "";
	int error = -ENOTSUP;

	if (sandbox->mode == NNIPC_SANDBOX_OFF) {
		release(sandbox);
		return 0;
	}
	if (!skip)
		error = nnipc_call_filter_prepare(profile.text ? &profile : NULL,
						  sandbox->mode == NNIPC_SANDBOX_LEARN, &filter,
						  why, sizeof(why));
	error = shut(sandbox, filter, error, message, size);
	if (!error)
		error = nnipc_layers_suffice(sandbox->mode, sandbox->layers, message, size);
	release(sandbox);
	return error;
}
