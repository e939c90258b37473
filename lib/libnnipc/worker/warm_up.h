/* SPDX-License-Identifier: Apache-2.0 */
/* What libc and the vendor library open at their first use, before nothing can be opened. */
#ifndef NNIPC_WARM_UP_H
#define NNIPC_WARM_UP_H

#include "nnhal.h"

void nnipc_warm_up(struct nnhal_device *dev);

#endif
