// SPDX-License-Identifier: Apache-2.0
/* The environment of a worker. */
#include "launch/nnipc_launch.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "nnutil_process.h"

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

static bool listed(const char *const *names, const char *variable)
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

char **nnipc_worker_environment(uint64_t memory)
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
		if (listed(always, environ[i]) || (!privileged && listed(unprivileged, environ[i])))
			out[at++] = environ[i];
	limit = (char *)(out + count + 2);
	snprintf(limit, LIMIT, NNUTIL_MEMORY_LIMIT "=%" PRIu64,
		 memory ? memory : nnutil_memory_limit());
	out[at] = limit;
	return out;
}
