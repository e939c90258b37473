/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications to the host, on the control socket. Any thread. */
#ifndef NNIPC_NOTIFIER_H
#define NNIPC_NOTIFIER_H

#include <stdint.h>

#include "wire/marshal.h"

/** Once, before the first notification: @sock is the control socket, for good. */
void nnipc_notifier_init(int sock);
/**
 * Send @out to the host's callback @callback as @method, and free it. Blocks while the host does
 * not read. A notification that cannot be sent ends the worker: the host would wait for ever.
 */
void nnipc_notify(uint32_t method, uint64_t callback, struct nnipc_writer *out);

#endif
