// SPDX-License-Identifier: Apache-2.0
/* Starting nnaccel-worker. */
#include "launch/nnipc_launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_log.h"

/* What the vendor library may do beyond the common rules; false: there is no such file. */
static bool find_profile(const struct nnipc_worker_launch *launch, char *path)
{
	const char *name = strrchr(launch->library, '/');
	int n;

	if (!launch->profiles)
		return false;
	n = snprintf(path, PATH_MAX, "%s/%s.conf", launch->profiles,
		     name ? name + 1 : launch->library);
	return n > 0 && n < PATH_MAX && !access(path, R_OK);
}

int nnipc_worker_launch(const struct nnipc_worker_launch *launch, struct nnipc_child *child,
			char *message, size_t size)
{
	char profile[PATH_MAX];
	const char *const argv[] = { "nnaccel-worker",
				     "--library",
				     launch->library,
				     "--sandbox",
				     nnipc_sandbox_mode_name(launch->mode),
				     find_profile(launch, profile) ? "--profile" : NULL,
				     profile,
				     NULL };
	char **environment = nnipc_worker_environment(launch->memory);
	const struct nnipc_spawn_config config = {
		.program = launch->program,
		.argv = (char *const *)argv,
		.envp = environment,
		.socket = launch->socket,
		.log = launch->log,
		.cgroup = launch->cgroup,
	};
	int ret;

	if (!environment)
		return nnutil_refuse(message, size, -ENOMEM, "out of memory");
	ret = nnipc_spawn(&config, child, message, size);
	free(environment);
	return ret;
}
