/* SPDX-License-Identifier: Apache-2.0 */
/* After the reply to OPEN: lanes and releases. */
#ifndef NNIPC_SERVING_H
#define NNIPC_SERVING_H

#include "nnhal.h"

/** Serve until the host hangs up. Then no lane is left, and all objects are destroyed. */
void nnipc_serving(int sock, struct nnhal_device *device);

#endif
