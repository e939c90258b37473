// SPDX-License-Identifier: GPL-2.0-only

#include <linux/log2.h>

#include "nnaccel_device.h"
#include "nnaccel_ring.h"

static size_t nnaccel_ring_bytes(u32 num)
{
	return sizeof(struct nnaccel_ring_ctl) + (size_t)num * NNACCEL_SLOT_SIZE;
}

/**
 * nnaccel_ring_alloc() - allocate an empty ring
 * @ndev: device to allocate for
 * @ring: the ring
 * @num: slots, a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_ring_alloc(struct nnaccel_device *ndev, struct nnaccel_ring *ring, u32 num)
{
	if (WARN_ON(!is_power_of_2(num) || num < NNACCEL_RING_SLOTS_MIN ||
		    num > NNACCEL_RING_SLOTS_MAX))
		return -EINVAL;

	ring->ctl = nnaccel_mem_alloc(ndev, nnaccel_ring_bytes(num), &ring->addr);
	if (!ring->ctl)
		return -ENOMEM;

	ring->slots = (u8 *)(ring->ctl + 1);
	ring->num = num;
	nnaccel_ring_reset(ring);
	return 0;
}

/**
 * nnaccel_ring_free() - free a ring that the device cannot reach any more
 * @ndev: device it was allocated for
 * @ring: the ring; nothing happens if it was never allocated
 */
void nnaccel_ring_free(struct nnaccel_device *ndev, struct nnaccel_ring *ring)
{
	if (ring->ctl)
		nnaccel_mem_free(ndev, nnaccel_ring_bytes(ring->num), ring->ctl, ring->addr);
	ring->ctl = NULL;
}

/**
 * nnaccel_ring_reset() - empty a ring that the device is not using
 * @ring: the ring
 */
void nnaccel_ring_reset(struct nnaccel_ring *ring)
{
	memset(ring->ctl, 0, nnaccel_ring_bytes(ring->num));
	ring->head = 0;
	ring->tail = 0;
}

/**
 * nnaccel_ring_room() - producer: number of free slots
 * @ring: the ring
 *
 * Return: free slots, or -EPROTO if the device's head is impossible.
 */
int nnaccel_ring_room(struct nnaccel_ring *ring)
{
	u32 head = le32_to_cpu(READ_ONCE(ring->ctl->head));

	/*
	 * The head moves towards our tail: a head beyond the tail, or one that moved back, is
	 * invalid.
	 */
	if (head - ring->head > ring->tail - ring->head)
		return -EPROTO;

	/* Slots before head are ours again: keep stores to them behind the load of head. */
	dma_mb();
	ring->head = head;
	return ring->num - (ring->tail - head);
}

/**
 * nnaccel_ring_slot() - producer: a slot to fill
 * @ring: the ring
 * @ahead: slots beyond the tail; less than nnaccel_ring_room()
 *
 * Return: the slot, %NNACCEL_SLOT_SIZE bytes.
 */
void *nnaccel_ring_slot(struct nnaccel_ring *ring, u32 ahead)
{
	return ring->slots + (size_t)((ring->tail + ahead) & (ring->num - 1)) * NNACCEL_SLOT_SIZE;
}

/**
 * nnaccel_ring_publish() - producer: hand slots to the device
 * @ring: the ring
 * @count: slots that were filled
 */
void nnaccel_ring_publish(struct nnaccel_ring *ring, u32 count)
{
	ring->tail += count;
	/* Store the slots before the tail; pairs with the device's acquire of the tail. */
	dma_wmb();
	WRITE_ONCE(ring->ctl->tail, cpu_to_le32(ring->tail));
}

/**
 * nnaccel_ring_filled() - consumer: number of slots to take
 * @ring: the ring
 *
 * Return: filled slots, or -EPROTO if the device's tail is impossible.
 */
int nnaccel_ring_filled(struct nnaccel_ring *ring)
{
	u32 tail = le32_to_cpu(READ_ONCE(ring->ctl->tail));

	if (tail - ring->head > ring->num || tail - ring->head < ring->tail - ring->head)
		return -EPROTO;

	/* Load the tail before the slots; pairs with the device's release of the tail. */
	dma_rmb();
	ring->tail = tail;
	return tail - ring->head;
}

/**
 * nnaccel_ring_peek() - consumer: copy the oldest slot
 * @ring: the ring, not empty
 * @slot: destination, %NNACCEL_SLOT_SIZE bytes
 *
 * The device can change the slot at any time: check and use the copy only. A second copy may differ
 * and must be checked again.
 */
void nnaccel_ring_peek(struct nnaccel_ring *ring, void *slot)
{
	memcpy(slot, ring->slots + (size_t)(ring->head & (ring->num - 1)) * NNACCEL_SLOT_SIZE,
	       NNACCEL_SLOT_SIZE);
	/* The copy is complete before its first use, and the compiler does not repeat it. */
	barrier();
}

/**
 * nnaccel_ring_pop() - consumer: give the oldest slot back
 * @ring: the ring, not empty
 */
void nnaccel_ring_pop(struct nnaccel_ring *ring)
{
	/* Load the slot before the store that lets the device overwrite it. */
	dma_mb();
	ring->head++;
	WRITE_ONCE(ring->ctl->head, cpu_to_le32(ring->head));
}
