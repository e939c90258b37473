/* SPDX-License-Identifier: Apache-2.0 */
/* The ivshmem server. */
#ifndef NNBOARD_IVSHMEM_H
#define NNBOARD_IVSHMEM_H

#include "slot/slot.h"

/** Accept QEMU and send it everything. A second one is refused. */
void ivshmem_accept(struct slot *slot);
/** The peer's socket has something: it closed it, or says what it should not. */
void ivshmem_peer_event(struct slot *slot);

#endif
