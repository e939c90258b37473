// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-fence.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/pm_runtime.h>

#include <nnaccel/nnaccel_coredump.h>

#include "nnaccel_report.h"
#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_fw.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"
#include "nnaccel_reset.h"
#include "nnaccel_state.h"

/**
 * DOC: Recovery
 *
 * One worker on an ordered workqueue does what ``enum nnaccel_state`` asks for: it looks at the
 * card, takes it down, brings it up. ``nnaccel_schedule_recovery()`` wakes it, from anywhere.
 *
 * - *Take down*: stop commands, so that no thread waits for one with a lock held; shut the queues,
 *   empty the completion ring, stop the card unless it died by itself, end the jobs
 *   that had begun, release memory, make the others READY again.
 * - *Bring up*: handshake, contexts, queues, jobs. On failure pull the reset line, a few times with
 *   growing pauses, then FAILED: jobs end at once. Each new generation is tried.
 */

/* Period of the check of the heartbeat, and of the search for a card that is away. */
#define NNACCEL_HEARTBEAT_PERIOD	msecs_to_jiffies(500)
/* Consecutive attempts to bring a card up before its firmware counts as unusable. */
#define NNACCEL_BRING_UP_ATTEMPTS	5
/* The same if the reset line does not answer: each attempt takes reset_ms, and jobs wait. */
#define NNACCEL_RESET_ATTEMPTS		2
/* Before the next attempt when a card has died in one: a card may restart again and again. */
#define NNACCEL_RESTART_PAUSE		msecs_to_jiffies(20)
/* Checks, 10 ms apart, of a firmware that seems to restart before it counts as failed. */
#define NNACCEL_UNSETTLED_LOOKS		100

/**
 * nnaccel_event_irq() - hard handler of the event interrupt
 * @ndev: device
 *
 * Return: IRQ_HANDLED.
 */
irqreturn_t nnaccel_event_irq(struct nnaccel_device *ndev)
{
	/* Waits for a dead card end now, above all those of the recovery worker. */
	nnaccel_admin_stop_dead(ndev);
	wake_up_all(&ndev->state_wq);
	nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_EVENT);
	return IRQ_HANDLED;
}
EXPORT_SYMBOL_GPL(nnaccel_event_irq);

/*
 * Make the device unable to access memory; takes up to reset_ms. Return: whether that is proven. It
 * is not if the device is removed meanwhile and @final is not set.
 */
static bool nnaccel_hw_stop_locked(struct nnaccel_device *ndev, bool final)
{
	bool dead;

	lockdep_assert_held(&ndev->topo_lock);
	ndev->reset_away = true;
	dead = ndev->hw->stop(ndev, final);
	if (dead)
		ndev->stopped = ndev->hw->start;
	else if (final || !READ_ONCE(ndev->gone))
		drm_err_ratelimited(&ndev->drm,
				    "the device did not stop within %u ms: memory that it may write is kept\n",
				    nnaccel_reset_ms);
	return dead;
}

/* The same because something is wrong, or on removal. */
static bool nnaccel_hw_reset_locked(struct nnaccel_device *ndev, bool final)
{
	lockdep_assert_held(&ndev->topo_lock);
	atomic64_inc(&ndev->counters.resets);
	return nnaccel_hw_stop_locked(ndev, final);
}

/* Let a device start that does not by itself. Return: 0 or the error of the backend. */
static int nnaccel_hw_start_locked(struct nnaccel_device *ndev)
{
	int ret;

	lockdep_assert_held(&ndev->topo_lock);
	if (!ndev->stopped)
		return 0;
	ret = ndev->hw->start(ndev);
	if (ret)
		drm_err_ratelimited(&ndev->drm, "the device did not start (%d)\n", ret);
	else
		ndev->stopped = false;
	return ret;
}

/*
 * The old card is known to be dead: release what it could have written. Jobs that had begun and
 * have not ended yet end with @status; the others become READY.
 */
static void nnaccel_card_dead_locked(struct nnaccel_device *ndev, u32 status)
{
	struct nnaccel_queue *queue, *next_queue;
	struct nnaccel_vm *vm, *next_vm;

	lockdep_assert_held(&ndev->topo_lock);

	list_for_each_entry_safe(queue, next_queue, &ndev->queues, link)
		nnaccel_queue_card_dead_locked(queue, status);
	ndev->card_unsafe = false;
	list_for_each_entry_safe(vm, next_vm, &ndev->vms, link)
		nnaccel_vm_forget_locked(vm);
}

