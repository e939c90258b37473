// SPDX-License-Identifier: Apache-2.0
/*
 * The real worker, which fails at a step of the protocol (worker/nnipc_worker.h):
 * NNACCEL_WORKER_FAULT="STEP:N" kills it when it comes to that step for the N-th time,
 * "STEP:N:hang" holds the thread there for ever.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker/nnipc_worker.h"

static char wanted_step[64];
static unsigned int wanted_number;
static int hangs;
static atomic_uint number;

void nnipc_fault_point(const char *step)
{
	if (!wanted_number || strcmp(step, wanted_step) != 0 || ++number != wanted_number)
		return;
	while (hangs)
		pause();
	raise(SIGKILL);
	/* the first process of a pid namespace cannot kill itself; this is the same to its peer */
	_exit(137);
}

int main(int argc, char **argv)
{
	const char *fault = getenv("NNACCEL_WORKER_FAULT");
	char how[8] = "";

	if (fault && sscanf(fault, "%63[^:]:%u:%7s", wanted_step, &wanted_number, how) >= 2)
		hangs = !strcmp(how, "hang");
	return nnipc_worker_main(argc, argv);
}
