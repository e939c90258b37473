// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-fence.h>
#include <linux/jiffies.h>

#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_fw.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_reset.h"
#include "nnaccel_trace.h"

/* How often the heartbeat is looked at; also how often a card that is away is looked for. */
#define NNACCEL_HEARTBEAT_PERIOD	msecs_to_jiffies(500)
/* Attempts in a row to bring a card up before its firmware counts as unusable. */
#define NNACCEL_BRING_UP_ATTEMPTS	5
/* Looks, 10 ms apart, at a firmware that seems to start anew before it counts as failed. */
#define NNACCEL_UNSETTLED_LOOKS		100

/**
 * nnaccel_trouble() - wake the recovery worker; any context
 * @ndev: device
 * @trouble: why
 */
void nnaccel_trouble(struct nnaccel_device *ndev, enum nnaccel_trouble trouble)
{
	if (READ_ONCE(ndev->gone))
		return;
	set_bit(trouble, &ndev->trouble);
	mod_delayed_work(ndev->recover_wq, &ndev->recover_work, 0);
}

/**
 * nnaccel_nonsense() - the device said something impossible: it is not believed until it was reset
 * @ndev: device
 * @what: what it was about
 */
void nnaccel_nonsense(struct nnaccel_device *ndev, const char *what)
{
	dev_warn_ratelimited(ndev->drm.dev, "nonsense from the card: %s\n", what);
	nnaccel_trouble(ndev, NNACCEL_TROUBLE_NONSENSE);
}

/* Whether the card that state and generation are about is dead. */
static bool nnaccel_card_lost(struct nnaccel_device *ndev)
{
	return nnaccel_read32(ndev, link) != NNACCEL_LINK_PRESENT ||
	       nnaccel_read32(ndev, generation) != READ_ONCE(ndev->generation);
}

/**
 * nnaccel_event_irq() - hard handler of the event interrupt
 * @ndev: device
 *
 * Return: IRQ_HANDLED.
 */
irqreturn_t nnaccel_event_irq(struct nnaccel_device *ndev)
{
	/*
	 * Whoever waits for a dead card, the recovery worker above all, need not wait any longer.
	 */
	if (READ_ONCE(ndev->generation) && nnaccel_card_lost(ndev))
		nnaccel_admin_stop(ndev);
	wake_up_all(&ndev->state_wq);
	nnaccel_trouble(ndev, NNACCEL_TROUBLE_EVENT);
	return IRQ_HANDLED;
}

/*
 * Pull the reset line and wait until whatever drives it says that the old card can touch nothing
 * any more. Return: false if it does not answer.
 */
static bool nnaccel_pull_reset(struct nnaccel_device *ndev)
{
	u32 req = nnaccel_read32(ndev, reset_ack) + 1;
	bool acked;

	if (req == nnaccel_read32(ndev, reset_req))
		req++;
	atomic64_inc(&ndev->counters.resets);
	ndev->hw->pull_reset(ndev, req);

	/* The event interrupt wakes us; the short steps are for a slot that does not raise it. */
	acked = false;
	for (u32 waited = 0; waited < nnaccel_reset_ms && !acked; waited += 20)
		acked = wait_event_timeout(ndev->state_wq,
					   nnaccel_read32(ndev, reset_ack) == req,
					   msecs_to_jiffies(20));

	/* No card, no writes either. */
	acked = acked || nnaccel_read32(ndev, link) == NNACCEL_LINK_ABSENT;
	trace_nnaccel_reset(ndev, req, acked);
	if (!acked)
		drm_err_ratelimited(&ndev->drm,
				    "reset line: no answer for %u ms; memory of the card is kept\n",
				    nnaccel_reset_ms);
	return acked;
}

/* The old card is dead for sure: forget it, and let go what it could have written. */
static void nnaccel_card_dead_locked(struct nnaccel_device *ndev)
{
	struct nnaccel_queue *queue, *next_queue;
	struct nnaccel_vm *vm, *next_vm;

	lockdep_assert_held(&ndev->topo_lock);

	ndev->card_unsafe = false;
	list_for_each_entry_safe(queue, next_queue, &ndev->queues, link)
		nnaccel_queue_forget_locked(queue);
	list_for_each_entry_safe(vm, next_vm, &ndev->vms, link)
		nnaccel_vm_forget_locked(vm);
}

/* Heartbeat lost: the one queue that has a job under way is to blame; of several, none. */
static struct nnaccel_queue *nnaccel_find_suspect_locked(struct nnaccel_device *ndev)
{
	struct nnaccel_queue *queue, *suspect = NULL;
	struct nnaccel_sched_job *job;