/* Why a card is taken down. */
enum nnaccel_down {
	/* It is dead. */
	NNACCEL_DOWN_LOST,
	/* Something is wrong with it. */
	NNACCEL_DOWN_RESET,
	/* It has nothing to do, or the system is suspended. */
	NNACCEL_DOWN_SLEEP,
	/* The bus is in error: it cannot be reached, and may write memory. */
	NNACCEL_DOWN_BLOCKED,
	/* Its registers have no values: the same. */
	NNACCEL_DOWN_UNREACHABLE,
};

/* Why a card that shows @sign is taken down; @alive: if it is there. */
static enum nnaccel_down nnaccel_down_of(enum nnaccel_sign sign, enum nnaccel_down alive)
{
	switch (sign) {
	case NNACCEL_SIGN_DEAD:
		return NNACCEL_DOWN_LOST;
	case NNACCEL_SIGN_UNREACHABLE:
		return NNACCEL_DOWN_UNREACHABLE;
	default:
		return alive;
	}
}

/* The card is ONLINE no more. Jobs that had begun end here, the others wait. */
static void nnaccel_take_down_locked(struct nnaccel_device *ndev, enum nnaccel_down why,
				     unsigned long trouble)
{
	static const enum nnaccel_state states[] = {
		[NNACCEL_DOWN_LOST] = NNACCEL_STATE_ABSENT,
		[NNACCEL_DOWN_RESET] = NNACCEL_STATE_STARTING,
		[NNACCEL_DOWN_SLEEP] = NNACCEL_STATE_FALLING,
		[NNACCEL_DOWN_BLOCKED] = NNACCEL_STATE_BLOCKED,
		[NNACCEL_DOWN_UNREACHABLE] = NNACCEL_STATE_UNREACHABLE,
	};
	bool lost = why == NNACCEL_DOWN_LOST;
	u32 status = lost ? NNACCEL_STATUS_LINK_LOST : NNACCEL_STATUS_INNOCENT;
	struct nnaccel_queue *queue;
	bool dead = lost;

	lockdep_assert_held(&ndev->topo_lock);

	/* Before anything changes, and before the card is reset. */
	if (lost)
		trouble |= NNACCEL_DUMP_LOST;
	ndev->failing |= why != NNACCEL_DOWN_SLEEP;
	if (why == NNACCEL_DOWN_LOST || why == NNACCEL_DOWN_RESET)
		nnaccel_coredump_take_locked(ndev, trouble & ~BIT(NNACCEL_TROUBLE_EVENT));
	nnaccel_state_set_locked(ndev, states[why]);
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_shut_locked(queue);

	/* Jobs that did complete on the card keep their status. */
	if (!(trouble & BIT(NNACCEL_TROUBLE_PROTOCOL)))
		nnaccel_cq_drain(ndev);
	nnaccel_cq_stop(ndev);
	nnaccel_fw_save_counters(ndev);

	if (lost) {
		atomic64_inc(&ndev->counters.links_lost);
		dev_warn_ratelimited(ndev->drm.dev, "link to the card lost\n");
	} else if (why == NNACCEL_DOWN_SLEEP) {
		dead = nnaccel_hw_stop_locked(ndev, false);
	} else if (why == NNACCEL_DOWN_BLOCKED) {
		dev_warn_ratelimited(ndev->drm.dev, "bus error: the card cannot be reached\n");
	} else if (why == NNACCEL_DOWN_UNREACHABLE) {
		dev_warn_ratelimited(ndev->drm.dev,
				     "registers cannot be read: memory that the card may write is kept until it was reset\n");
	} else {
		dev_warn_ratelimited(ndev->drm.dev, "resetting the card (trouble %#lx)\n", trouble);
		dead = nnaccel_hw_reset_locked(ndev, false);
	}

	/* Read now which jobs had begun: a dead card begins no more. */
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_lost_locked(queue, status);

	ndev->card_unsafe = !dead;
	if (dead)
		nnaccel_card_dead_locked(ndev, status);
}

/* FAILED or DEAD: end jobs instead of waiting. */
static void nnaccel_give_up_locked(struct nnaccel_device *ndev, enum nnaccel_state state)
{
	struct nnaccel_queue *queue;

	lockdep_assert_held(&ndev->topo_lock);
	nnaccel_state_set_locked(ndev, state);
	ndev->failing = true;
	nnaccel_uevent_post(ndev, NNACCEL_UEVENT_WEDGED);
	/* Jobs that become READY after this see the state; all others are in the lists. */
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_end_jobs(queue, NNACCEL_STATUS_LINK_LOST, false);
}

