/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting workers again. Shared by all devices of this process with the same target: opening the
 * device anew does not evade the crash limit. isolation.rst has the policy as a table.
 */
#ifndef NNIPC_SUPERVISOR_H
#define NNIPC_SUPERVISOR_H

#include "host/connection.h"

struct nnipc_supervisor;

/**
 * That of @target, made if there is none. It lives as long as the process: its crashes count for
 * later users. NULL: no memory.
 */
struct nnipc_supervisor *nnipc_supervisor_get(const struct nnipc_target *target);

/**
 * nnipc_supervisor_start() - a new generation, if the policy allows one now
 * @s: supervisor
 * @expected: what the device was before; NULL: the first generation of a device
 * @c: set to the connection, with one reference
 * @message: on an error, why
 * @size: of @message
 *
 * Return: 0; -EAGAIN: too soon after a crash; -EPERM: too many crashes; -ESTALE: it is another
 * device than @expected, which is out of service; or the error of nnipc_connection_open().
 */
int nnipc_supervisor_start(struct nnipc_supervisor *s, const struct nnipc_description *expected,
			   struct nnipc_connection **c, char *message, size_t size);
/** Generations after the first ones of their devices, in this process. */
uint32_t nnipc_supervisor_restarts(struct nnipc_supervisor *s);

#endif
