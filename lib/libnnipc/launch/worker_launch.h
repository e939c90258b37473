/* SPDX-License-Identifier: Apache-2.0 */
/* Starting nnaccel-worker: its command line, its environment, the profile of its sandbox. */
#ifndef NNIPC_WORKER_LAUNCH_H
#define NNIPC_WORKER_LAUNCH_H

#include <stdint.h>

#include "sandbox/sandbox.h"

struct nnipc_worker_launch {
	const char *program; /* absolute path of nnaccel-worker */
	const char *library; /* absolute path of the vendor library */
	const char *profiles; /* folder of profiles; NULL: none */
	enum nnipc_sandbox_mode mode;
	int socket, log, cgroup; /* as those of struct nnipc_spawn_config */
	uint64_t memory; /* bytes that it may use; 0: as many as this process */
};

/** As nnipc_spawn(). A vendor library without a profile may do what every worker may. */
int nnipc_worker_launch(const struct nnipc_worker_launch *launch, struct nnipc_child *child,
			char *message, size_t size);

#endif
