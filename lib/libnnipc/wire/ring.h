/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of packets in shared memory, from one process to another, with futex wake-up. For what is
 * too quick for a socket. Knows no device.
 *
 * One side writes, the other reads. Both may do so from any thread, one at a time. Neither trusts
 * the other: indices are checked against the ring, a packet is copied out before anybody looks at
 * it, and the memory is sealed against shrinking before it is mapped. A side that sees indices that
 * cannot be gets -EPROTO from then on.
 *
 * A reader that sleeps says so in the ring, so that a writer without a sleeping reader makes no
 * system call. A peer that died wakes no reader: the thread that watches the peer calls
 * nnipc_ring_close(), which wakes both sides.
 */
#ifndef NNIPC_RING_H
#define NNIPC_RING_H

#include <stddef.h>
#include <stdint.h>

struct nnipc_ring;

/** Largest capacity: 16 MiB. */
#define NNIPC_RING_MAX (16u << 20)

/**
 * nnipc_ring_create() - a new ring
 * @capacity: bytes for packets and their lengths; a power of two from 4096 to NNIPC_RING_MAX
 * @fd: set to its memory, for the peer; the caller's
 * @ring: set to the ring
 *
 * Return: 0; -EINVAL, -ENOMEM, -EMFILE; -EFBIG: beyond this process's RLIMIT_FSIZE.
 */
int nnipc_ring_create(uint32_t capacity, int *fd, struct nnipc_ring **ring);

/**
 * nnipc_ring_attach() - the peer's ring
 * @fd: its memory; stays the caller's
 * @ring: set to the ring
 *
 * Return: 0; -EINVAL: no ring, or it could shrink; -ENOMEM.
 */
int nnipc_ring_attach(int fd, struct nnipc_ring **ring);

/** Unmap; the caller's threads have left. NULL has no effect. */
void nnipc_ring_free(struct nnipc_ring *ring);

/** 0; -ENOSPC: the packet does not fit now; -E2BIG: never; -EPIPE: closed; -EPROTO. */
int nnipc_ring_put(struct nnipc_ring *ring, const void *packet, uint32_t size);

/**
 * nnipc_ring_get() - take the next packet
 * @packet: set to a copy of the packet, the ring's until the next call
 * @size: set to its bytes
 * @timeout_ns: most time to wait; negative: no limit
 *
 * Return: 0; -ETIME; -EPIPE: closed, and no packet is left that was there at the close; -EPROTO:
 * indices or lengths lie; -ENOMEM: the packet is still there.
 */
int nnipc_ring_get(struct nnipc_ring *ring, const uint8_t **packet, uint32_t *size,
		   int64_t timeout_ns);

/** Wake both sides; from now on they get -EPIPE. Any thread, also beside a reader and a writer. */
void nnipc_ring_close(struct nnipc_ring *ring);

#endif
