/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of a worker, with its socket and what it prints. One thread: it must live as long as
 * the process, which the kernel kills with the thread that made it. Private to lib/libnnipc/host.
 */
#ifndef NNIPC_WORKER_PROCESS_H
#define NNIPC_WORKER_PROCESS_H

#include "host/target.h"
#include "launch/log_pipe.h"
#include "sandbox/sandbox.h"

struct nnipc_worker_process {
	struct nnipc_child child; /* pid 0: none */
	struct nnipc_log_pipe log;
};

/**
 * nnipc_worker_process_start() - start nnaccel-worker
 * @w: set
 * @target: has the vendor library
 * @sock: set to this end of the worker's socket; the caller's
 * @message: on an error, what is wrong and what to do
 * @size: of @message
 *
 * Return: 0 or -errno.
 */
int nnipc_worker_process_start(struct nnipc_worker_process *w, const struct nnipc_target *target,
			       int *sock, char *message, size_t size);

/**
 * nnipc_worker_process_end() - wait for its end, and reap it
 * @w: of nnipc_worker_process_start()
 * @grace_ns: most time until it is killed
 * @late: set to whether it was
 * @how: set to text: "exit status 1", "signal 9 (Killed)"
 * @size: of @how
 *
 * Meanwhile its lines are read, so that it does not wait for us. Return: as nnipc_child_wait().
 */
int nnipc_worker_process_end(struct nnipc_worker_process *w, int64_t grace_ns, bool *late,
			     char *how, size_t size);

#endif