/*
 * Open the address spaces on the card. Return: 0 or the error that ends the bring-up; a refused
 * address space does not end it.
 */
static int nnaccel_bring_up_vms_locked(struct nnaccel_device *ndev)
{
	struct nnaccel_vm *vm;
	int ret;

	lockdep_assert_held(&ndev->topo_lock);
	list_for_each_entry(vm, &ndev->vms, link) {
		ret = nnaccel_vm_open_locked(vm);
		if (ret == -ENOLINK || ret == -ETIMEDOUT)
			return ret;
		vm->refused = ret;
		if (ret)
			dev_warn_ratelimited(ndev->drm.dev, "context %u refused (%d)\n", vm->ctx,
					     ret);
	}
	return 0;
}

/* Open the queues on the card, which get jobs from here on. */
static int nnaccel_bring_up_queues_locked(struct nnaccel_device *ndev)
{
	struct nnaccel_queue *queue;
	int ret;

	lockdep_assert_held(&ndev->topo_lock);
	list_for_each_entry(queue, &ndev->queues, link) {
		if (READ_ONCE(queue->health) == DRM_NNACCEL_QUEUE_REFUSED)
			continue;
		ret = queue->vm->refused ? -EIO : nnaccel_queue_open_locked(queue);
		if (ret == -ENOLINK || ret == -ETIMEDOUT)
			return ret;
		if (!ret)
			continue;
		dev_warn_ratelimited(ndev->drm.dev, "queue %s refused (%d)\n", queue->name, ret);
		nnaccel_queue_refuse_locked(queue);
	}
	return 0;
}

/*
 * Handle the error of an attempt to bring up the card of nnaccel_device.generation; the policy is
 * the table under "Recovery" in Documentation/kernel.rst. Return: -ENOLINK: the card has died,
 * whatever the error was; otherwise the error.
 */
static int nnaccel_bring_up_error_locked(struct nnaccel_device *ndev, int error)
{
	lockdep_assert_held(&ndev->topo_lock);
	/* The card has our rings and perhaps jobs: only its death, or the reset line, ends that. */
	ndev->card_unsafe |= error != -EPROTONOSUPPORT;
	if (!nnaccel_fw_lost(ndev))
		return error == -ENOLINK ? -EIO : error;

	/* Otherwise it is dying, or cannot be reached: link or generation will tell. */
	if (nnaccel_card_sign(ndev) == NNACCEL_SIGN_DEAD)
		nnaccel_card_dead_locked(ndev, NNACCEL_STATUS_LINK_LOST);
	atomic64_inc(&ndev->counters.links_lost);
	dev_warn_ratelimited(ndev->drm.dev, "the card restarted while it was brought up\n");
	return -ENOLINK;
}

/* A card is there, and is tried. */
static void nnaccel_bring_up_begin_locked(struct nnaccel_device *ndev)
{
	lockdep_assert_held(&ndev->topo_lock);
	if (ndev->state != NNACCEL_STATE_WAKING)
		nnaccel_state_set_locked(ndev, NNACCEL_STATE_STARTING);
}

/*
 * The card starts: wait for its next event, or for the next look of the heartbeat work. A firmware
 * that hangs there is reset. Return: -EAGAIN: nothing to do yet; -ETIMEDOUT: it was reset.
 */
static int nnaccel_bring_up_boot_locked(struct nnaccel_device *ndev)
{
	u64 now = ktime_get_ns();

	lockdep_assert_held(&ndev->topo_lock);
	if (!ndev->boot_ns)
		ndev->boot_ns = now;
	if (now < ndev->boot_ns + nnaccel_start_ms * (u64)NSEC_PER_MSEC)
		return -EAGAIN;

	drm_warn(&ndev->drm, "the firmware has not started for %u ms: resetting the card\n",
		 nnaccel_start_ms);
	ndev->boot_ns = 0;
	nnaccel_bring_up_begin_locked(ndev);
	if (nnaccel_hw_reset_locked(ndev, false))
		nnaccel_card_dead_locked(ndev, NNACCEL_STATUS_INNOCENT);
	return -ETIMEDOUT;
}

/*
 * Bring up the card that is present. @tried: receives its generation. Return: 0; -EAGAIN: nothing
 * to do until the next event; -ENOLINK: the card has died, and the next one is tried; otherwise
 * the error, and the attempt is repeated.
 */
