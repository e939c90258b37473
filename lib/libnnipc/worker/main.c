// SPDX-License-Identifier: Apache-2.0
/* nnaccel-worker, without faults. */
#include "nnutil_process.h"
#include "worker/nnipc_worker.h"

void nnipc_fault_point(const char *step)
{
	(void)step;
}

int main(int argc, char **argv)
{
	/* its own process: kernels may use them, and no threads of others are here */
	nnutil_tiles_ask();
	return nnipc_worker_main(argc, argv);
}
