// SPDX-License-Identifier: Apache-2.0
/* "nnctl trace": its parts. */
#include <string.h>

#include "nnctl.h"
#include "trace_cmd.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the part's name */
} parts[] = {
	{ "record", trace_record },
	{ "clock-sync", trace_clock_sync },
	{ "report", trace_report },
	{ "export", trace_export },
};

int cmd_trace(int argc, char **argv)
{
	if (argc < 2)
		return usage("trace", "which part?");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(argv[1], parts[i].name))
			return parts[i].run(argc - 1, argv + 1);
	return usage("trace", "there is no \"trace %s\"", argv[1]);
}
