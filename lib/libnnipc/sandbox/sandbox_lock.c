// SPDX-License-Identifier: Apache-2.0
/* Last step of the sandbox: lock it by the seccomp filter and Landlock. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sandbox/sandbox_private.h"
#include "sandbox/sandbox.h"

static int empty_root(const struct nnipc_sandbox *sandbox)
{
	if (!(sandbox->namespaces & NNIPC_LAYER_MOUNT_NS) || sandbox->monitor < 0)
		return -ENOTSUP;
	return nnipc_monitor_empty_root(sandbox->monitor);
}

static int close_files(struct nnipc_sandbox *sandbox, bool skip, char *message, size_t size)
{
	int landlock = -EOPNOTSUPP, error;

	/* a sanitizer looks for leaks in /proc: the domain of nnipc_sandbox_enter() has to do */
	if (sandbox->layers & NNIPC_LAYER_LANDLOCK)
		landlock = skip ? 0 : nnipc_landlock_close();
	/* half of a layer does not count */
	if (landlock)
		sandbox->layers &= ~(uint32_t)NNIPC_LAYER_LANDLOCK;
	error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_LANDLOCK, landlock, message, size);
	if (!error)
		error = nnipc_sandbox_layer(sandbox, NNIPC_LAYER_EMPTY_ROOT,
					    skip ? -ENOTSUP : empty_root(sandbox), message, size);
	return error;
}

static int load_filter(const struct nnipc_sandbox *sandbox)
{
	const struct nnipc_profile profile = { sandbox->profile, sandbox->profile_text };
	const bool learn = sandbox->mode == NNIPC_SANDBOX_LEARN;
	unsigned int flags = learn ? NNIPC_FILTER_LEARN : 0;
	scmp_filter_ctx filter;
	char why[256];
	int error;

	/* learning is about what a profile needs a line for, and fstat() needs none */
	if (learn || sandbox->layers & NNIPC_LAYER_EMPTY_ROOT)
		flags |= NNIPC_FILTER_EMPTY_ROOT;
	if (sandbox->namespaces & NNIPC_LAYER_PID_NS)
		flags |= NNIPC_FILTER_OWN_PIDS;
	error = nnipc_seccomp_filter_prepare(profile.text ? &profile : NULL, flags, &filter, why,
					     sizeof(why));
	return error ? error : nnipc_seccomp_filter_load(filter, learn);
}

/* Each in its turn: the filter shuts out what the layers before need. */
static int shut(struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	const bool skip = NNIPC_SANITIZED && sandbox->mode != NNIPC_SANDBOX_STRICT;
	/* learning has the second filter alone */
	const bool first_missing = sandbox->mode != NNIPC_SANDBOX_LEARN &&
				   !(sandbox->layers & NNIPC_LAYER_SECCOMP);
	int error = close_files(sandbox, skip, message, size), filter;

	if (error)
		return error;
	sandbox->layers &= ~(uint32_t)NNIPC_LAYER_SECCOMP;
	filter = skip ? -ENOTSUP : load_filter(sandbox);
	return nnipc_sandbox_layer(sandbox, NNIPC_LAYER_SECCOMP, first_missing ? -ENOTSUP : filter,
				   message, size);
}

/* The monitor last: the parent looks at the worker then. */
static void sandbox_lock_release(struct nnipc_sandbox *sandbox)
{
	free(sandbox->profile_text);
	sandbox->profile_text = NULL;
	if (sandbox->process >= 0)
		close(sandbox->process);
	if (sandbox->monitor >= 0)
		close(sandbox->monitor);
	sandbox->process = sandbox->monitor = -1;
}

int nnipc_sandbox_lock(struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	int error = 0;

	if (sandbox->mode != NNIPC_SANDBOX_OFF) {
		error = shut(sandbox, message, size);
		if (!error)
			error = nnipc_layers_suffice(sandbox->mode, sandbox->layers, message, size);
	}
	sandbox_lock_release(sandbox);
	return error;
}
