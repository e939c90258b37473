/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker: serves one connection on an inherited socket with a device of a vendor library.
 *
 *	nnaccel-worker --library PATH --sandbox MODE [--profile FILE]
 *
 * The socket is descriptor 3. Threads: the main one reads the control socket; each lane and each
 * burst has one; releases run on a pool, because a vendor's destroy() may block. No lock is held
 * across a call of the vendor library.
 */
#ifndef NNIPC_WORKER_H
#define NNIPC_WORKER_H

/** Everything; returns the exit status. */
int nnipc_worker_main(int argc, char **argv);

/**
 * Named steps of the protocol at which a test makes the worker fail: "before-hello",
 * "before-open-reply", "after-launch-reply"... (worker/fault_points.h). The shipped worker has an
 * empty function here.
 */
void nnipc_fault_point(const char *step);

#endif
