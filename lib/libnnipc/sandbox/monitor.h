/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The monitor: the worker's parent, which runs no code of a vendor. See sandbox.h.
 */
#ifndef NNIPC_MONITOR_H
#define NNIPC_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

/** Status of a process that ended itself because of @signal: as shells write it. */
#define NNIPC_STATUS_OF_SIGNAL(signal) (128 + (signal))

/**
 * nnipc_monitor_fork() - become the worker of a monitor
 * @socket: set to the worker's socket to the monitor
 *
 * The process was made by nnipc_spawn() and has one thread. Returns in the worker only; the monitor
 * lives on in its parent, without the worker's socket, and exits.
 *
 * Return: 0 or -errno.
 */
int nnipc_monitor_fork(int *socket);

/**
 * nnipc_monitor_announce() - report to the parent that there is a worker
 * @layers: enum nnipc_layer: those that it has so far
 *
 * In the worker, once, before vendor code runs: it has no way to the parent afterwards.
 */
void nnipc_monitor_announce(uint32_t layers);

/**
 * nnipc_monitor_empty_root() - have the monitor replace the root
 * @socket: to the monitor
 *
 * The root of all processes of the mount namespace is an empty folder then, and the monitor has no
 * capability any more. Once.
 *
 * Return: 0 or -errno.
 */
int nnipc_monitor_empty_root(int socket);

#endif
