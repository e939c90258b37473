// SPDX-License-Identifier: Apache-2.0
/* The command line of nnaccel-worker. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#define USAGE                                                                        \
	"usage: nnaccel-worker --library PATH [--sandbox off|learn|default|strict] " \
	"[--profile FILE]\n"                                                         \
	"Started by libnnipc and nnaccel-hald with the client's socket as descriptor 3.\n"

static int take(struct nnipc_worker_options *o, int option, const char *value)
{
	switch (option) {
	case 'l':
		o->library = value;
		return 0;
	case 'p':
		o->profile = value;
		return 0;
	case 's':
		return nnipc_sandbox_mode_parse(value, &o->mode);
	default:
		return -EINVAL;
	}
}

int nnipc_worker_options(int argc, char **argv, struct nnipc_worker_options *o)
{
	static const struct option options[] = {
		{ "library", required_argument, NULL, 'l' },
		{ "sandbox", required_argument, NULL, 's' },
		{ "profile", required_argument, NULL, 'p' },
		{ 0 },
	};
	bool valid = true;
	int option;

	*o = (struct nnipc_worker_options){ .mode = NNIPC_SANDBOX_DEFAULT };
	while (valid && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		valid = !take(o, option, optarg);
	if (valid && optind == argc && o->library)
		return 0;
	fputs(USAGE, stderr);
	return -EINVAL;
}