static int nnaccel_bring_up_locked(struct nnaccel_device *ndev, u32 *tried)
{
	struct nnaccel_queue *queue;
	u32 generation, state;
	enum nnaccel_sign sign;
	int ret;

	lockdep_assert_held(&ndev->topo_lock);

	/* One that cannot even start is not tried again. */
	if (ndev->stopped && ndev->state == NNACCEL_STATE_FAILED)
		return -EAGAIN;
	ret = nnaccel_hw_start_locked(ndev);
	if (ret)
		return ret;
	sign = nnaccel_link_sign(ndev);
	if (sign == NNACCEL_SIGN_UNREACHABLE) {
		nnaccel_state_set_locked(ndev, NNACCEL_STATE_UNREACHABLE);
		return -EAGAIN;
	}
	if (sign == NNACCEL_SIGN_DEAD) {
		/* An earlier card cannot write any more. */
		ndev->boot_ns = 0;
		nnaccel_card_dead_locked(ndev, NNACCEL_STATUS_LINK_LOST);
		/* The last reset takes it away, too: that is no reason to try again. */
		if (ndev->state != NNACCEL_STATE_FAILED || !ndev->reset_away)
			nnaccel_state_set_locked(ndev, NNACCEL_STATE_ABSENT);
		return -EAGAIN;
	}
	ndev->reset_away = false;

	state = nnaccel_fw_look(ndev, &generation);
	*tried = generation;
	if (ndev->state == NNACCEL_STATE_FAILED && generation == ndev->generation)
		return -EAGAIN;
	if (state == NNACCEL_FW_BOOT || !generation)
		return nnaccel_bring_up_boot_locked(ndev);
	ndev->boot_ns = 0;

	if (state != NNACCEL_FW_READY || (ndev->card_unsafe && generation == ndev->generation)) {
		/* A driver has used this firmware before: reset it, once per generation. */
		if (ndev->pulled_generation == generation && !ndev->card_unsafe)
			return -EAGAIN;
		nnaccel_bring_up_begin_locked(ndev);
		ndev->pulled_generation = generation;
		if (nnaccel_hw_reset_locked(ndev, false))
			nnaccel_card_dead_locked(ndev, NNACCEL_STATUS_INNOCENT);
		return ndev->card_unsafe ? -ETIMEDOUT : -EAGAIN;
	}
	nnaccel_bring_up_begin_locked(ndev);
	nnaccel_card_dead_locked(ndev, NNACCEL_STATUS_INNOCENT);

	WRITE_ONCE(ndev->generation, generation);
	nnaccel_admin_start(ndev);
	nnaccel_cq_start(ndev);
	ret = nnaccel_fw_start(ndev);
	if (ret)
		goto err_stop;

	ndev->heartbeat = nnaccel_read64(ndev, heartbeat);
	ndev->heartbeat_at = jiffies;
	WRITE_ONCE(ndev->activity_ns, ktime_get_ns());
	ret = nnaccel_bring_up_vms_locked(ndev);
	if (ret)
		goto err_stop;
	ret = nnaccel_bring_up_queues_locked(ndev);
	if (ret)
		goto err_shut;

	nnaccel_state_set_locked(ndev, NNACCEL_STATE_ONLINE);
	if (ndev->failing)
		nnaccel_uevent_post(ndev, NNACCEL_UEVENT_RECOVERED);
	ndev->failing = false;
	drm_dbg_driver(&ndev->drm, "online, generation %u\n", generation);
	return 0;

err_shut:
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_shut_locked(queue);
err_stop:
	nnaccel_admin_stop(ndev);
	nnaccel_cq_stop(ndev);
	return nnaccel_bring_up_error_locked(ndev, ret);
}

static void nnaccel_bring_up_failed_locked(struct nnaccel_device *ndev, u32 tried, int error)
{
	u32 attempts = ndev->card_unsafe ? NNACCEL_RESET_ATTEMPTS : NNACCEL_BRING_UP_ATTEMPTS;

	lockdep_assert_held(&ndev->topo_lock);
	/* Removal has ended the attempt. */
	if (READ_ONCE(ndev->gone))
		return;
	if (error == -ENOLINK) {
		/* Says nothing about the next card. Its event may have come before this. */
		queue_delayed_work(ndev->recover_wq, &ndev->recover_work, NNACCEL_RESTART_PAUSE);
		return;
	}
	if (error != -EPROTONOSUPPORT && ++ndev->recover_failures < attempts) {
		drm_dbg_driver(&ndev->drm, "cannot bring the card up (%d), trying again\n", error);
		queue_delayed_work(ndev->recover_wq, &ndev->recover_work,
				   msecs_to_jiffies(100 << ndev->recover_failures));
		return;
	}
	if (error != -EPROTONOSUPPORT)
		drm_err(&ndev->drm, "cannot bring the card up (%d): jobs fail until it restarts\n",
			error);
	ndev->recover_failures = 0;
	/* Another generation is tried again, also one that has started meanwhile. */
	WRITE_ONCE(ndev->generation, tried);
	nnaccel_give_up_locked(ndev, NNACCEL_STATE_FAILED);
}

