/* SPDX-License-Identifier: Apache-2.0 */
/* The ivshmem server. */
#ifndef NNBOARD_IVSHMEM_H
#define NNBOARD_IVSHMEM_H

#include "slot/slot.h"

/** Accept QEMU and send it everything. A second one is refused. */
void ivshmem_accept(struct slot *slot);
/** The peer's socket is readable: it was closed, or unexpected data, which is ignored. */
void ivshmem_peer_event(struct slot *slot);

#endif
