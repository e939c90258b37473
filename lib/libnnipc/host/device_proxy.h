/* SPDX-License-Identifier: Apache-2.0 */
/* IDevice, in front of its worker. Private to lib/libnnipc/host. */
#ifndef NNIPC_DEVICE_PROXY_H
#define NNIPC_DEVICE_PROXY_H

#include "host/target.h"
#include "nnhal.h"

/** Start a worker and open its device. 0 or -errno with @message (@size bytes). */
int nnipc_device_proxy_open(const struct nnipc_target *target, struct nnhal_device **dev,
			    char *message, size_t size);

#endif