	list_for_each_entry(queue, &ndev->queues, link) {
		bool busy;

		spin_lock_irq(&queue->lock);
		job = list_first_entry_or_null(&queue->jobs, struct nnaccel_sched_job, link);
		busy = job && job->state == NNACCEL_JOB_RUNNING &&
		       nnaccel_read64(ndev, queue[queue->hw_id].seqno) == job->seqno;
		spin_unlock_irq(&queue->lock);
		if (!busy)
			continue;
		if (suspect)
			return NULL;
		suspect = queue;
	}
	return suspect;
}

/* From online to reset or link lost. All jobs on the card end here. */
static void nnaccel_take_down_locked(struct nnaccel_device *ndev, bool lost, unsigned long trouble)
{
	struct nnaccel_queue *queue, *suspect = NULL;
	bool dead = lost;

	lockdep_assert_held(&ndev->topo_lock);

	WRITE_ONCE(ndev->state, lost ? DRM_NNACCEL_DEVICE_LINK_LOST : DRM_NNACCEL_DEVICE_RESETTING);
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_pause_locked(queue);

	/* Jobs that did end on the card shall say so. */
	if (!(trouble & BIT(NNACCEL_TROUBLE_NONSENSE)))
		nnaccel_cq_drain(ndev);
	nnaccel_cq_stop(ndev);
	nnaccel_fw_save_counters(ndev);

	if (lost) {
		atomic64_inc(&ndev->counters.links_lost);
		dev_warn_ratelimited(ndev->drm.dev, "link lost\n");
	} else {
		dev_warn_ratelimited(ndev->drm.dev, "reset (trouble %#lx)\n", trouble);
		if (trouble & BIT(NNACCEL_TROUBLE_HEARTBEAT) &&
		    !(trouble & BIT(NNACCEL_TROUBLE_HUNG)))
			suspect = nnaccel_find_suspect_locked(ndev);
		dead = nnaccel_pull_reset(ndev);
	}

	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_lost(queue, lost, !lost && (queue->hung || queue == suspect));

	if (dead)
		nnaccel_card_dead_locked(ndev);
	else
		ndev->card_unsafe = true;
}

/* The card is of no use: let jobs end rather than wait. A new generation gets a new chance. */
static void nnaccel_fail_locked(struct nnaccel_device *ndev)
{
	struct nnaccel_queue *queue;

	WRITE_ONCE(ndev->state, DRM_NNACCEL_DEVICE_FAILED);
	WRITE_ONCE(ndev->generation, nnaccel_read32(ndev, generation));
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_resume_locked(queue);
}

/*
 * Bring up the card that is there. Return: 0; -EAGAIN: nothing to do until the next event; else
 * what failed, to be tried again.
 */
static int nnaccel_bring_up_locked(struct nnaccel_device *ndev)
{
	u32 generation, state;
	struct nnaccel_queue *queue;
	struct nnaccel_vm *vm;
	int ret;

	lockdep_assert_held(&ndev->topo_lock);

	if (nnaccel_read32(ndev, link) != NNACCEL_LINK_PRESENT) {
		/* Whatever was there before cannot write any more. */
		nnaccel_card_dead_locked(ndev);
		if (ndev->state != DRM_NNACCEL_DEVICE_LINK_LOST)
			WRITE_ONCE(ndev->state, DRM_NNACCEL_DEVICE_LINK_LOST);
		return -EAGAIN;
	}

	generation = nnaccel_read32(ndev, generation);
	state = nnaccel_read32(ndev, fw_state);
	if (ndev->state == DRM_NNACCEL_DEVICE_FAILED && generation == ndev->generation)
		return -EAGAIN;
	if (state == NNACCEL_FW_BOOT || !generation)
		return -EAGAIN;

	if (state != NNACCEL_FW_READY || (ndev->card_unsafe && generation == ndev->generation)) {
		/* Used up, by us or by a driver before us. Once per generation is enough. */
		if (ndev->pulled_generation == generation && !ndev->card_unsafe)
			return -EAGAIN;
		ndev->pulled_generation = generation;
		if (nnaccel_pull_reset(ndev))
			nnaccel_card_dead_locked(ndev);
		return ndev->card_unsafe ? -ETIMEDOUT : -EAGAIN;
	}
	/* After FAILED the schedulers run, to end jobs. */
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_pause_locked(queue);
	WRITE_ONCE(ndev->state, DRM_NNACCEL_DEVICE_RESETTING);
	nnaccel_card_dead_locked(ndev);

	WRITE_ONCE(ndev->generation, generation);
	nnaccel_admin_start(ndev);
	nnaccel_cq_start(ndev);
	ret = nnaccel_fw_start(ndev);
	if (ret)
		goto err_stop;

	list_for_each_entry(vm, &ndev->vms, link) {
		ret = nnaccel_vm_open_locked(vm);
		if (ret)
			goto err_stop;
	}
	list_for_each_entry(queue, &ndev->queues, link) {
		ret = nnaccel_queue_open_locked(queue);
		if (ret)
			goto err_stop;
	}

	ndev->heartbeat = nnaccel_read64(ndev, heartbeat);
	ndev->heartbeat_at = jiffies;
	WRITE_ONCE(ndev->state, DRM_NNACCEL_DEVICE_ONLINE);
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_resume_locked(queue);
	drm_dbg_driver(&ndev->drm, "online, generation %u\n", generation);
	return 0;

err_stop:
	nnaccel_admin_stop(ndev);
	nnaccel_cq_stop(ndev);
	if (ret == -EPROTONOSUPPORT)
		return ret;
	/* It has our rings: nothing but the reset line gets them back. */
	ndev->card_unsafe = true;
	return ret;
}

