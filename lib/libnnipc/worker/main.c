// SPDX-License-Identifier: Apache-2.0
/* nnaccel-worker. */
#include "worker/worker.h"

int main(int argc, char **argv)
{
	return nnipc_worker_main(argc, argv);
}