/* The bus is in error: without a reset of the bus within link_ms it does not recover any more. */
static void nnaccel_recover_blocked_locked(struct nnaccel_device *ndev)
{
	u64 now = ktime_get_ns(), end = ndev->away_ns + nnaccel_link_ms * (u64)NSEC_PER_MSEC;

	lockdep_assert_held(&ndev->topo_lock);
	if (now < end) {
		queue_delayed_work(ndev->recover_wq, &ndev->recover_work,
				   nsecs_to_jiffies(end - now) + 1);
		return;
	}
	drm_err(&ndev->drm, "the bus has not recovered for %u ms: jobs fail until it resets the device\n",
		nnaccel_link_ms);
	nnaccel_give_up_locked(ndev, NNACCEL_STATE_DEAD);
}

/*
 * Look at an ONLINE card; a change to a quiet state waits for this. @trouble: reasons to reset it
 * are added, others removed. Return: what is known of it.
 */
static enum nnaccel_sign nnaccel_recover_look(struct nnaccel_device *ndev, unsigned long *trouble)
{
	enum nnaccel_sign sign;
	u32 fw_state;

	/* The job did answer its abort, late: no reset is needed. */
	if (!atomic_read(&ndev->num_hung))
		*trouble &= ~BIT(NNACCEL_TROUBLE_HUNG);
	sign = nnaccel_card_sign(ndev);
	if (sign != NNACCEL_SIGN_ALIVE) {
		ndev->recover_unsettled = 0;
		return sign;
	}
	fw_state = nnaccel_read32(ndev, fw_state);
	if (fw_state == NNACCEL_FW_RUNNING) {
		ndev->recover_unsettled = 0;
	} else if (fw_state != NNACCEL_FW_FAILED &&
		   ++ndev->recover_unsettled < NNACCEL_UNSETTLED_LOOKS) {
		/* States only advance: a new generation is starting and raises an event soon. */
		queue_delayed_work(ndev->recover_wq, &ndev->recover_work, msecs_to_jiffies(10));
	} else {
		dev_warn_ratelimited(ndev->drm.dev, "firmware failed, error %u\n",
				     nnaccel_read32(ndev, fw_error));
		*trouble |= BIT(NNACCEL_TROUBLE_FIRMWARE);
	}
	return sign;
}

/* An ONLINE card is dead, cannot be reached, or has to be reset. */
static void nnaccel_recover_down(struct nnaccel_device *ndev, enum nnaccel_sign sign,
				 unsigned long trouble)
{
	nnaccel_admin_stop_online(ndev);
	mutex_lock(&ndev->topo_lock);
	/*
	 * It may have died since: the next card is not reset for its trouble. One that can be
	 * reached again is reset: commands were stopped, and doorbells may be lost.
	 */
	if (sign != NNACCEL_SIGN_DEAD)
		sign = nnaccel_card_sign(ndev);
	if (ndev->state == NNACCEL_STATE_ONLINE && !READ_ONCE(ndev->gone))
		nnaccel_take_down_locked(ndev, nnaccel_down_of(sign, NNACCEL_DOWN_RESET), trouble);
	mutex_unlock(&ndev->topo_lock);
	/* Troubles reported meanwhile concern the dead card. */
	for (u32 i = NNACCEL_TROUBLE_EVENT + 1; i < NNACCEL_NUM_TROUBLES; i++)
		clear_bit(i, &ndev->trouble);
}