static void nnaccel_bring_up_failed_locked(struct nnaccel_device *ndev, int error)
{
	if (error != -EPROTONOSUPPORT && ++ndev->recover_failures < NNACCEL_BRING_UP_ATTEMPTS) {
		drm_dbg_driver(&ndev->drm, "bring-up failed (%d)\n", error);
		queue_delayed_work(ndev->recover_wq, &ndev->recover_work,
				   msecs_to_jiffies(100 << ndev->recover_failures));
		return;
	}
	if (error != -EPROTONOSUPPORT)
		drm_err(&ndev->drm, "card does not come up (%d): given up\n", error);
	ndev->recover_failures = 0;
	nnaccel_fail_locked(ndev);
}

static void nnaccel_recover_work(struct work_struct *work)
{
	struct nnaccel_device *ndev = container_of(work, struct nnaccel_device, recover_work.work);
	unsigned long trouble = xchg(&ndev->trouble, 0);
	bool lost, online, cookie;
	struct nnaccel_vm *vm;
	int ret;

	/* Other writers of state hold topo_lock and have cancelled us. */
	online = ndev->state == DRM_NNACCEL_DEVICE_ONLINE;
	lost = online && nnaccel_card_lost(ndev);
	if (online && !lost && nnaccel_read32(ndev, fw_state) != NNACCEL_FW_RUNNING) {
		if (nnaccel_read32(ndev, fw_state) != NNACCEL_FW_FAILED &&
		    ++ndev->recover_unsettled < NNACCEL_UNSETTLED_LOOKS) {
			/* States only move on: a new generation begins and will say so at once. */
			queue_delayed_work(ndev->recover_wq, &ndev->recover_work,
					   msecs_to_jiffies(10));
		} else {
			dev_warn_ratelimited(ndev->drm.dev, "firmware failed, error %u\n",
					     nnaccel_read32(ndev, fw_error));
			trouble |= BIT(NNACCEL_TROUBLE_FIRMWARE);
		}
	} else {
		ndev->recover_unsettled = 0;
	}

	cookie = dma_fence_begin_signalling();
	if (lost || (online && trouble & ~BIT(NNACCEL_TROUBLE_EVENT))) {
		/* Before topo_lock: who holds it may be waiting for an acknowledgment. */
		nnaccel_admin_stop(ndev);
		mutex_lock(&ndev->topo_lock);
		if (!ndev->gone)
			nnaccel_take_down_locked(ndev, lost, trouble);
		mutex_unlock(&ndev->topo_lock);
		/* What has come meanwhile is about the card that is dead now. */
		for (u32 i = NNACCEL_TROUBLE_EVENT + 1; i < NNACCEL_NUM_TROUBLES; i++)
			clear_bit(i, &ndev->trouble);
	}
	dma_fence_end_signalling(cookie);

	mutex_lock(&ndev->topo_lock);
	if (!ndev->gone && ndev->state != DRM_NNACCEL_DEVICE_ONLINE) {
		ret = nnaccel_bring_up_locked(ndev);
		if (ret && ret != -EAGAIN)
			nnaccel_bring_up_failed_locked(ndev, ret);
		else if (!ret)
			ndev->recover_failures = 0;
	}
	/* Pages that waited for the card to die, or for one that answers. */
	list_for_each_entry(vm, &ndev->vms, link)
		nnaccel_vm_kick(vm);
	mutex_unlock(&ndev->topo_lock);
	wake_up_all(&ndev->state_wq);
}

