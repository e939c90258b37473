// SPDX-License-Identifier: Apache-2.0
/* Starting nnaccel-worker. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "nnutil_log.h"
#include "nnutil_process.h"

#include "launch/nnipc_launch.h"

/* The environment of a worker. */

/* Of every process. A name that ends with * is a prefix. */
static const char *const always[] = { "LANG", "LC_*", "TZ", NULL };
/* Of unprivileged processes: what they set is theirs. */
static const char *const unprivileged[] = {
	"NNACCEL_FIRMWARE",
	"NNACCEL_THREADS",
	"NNACCEL_JOB_THREADS",
	"NNACCEL_PROGRAM_QUOTA",
	"NNACCEL_ISA",
	"NNACCEL_AMX",
	"NNACCEL_CALIBRATION",
	"NNACCEL_FENCES",
	"NNTRACE",
	"NNTRACE_DETAIL",
	"NNAPI_LOG",
	"HOME",
	"XDG_*",
	"ASAN_OPTIONS",
	"LSAN_OPTIONS",
	"TSAN_OPTIONS",
	"UBSAN_OPTIONS",
#ifdef NNIPC_TESTS
	/* of workers and vendor libraries of tests: a build without tests passes none on */
	"NNACCEL_WORKER_FAULT",
	"NNHAL_TEST_*",
#endif
	NULL,
};

static bool worker_launch_listed(const char *const *names, const char *variable)
{
	const size_t length = (size_t)(strchrnul(variable, '=') - variable);

	for (; *names; names++) {
		const size_t n = strlen(*names);
		const bool prefix = (*names)[n - 1] == '*';

		if (prefix ? !strncmp(variable, *names, n - 1)
			   : n == length && !strncmp(variable, *names, n))
			return true;
	}
	return false;
}

/*
 * The variables that a worker gets, NULL at the end; the texts are the process's own. free() it.
 * @memory: what the worker may use, bytes, for NNACCEL_MEMORY_LIMIT; 0: as much as this process.
 * NULL: no memory.
 */
static char **worker_environment(uint64_t memory)
{
	enum { LIMIT = sizeof(NNUTIL_MEMORY_LIMIT "=18446744073709551615") };
	const bool privileged = getauxval(AT_SECURE) != 0;
	size_t count = 0, at = 0;
	char **out, *limit;

	while (environ && environ[count])
		count++;
	/* the pointers with NULL, then the text of our own */
	out = calloc(1, (count + 2) * sizeof(*out) + LIMIT);
	if (!out)
		return NULL;
	for (size_t i = 0; i < count && environ[i]; i++)
		if (worker_launch_listed(always, environ[i]) ||
		    (!privileged && worker_launch_listed(unprivileged, environ[i])))
			out[at++] = environ[i];
	limit = (char *)(out + count + 2);
	snprintf(limit, LIMIT, NNUTIL_MEMORY_LIMIT "=%" PRIu64,
		 memory ? memory : nnutil_memory_limit());
	out[at] = limit;
	return out;
}

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
	char **environment = worker_environment(launch->memory);
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