/* Do what the state asks for. */
static void nnaccel_recover_locked(struct nnaccel_device *ndev)
{
	u32 tried = 0;
	int ret;

	lockdep_assert_held(&ndev->topo_lock);
	switch (ndev->state) {
	case NNACCEL_STATE_ABSENT:
	case NNACCEL_STATE_STARTING:
	case NNACCEL_STATE_WAKING:
	case NNACCEL_STATE_UNREACHABLE:
	case NNACCEL_STATE_FAILED:
		ret = nnaccel_bring_up_locked(ndev, &tried);
		if (ret && ret != -EAGAIN)
			nnaccel_bring_up_failed_locked(ndev, tried, ret);
		else if (!ret)
			ndev->recover_failures = 0;
		break;
	case NNACCEL_STATE_BLOCKED:
		nnaccel_recover_blocked_locked(ndev);
		break;
	default:
		break;
	}
}

static void nnaccel_recover_work(struct work_struct *work)
{
	struct nnaccel_device *ndev = container_of(work, struct nnaccel_device, recover_work.work);
	unsigned long trouble = xchg(&ndev->trouble, 0);
	enum nnaccel_sign sign = NNACCEL_SIGN_ALIVE;
	struct nnaccel_vm *vm;
	bool cookie;

	if (READ_ONCE(ndev->state) == NNACCEL_STATE_ONLINE)
		sign = nnaccel_recover_look(ndev, &trouble);

	cookie = dma_fence_begin_signalling();
	if (sign != NNACCEL_SIGN_ALIVE || trouble & ~BIT(NNACCEL_TROUBLE_EVENT))
		nnaccel_recover_down(ndev, sign, trouble);

	/* Jobs with public fences wait for the card to come up: that may not allocate either. */
	mutex_lock(&ndev->topo_lock);
	if (!READ_ONCE(ndev->gone))
		nnaccel_recover_locked(ndev);
	/* Free pages that waited for the death of the card, or for one that answers. */
	list_for_each_entry(vm, &ndev->vms, link)
		nnaccel_vm_kick(vm);
	mutex_unlock(&ndev->topo_lock);
	dma_fence_end_signalling(cookie);
	wake_up_all(&ndev->state_wq);
}

static void nnaccel_heartbeat_check(struct nnaccel_device *ndev)
{
	u64 heartbeat;

	if (nnaccel_card_lost(ndev) || nnaccel_read32(ndev, fw_state) != NNACCEL_FW_RUNNING) {
		nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_EVENT);
		return;
	}
	heartbeat = nnaccel_read64(ndev, heartbeat);
	if (heartbeat != ndev->heartbeat) {
		ndev->heartbeat = heartbeat;
		ndev->heartbeat_at = jiffies;
	} else if (time_after(jiffies, ndev->heartbeat_at +
				       msecs_to_jiffies(nnaccel_heartbeat_ms))) {
		nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_HEARTBEAT);
	}
	/* In case a completion interrupt was lost. */
	nnaccel_cq_drain(ndev);
}

static void nnaccel_heartbeat_work(struct work_struct *work)
{
	struct nnaccel_device *ndev =
		container_of(work, struct nnaccel_device, heartbeat_work.work);

	/* nnaccel_recovery_run() starts it again. */
	if (nnaccel_state_quiet(ndev))
		return;
	if (READ_ONCE(ndev->state) == NNACCEL_STATE_ONLINE)
		nnaccel_heartbeat_check(ndev);
	else
		/* In case an event interrupt was lost. */
		nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_EVENT);
	queue_delayed_work(ndev->watch_wq, &ndev->heartbeat_work, NNACCEL_HEARTBEAT_PERIOD);
}

/* Registers can be used: look for a card, now and from time to time. */
static void nnaccel_recovery_run(struct nnaccel_device *ndev)
{
	nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_EVENT);
	queue_delayed_work(ndev->watch_wq, &ndev->heartbeat_work, NNACCEL_HEARTBEAT_PERIOD);
}

/*
 * The state forbids the use of registers: wait for works that saw the state before. They are not
 * cancelled: if the state has changed again, they go on.
 */
static void nnaccel_recovery_quiesce(struct nnaccel_device *ndev)
{
	flush_delayed_work(&ndev->heartbeat_work);
	flush_delayed_work(&ndev->recover_work);
}

void nnaccel_recovery_init(struct nnaccel_device *ndev)
{
	INIT_DELAYED_WORK(&ndev->recover_work, nnaccel_recover_work);
	INIT_DELAYED_WORK(&ndev->heartbeat_work, nnaccel_heartbeat_work);
	ndev->state = NNACCEL_STATE_ABSENT;
	ndev->away_ns = ktime_get_ns();
}

/**
 * nnaccel_recovery_start() - start recovery, and wait for a card for at most boot_ms
 * @ndev: device with interrupts enabled
 */
