/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnipc.h
 *
 * libnnipc is a vendor library: it exports nnhal_driver (nnhal.h), whose devices are proxies of
 * devices in other processes. A specification names the process and the device there:
 *
 * * worker[=LIBRARY][:SPEC]: a sandboxed worker process of this client, which loads LIBRARY
 * * service[=SOCKET][:SPEC]: the service nnaccel-hald, which listens on SOCKET
 *
 * nnhal_driver.enumerate() gives the devices of NNACCEL_IPC_TARGET, or of "worker".
 */
#ifndef NNIPC_H
#define NNIPC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nnipc_enumerate() - the devices behind a process
 * @target: "worker", "worker=LIBRARY", "service" or "service=SOCKET"
 * @found: called with the whole specification of each device, for nnhal_driver.open(), until it
 *	returns nonzero
 * @cookie: for @found
 * @message: on an error, what is wrong and what to do; may be NULL
 * @size: of @message
 *
 * Return: 0, what @found returned, or -errno.
 */
int nnipc_enumerate(const char *target, int (*found)(void *cookie, const char *spec), void *cookie,
		    char *message, size_t size);

#ifdef __cplusplus
}
#endif

#endif
