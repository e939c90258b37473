/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the vendor library of a worker. */
#ifndef NNIPC_VENDOR_DRIVER_H
#define NNIPC_VENDOR_DRIVER_H

#include <stddef.h>

#include "nnhal.h"

/** The driver of the library @path, which stays loaded; NULL with @message: why not. */
const struct nnhal_driver *nnipc_vendor_driver(const char *path, char *message, size_t size);

#endif
