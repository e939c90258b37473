/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The warden: the worker's parent, which runs no code of a vendor. See sandbox.h.
 */
#ifndef NNIPC_WARDEN_H
#define NNIPC_WARDEN_H

#include <stdbool.h>
#include <stdint.h>

/** Status of a process that ended itself because of @signal: as shells write it. */
#define NNIPC_STATUS_OF_SIGNAL(signal) (128 + (signal))

/**
 * nnipc_warden_fork() - become the worker of a warden
 * @socket: set to the worker's socket to the warden
 *
 * The process was made by nnipc_spawn() and has one thread. Returns in the worker only; the warden
 * lives on in its parent, without the worker's socket, and exits.
 *
 * Return: 0 or -errno.
 */
int nnipc_warden_fork(int *socket);

/**
 * nnipc_warden_announce() - report to the parent that there is a worker
 * @layers: enum nnipc_layer: those that it has so far
 *
 * In the worker, once, before vendor code runs: it has no way to the parent afterwards.
 */
void nnipc_warden_announce(uint32_t layers);

/**
 * nnipc_warden_empty_root() - have the warden replace the root
 * @socket: to the warden
 *
 * The root of all processes of the mount namespace is an empty folder then, and the warden has no
 * capability any more. Once.
 *
 * Return: 0 or -errno.
 */
int nnipc_warden_empty_root(int socket);

#endif
