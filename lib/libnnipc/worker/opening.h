/* SPDX-License-Identifier: Apache-2.0 */
/* From HELLO to the reply to OPEN: enumerating, opening the device, closing the sandbox. */
#ifndef NNIPC_OPENING_H
#define NNIPC_OPENING_H

#include "nnhal.h"
#include "sandbox/sandbox.h"

/**
 * nnipc_opening() - serve the control socket until the device is open
 * @sock: the control socket
 * @driver: the vendor's
 * @sandbox: of nnipc_sandbox_enter(); is closed when the device is open
 * @device: set to the device; NULL: none was opened
 *
 * Return: 0: the reply to OPEN has been sent; -EPIPE: the host has hung up; another error: it broke
 * the protocol.
 */
int nnipc_opening(int sock, const struct nnhal_driver *driver, struct nnipc_sandbox *sandbox,
		  struct nnhal_device **device);

#endif
