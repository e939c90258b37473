// SPDX-License-Identifier: Apache-2.0
#include "compare/nnctl_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"

#define RUNTIME "runtime"

/* "runtime:A+B": the comma of the runtime's lists is between the two devices here. */
static void runtime_list(char *spec)
{
	if (strncmp(spec, RUNTIME ":", strlen(RUNTIME ":")))
		return;
	for (char *plus = spec; (plus = strchr(plus, '+')) != NULL;)
		*plus = ',';
}

int device_pair_split(const char *devices, char *specs[2])
{
	const char *comma = devices ? strchr(devices, ',') : NULL;

	specs[0] = specs[1] = NULL;
	if (!devices)
		return usage(
			"--devices is missing: two of \"nnctl list\", or runtime:NAME[+NAME...]");
	if (!comma || strchr(comma + 1, ',') || comma == devices || !comma[1])
		return usage("--devices %s: not two devices with a comma", devices);
	specs[0] = strdup(devices);
	if (!specs[0]) {
		complain("out of memory");
		return 1;
	}
	specs[1] = specs[0] + (comma - devices);
	*specs[1]++ = '\0';
	for (uint32_t i = 0; i < 2; i++)
		runtime_list(specs[i]);
	return 0;
}

int device_run_open(struct session *s, const char *spec)
{
	const size_t length = strlen(RUNTIME);

	if (strncmp(spec, RUNTIME, length) || (spec[length] && spec[length] != ':'))
		return session_open(s, spec);
	return session_open_runtime(s, spec[length] ? spec + length + 1 : NULL);
}

int device_run(struct session *s, const struct options *o, const char *spec)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	if (device_run_open(s, spec) || options_fill_inputs(o, s))
		return -1;
	status = session_execute(s, false, &result);
	if (status != NNHAL_NONE)
		complain("%s: the execution failed: %s%s%s", spec, nnhal_status_name(status),
			 result.message[0] ? ": " : "", result.message);
	nnhal_execution_result_clear(&result);
	return status == NNHAL_NONE ? 0 : -1;
}
