// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slot of the device contract: the part of the device that outlives the card, and answers the
 * reset line. For backends whose device has one.
 */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/wait.h>

#include "nnaccel_device.h"
#include "nnaccel_slot.h"
#include "nnaccel_trace.h"

/**
 * nnaccel_slot_stop() - pull the reset line, and wait until the slot acknowledges it
 * @ndev: device
 * @final: the device is being removed: the wait goes on although nnaccel_device.gone is set
 *
 * struct nnaccel_hw_ops.stop of a device with a slot, which starts the card again by itself.
 *
 * Return: whether the old card has no access to memory any more; false as well if the device is
 * removed meanwhile and @final is not set.
 */
bool nnaccel_slot_stop(struct nnaccel_device *ndev, bool final)
{
	u32 req = nnaccel_read32(ndev, reset_ack) + 1;
	bool acked = false;

	if (req == nnaccel_read32(ndev, reset_req))
		req++;
	nnaccel_write32(ndev, reset_req, req);
	/* Doorbells order earlier stores before them. */
	nnaccel_doorbell(ndev, NNACCEL_DOORBELL_RESET);

	/* The event interrupt wakes this; the short steps are for slots that do not raise it. */
	for (u32 waited = 0; waited < nnaccel_reset_ms && !acked; waited += 20) {
		acked = wait_event_timeout(ndev->state_wq,
					   nnaccel_read32(ndev, reset_ack) == req,
					   msecs_to_jiffies(20));
		/* Removal pulls it again, but ends fences first. */
		if (!final && READ_ONCE(ndev->gone))
			break;
	}

	/* There is no card to write anything. */
	acked = acked || nnaccel_read32(ndev, link) == NNACCEL_LINK_ABSENT;
	trace_nnaccel_reset(ndev, req, acked);
	return acked;
}
EXPORT_SYMBOL_GPL(nnaccel_slot_stop);
