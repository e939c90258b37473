/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of nnaccel-worker. */
#ifndef NNIPC_WORKER_OPTIONS_H
#define NNIPC_WORKER_OPTIONS_H

#include <stdint.h>

#include "sandbox/sandbox.h"

struct nnipc_worker_options {
	const char *library, *profile; /* profile NULL: none */
	enum nnipc_sandbox_mode mode;
};

/** 0; -EINVAL with a line on standard error. */
int nnipc_worker_options(int argc, char **argv, struct nnipc_worker_options *o);

#endif