static void nnaccel_heartbeat_work(struct work_struct *work)
{
	struct nnaccel_device *ndev =
		container_of(work, struct nnaccel_device, heartbeat_work.work);
	u64 heartbeat;

	if (READ_ONCE(ndev->state) != DRM_NNACCEL_DEVICE_ONLINE) {
		/* Should an event get lost, the card is found all the same. */
		nnaccel_trouble(ndev, NNACCEL_TROUBLE_EVENT);
	} else if (nnaccel_card_lost(ndev) ||
		   nnaccel_read32(ndev, fw_state) != NNACCEL_FW_RUNNING) {
		nnaccel_trouble(ndev, NNACCEL_TROUBLE_EVENT);
	} else {
		heartbeat = nnaccel_read64(ndev, heartbeat);
		if (heartbeat != ndev->heartbeat) {
			ndev->heartbeat = heartbeat;
			ndev->heartbeat_at = jiffies;
		} else if (time_after(jiffies, ndev->heartbeat_at +
					       msecs_to_jiffies(nnaccel_heartbeat_ms))) {
			nnaccel_trouble(ndev, NNACCEL_TROUBLE_HEARTBEAT);
		}
		/* Should a completion interrupt get lost, nobody waits for longer than this. */
		nnaccel_cq_drain(ndev);
	}
	queue_delayed_work(ndev->watch_wq, &ndev->heartbeat_work, NNACCEL_HEARTBEAT_PERIOD);
}

void nnaccel_recovery_init(struct nnaccel_device *ndev)
{
	INIT_DELAYED_WORK(&ndev->recover_work, nnaccel_recover_work);
	INIT_DELAYED_WORK(&ndev->heartbeat_work, nnaccel_heartbeat_work);
	WRITE_ONCE(ndev->state, DRM_NNACCEL_DEVICE_LINK_LOST);
}

/**
 * nnaccel_recovery_start() - look for a card, for at most boot_ms, and from now on always
 * @ndev: device with interrupts enabled
 */
void nnaccel_recovery_start(struct nnaccel_device *ndev)
{
	nnaccel_trouble(ndev, NNACCEL_TROUBLE_EVENT);
	queue_delayed_work(ndev->watch_wq, &ndev->heartbeat_work, NNACCEL_HEARTBEAT_PERIOD);
	wait_event_timeout(ndev->state_wq,
			   READ_ONCE(ndev->state) == DRM_NNACCEL_DEVICE_ONLINE ||
			   READ_ONCE(ndev->state) == DRM_NNACCEL_DEVICE_FAILED,
			   msecs_to_jiffies(nnaccel_boot_ms));
	if (READ_ONCE(ndev->state) == DRM_NNACCEL_DEVICE_LINK_LOST)
		drm_info(&ndev->drm, "no card yet; jobs wait for one\n");
}

/**
 * nnaccel_recovery_fini() - end everything: the device is unplugged
 * @ndev: device; nnaccel_device.gone is set, interrupts still work
 */
void nnaccel_recovery_fini(struct nnaccel_device *ndev)
{
	struct nnaccel_queue *queue;
	bool cookie, dead;

	cancel_delayed_work_sync(&ndev->heartbeat_work);
	nnaccel_admin_stop(ndev);
	cancel_delayed_work_sync(&ndev->recover_work);

	cookie = dma_fence_begin_signalling();
	mutex_lock(&ndev->topo_lock);
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_pause_locked(queue);
	nnaccel_cq_stop(ndev);

	nnaccel_write32(ndev, host_state, NNACCEL_HOST_NONE);
	dead = nnaccel_read32(ndev, link) != NNACCEL_LINK_PRESENT || nnaccel_pull_reset(ndev);

	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_end_jobs(queue, NNACCEL_STATUS_UNPLUGGED);
	/* Else what the card may write stays allocated, with all that holds it. */
	if (dead)
		nnaccel_card_dead_locked(ndev);
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_resume_locked(queue);
	ndev->card_unsafe = !dead;
	mutex_unlock(&ndev->topo_lock);
	dma_fence_end_signalling(cookie);
	wake_up_all(&ndev->state_wq);
}
