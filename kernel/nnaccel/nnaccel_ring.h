/* SPDX-License-Identifier: GPL-2.0-only */
/* Single-producer single-consumer rings in shared memory, as the device contract has them. */
#ifndef _NNACCEL_RING_H_
#define _NNACCEL_RING_H_

#include <linux/types.h>

#include <nnaccel/nnaccel_ring.h>

struct nnaccel_device;

/**
 * struct nnaccel_ring - one ring, seen from the host
 *
 * @head and @tail are private to the host. Of the shared indices only the one that the device
 * writes is read, once per call, and checked against these. The caller serialises all access.
 */
struct nnaccel_ring {
	/** @ctl: shared indices; the slots follow */
	struct nnaccel_ring_ctl *ctl;
	/** @slots: first slot */
	u8 *slots;
	/** @addr: address of @ctl for the device */
	u64 addr;
	/** @num: slots, a power of two */
	u32 num;
	/** @head: as producer: last valid head of the device; as consumer: our own */
	u32 head;
	/**
	 * @tail: as producer: our own, published; as consumer: last valid tail of the device
	 */
	u32 tail;
};

int nnaccel_ring_alloc(struct nnaccel_device *ndev, struct nnaccel_ring *ring, u32 num);
void nnaccel_ring_free(struct nnaccel_device *ndev, struct nnaccel_ring *ring);
void nnaccel_ring_reset(struct nnaccel_ring *ring);

int nnaccel_ring_room(struct nnaccel_ring *ring);
void *nnaccel_ring_slot(struct nnaccel_ring *ring, u32 ahead);
void nnaccel_ring_publish(struct nnaccel_ring *ring, u32 count);

int nnaccel_ring_filled(struct nnaccel_ring *ring);
void nnaccel_ring_peek(struct nnaccel_ring *ring, void *slot);
void nnaccel_ring_pop(struct nnaccel_ring *ring);

#endif
