/* SPDX-License-Identifier: Apache-2.0 */
/* IBuffer. */
#ifndef NNIPC_BUFFER_SERVANT_H
#define NNIPC_BUFFER_SERVANT_H

#include "nnhal.h"

/** Give a buffer of the vendor's a number. On an error it is destroyed, and *@oid is 0. */
enum nnhal_status nnipc_buffer_add(struct nnhal_buffer *buffer, uint64_t *oid);

#endif