void nnaccel_recovery_start(struct nnaccel_device *ndev)
{
	/* That of the first state; nnaccel_recovery_fini() follows whatever happens now. */
	pm_runtime_get_noresume(ndev->drm.dev);
	nnaccel_recovery_run(ndev);
	wait_event_timeout(ndev->state_wq,
			   READ_ONCE(ndev->state) == NNACCEL_STATE_ONLINE ||
			   READ_ONCE(ndev->state) == NNACCEL_STATE_FAILED,
			   msecs_to_jiffies(nnaccel_boot_ms));
	if (READ_ONCE(ndev->state) == NNACCEL_STATE_ABSENT)
		drm_info(&ndev->drm, "no card yet; jobs wait for one\n");
}

/* Return: whether the card cannot write memory, and is not used until it wakes. */
static bool nnaccel_sleep_locked(struct nnaccel_device *ndev, bool runtime)
{
	lockdep_assert_held(&ndev->topo_lock);
	switch (ndev->state) {
	case NNACCEL_STATE_ASLEEP:
		return true;
	case NNACCEL_STATE_BLOCKED:
	case NNACCEL_STATE_DEAD:
		/* It stays so. */
		return !ndev->card_unsafe;
	case NNACCEL_STATE_UNREACHABLE:
		break;
	case NNACCEL_STATE_ONLINE:
		nnaccel_take_down_locked(ndev, nnaccel_down_of(nnaccel_card_sign(ndev),
							       NNACCEL_DOWN_SLEEP), 0);
		break;
	default:
		if (!runtime && ndev->card_unsafe && nnaccel_hw_stop_locked(ndev, false))
			nnaccel_card_dead_locked(ndev, NNACCEL_STATUS_INNOCENT);
		break;
	}

	if (ndev->card_unsafe && ndev->state == NNACCEL_STATE_FALLING)
		nnaccel_state_set_locked(ndev, NNACCEL_STATE_STARTING);
	if (ndev->card_unsafe || (runtime && ndev->state != NNACCEL_STATE_FALLING))
		return false;
	nnaccel_state_set_locked(ndev, NNACCEL_STATE_ASLEEP);
	ndev->recover_failures = 0;
	ndev->recover_unsettled = 0;
	return true;
}

/**
 * nnaccel_recovery_sleep() - put the card to sleep; its state is lost
 * @ndev: device
 * @runtime: only a card that is ONLINE: others are looked for, or repaired, which needs registers
 *
 * Jobs that had begun end with INNOCENT, as in a reset; the others wait until the card wakes.
 *
 * Return: whether it sleeps, or cannot be reached and cannot write memory. Otherwise recovery goes
 * on.
 */
bool nnaccel_recovery_sleep(struct nnaccel_device *ndev, bool runtime)
{
	bool cookie, asleep;

	cookie = dma_fence_begin_signalling();
	nnaccel_admin_stop_online(ndev);
	mutex_lock(&ndev->topo_lock);
	asleep = !READ_ONCE(ndev->gone) && nnaccel_sleep_locked(ndev, runtime);
	mutex_unlock(&ndev->topo_lock);
	dma_fence_end_signalling(cookie);
	wake_up_all(&ndev->state_wq);

	if (asleep)
		nnaccel_recovery_quiesce(ndev);
	else
		nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_EVENT);
	return asleep;
}

/**
 * nnaccel_recovery_wake() - wake the card; does not wait until it is up
 * @ndev: device; nothing happens if it is not asleep
 */
void nnaccel_recovery_wake(struct nnaccel_device *ndev)
{
	bool woken;

	mutex_lock(&ndev->topo_lock);
	woken = ndev->state == NNACCEL_STATE_ASLEEP;
	if (woken)
		nnaccel_state_set_locked(ndev, NNACCEL_STATE_WAKING);
	mutex_unlock(&ndev->topo_lock);
	if (woken)
		nnaccel_recovery_run(ndev);
}

/**
 * nnaccel_recovery_block() - the bus is in error: no register is used until it works again
 * @ndev: device
 *
 * Jobs that had begun end with INNOCENT at once, the others wait, for link_ms. Memory that the card
 * could write is kept: it is reset once it can be reached again.
 */
void nnaccel_recovery_block(struct nnaccel_device *ndev)
{
	bool cookie;

	cookie = dma_fence_begin_signalling();
	nnaccel_admin_stop_online(ndev);
	mutex_lock(&ndev->topo_lock);
	switch (ndev->state) {
	case NNACCEL_STATE_BLOCKED:
	case NNACCEL_STATE_DEAD:
	case NNACCEL_STATE_GONE:
		break;
	case NNACCEL_STATE_ONLINE:
		nnaccel_take_down_locked(ndev, NNACCEL_DOWN_BLOCKED, 0);
		break;
	default:
		nnaccel_state_set_locked(ndev, NNACCEL_STATE_BLOCKED);
		break;
	}
	mutex_unlock(&ndev->topo_lock);
	dma_fence_end_signalling(cookie);
	wake_up_all(&ndev->state_wq);
	nnaccel_recovery_quiesce(ndev);
	/* Its limit is link_ms: nnaccel_recover_blocked_locked(). */
	nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_EVENT);
}

/**
 * nnaccel_recovery_give_up() - the bus that is in error does not recover: end all jobs
 * @ndev: device
 */
void nnaccel_recovery_give_up(struct nnaccel_device *ndev)
{
	guard(mutex)(&ndev->topo_lock);
	if (ndev->state == NNACCEL_STATE_BLOCKED)
		nnaccel_give_up_locked(ndev, NNACCEL_STATE_DEAD);
}

/**
 * nnaccel_recovery_unblock() - the bus works again: bring the card up
 * @ndev: device; nothing happens if its bus was not in error
 */
void nnaccel_recovery_unblock(struct nnaccel_device *ndev)
{
	bool blocked;

	mutex_lock(&ndev->topo_lock);
	blocked = ndev->state == NNACCEL_STATE_BLOCKED || ndev->state == NNACCEL_STATE_DEAD;
	if (blocked)
		nnaccel_state_set_locked(ndev, NNACCEL_STATE_STARTING);
	mutex_unlock(&ndev->topo_lock);
	if (blocked)
		nnaccel_recovery_run(ndev);
}

/* Stop the card on removal. Return: whether it cannot write memory any more. */
static bool nnaccel_remove_locked(struct nnaccel_device *ndev, enum nnaccel_state state)
{
	enum nnaccel_sign sign;

	lockdep_assert_held(&ndev->topo_lock);
	/* It has no address of memory, and perhaps no power to read registers with. */
	if (state == NNACCEL_STATE_ASLEEP || !ndev->powered)
		return true;

	/* Also behind a bus that was in error: it may work now. */
	sign = nnaccel_link_sign(ndev);
	if (sign == NNACCEL_SIGN_UNREACHABLE) {
		if (ndev->card_unsafe)
			drm_err(&ndev->drm, "the card cannot be reached: memory that the card may write is kept\n");
		return !ndev->card_unsafe;
	}
	if (sign == NNACCEL_SIGN_DEAD)
		return true;
	nnaccel_write32(ndev, host_state, NNACCEL_HOST_NONE);
	return nnaccel_hw_reset_locked(ndev, true);
}

/**
 * nnaccel_recovery_fini() - stop the card after unplug; may take reset_ms
 * @ndev: device; nnaccel_device.gone is set, all fences have ended, interrupts still work
 */
void nnaccel_recovery_fini(struct nnaccel_device *ndev)
{
	enum nnaccel_state state;
	bool cookie, dead;
	struct nnaccel_queue *queue;

	/* Disable, not only cancel: interrupts and waiters may still schedule recovery. */
	disable_delayed_work_sync(&ndev->heartbeat_work);
	disable_delayed_work_sync(&ndev->recover_work);

	cookie = dma_fence_begin_signalling();
	mutex_lock(&ndev->topo_lock);
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_queue_shut_locked(queue);
	nnaccel_cq_stop(ndev);

	state = ndev->state;
	/* An ONLINE card has our rings. */
	ndev->card_unsafe |= state == NNACCEL_STATE_ONLINE;
	nnaccel_state_set_locked(ndev, NNACCEL_STATE_GONE);
	dead = nnaccel_remove_locked(ndev, state);

	/* Otherwise memory that the card may write stays allocated, with its owners. */
	ndev->card_unsafe = !dead;
	if (dead)
		nnaccel_card_dead_locked(ndev, NNACCEL_STATUS_UNPLUGGED);
	else
		list_for_each_entry(queue, &ndev->queues, link)
			nnaccel_queue_kept_locked(queue);
	mutex_unlock(&ndev->topo_lock);
	dma_fence_end_signalling(cookie);
	wake_up_all(&ndev->state_wq);
}
