// SPDX-License-Identifier: GPL-2.0-only

#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include <drm/drm_managed.h>

#include "nnaccel_admin.h"
#include "nnaccel_device.h"

/* topo_lock admits one; some that went unanswered, until the reset. */
#define NNACCEL_ADMIN_TOPOLOGY	16
/* clock_lock admits one, debugfs more; some whose waiter was interrupted. */
#define NNACCEL_ADMIN_PINGS	16
#define NNACCEL_ADMIN_ABORTS	64
#define NNACCEL_ADMIN_HINTS	64

/* What may be in flight, and how many slots of the ring a class leaves to the others. */
static const struct {
	u32 in_flight;
	int leaves;
} nnaccel_admin_limits[NNACCEL_ADMIN_NUM_CLASSES] = {
	[NNACCEL_ADMIN_CLASS_TOPOLOGY] = { NNACCEL_ADMIN_TOPOLOGY, 0 },
	[NNACCEL_ADMIN_CLASS_PING] = { NNACCEL_ADMIN_PINGS, 0 },
	[NNACCEL_ADMIN_CLASS_ABORT] = { NNACCEL_MAX_QUEUES, 0 },
	[NNACCEL_ADMIN_CLASS_ABORTS] = { NNACCEL_ADMIN_ABORTS, 64 },
	[NNACCEL_ADMIN_CLASS_INVALIDATE] = { NNACCEL_MAX_CONTEXTS, 64 },
	[NNACCEL_ADMIN_CLASS_HINT] = { NNACCEL_ADMIN_HINTS, 128 },
};

static_assert(NNACCEL_ADMIN_TOPOLOGY + NNACCEL_ADMIN_PINGS + NNACCEL_MAX_QUEUES +
	      NNACCEL_ADMIN_ABORTS + NNACCEL_MAX_CONTEXTS + NNACCEL_ADMIN_HINTS <=
	      NNACCEL_ADMIN_ENTRIES);

/**
 * nnaccel_admin_init() - set up; commands are refused until nnaccel_admin_start()
 * @ndev: device
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_admin_init(struct nnaccel_device *ndev)
{
	struct nnaccel_admin *admin = &ndev->admin;

	spin_lock_init(&admin->lock);
	admin->entry = drmm_kcalloc(&ndev->drm, NNACCEL_ADMIN_ENTRIES, sizeof(*admin->entry),
				    GFP_KERNEL);
	if (!admin->entry)
		return -ENOMEM;
	return nnaccel_ring_alloc(ndev, &admin->ring, NNACCEL_ADMIN_SLOTS);
}

/**
 * nnaccel_admin_start() - take commands, on an empty ring that the card does not use yet
 * @ndev: device
 *
 * A device that is gone takes none: it sets nnaccel_device.gone before nnaccel_admin_stop(), so a
 * bring-up that is under way cannot undo that.
 */
void nnaccel_admin_start(struct nnaccel_device *ndev)
{
	struct nnaccel_admin *admin = &ndev->admin;

	spin_lock_irq(&admin->lock);
	nnaccel_ring_reset(&admin->ring);
	bitmap_zero(admin->busy, NNACCEL_ADMIN_ENTRIES);
	bitmap_zero(admin->aborting, NNACCEL_MAX_QUEUES);
	memset(admin->in_flight, 0, sizeof(admin->in_flight));
	admin->live = !READ_ONCE(ndev->gone);
	spin_unlock_irq(&admin->lock);
}

static void nnaccel_admin_stop_locked(struct nnaccel_admin *admin)
{
	u32 i;

	lockdep_assert_held(&admin->lock);

	admin->live = false;
	for_each_set_bit(i, admin->busy, NNACCEL_ADMIN_ENTRIES) {
		struct nnaccel_admin_wait *wait = admin->entry[i].wait;

		if (!wait)
			continue;
		wait->error = -ENOLINK;
		admin->entry[i].wait = NULL;
		complete(&wait->done);
	}
}

/**
 * nnaccel_admin_stop() - refuse commands and fail those in flight with -ENOLINK; any context
 * @ndev: device
 *
 * Entries stay in use until nnaccel_admin_start(): answers that are already in the completion ring
 * are valid.
 */
void nnaccel_admin_stop(struct nnaccel_device *ndev)
{
	unsigned long flags;

	spin_lock_irqsave(&ndev->admin.lock, flags);
	nnaccel_admin_stop_locked(&ndev->admin);
	spin_unlock_irqrestore(&ndev->admin.lock, flags);
}

/**
 * nnaccel_admin_stop_dead() - the same if the card that the commands are for is dead; any context
 * @ndev: device
 *
 * The question belongs under the lock: nnaccel_device.generation changes before
 * nnaccel_admin_start() for the next card, so that the answer is never about the card before.
 */
void nnaccel_admin_stop_dead(struct nnaccel_device *ndev)
{
	unsigned long flags;

	spin_lock_irqsave(&ndev->admin.lock, flags);
	if (READ_ONCE(ndev->generation) && nnaccel_card_lost(ndev))
		nnaccel_admin_stop_locked(&ndev->admin);
	spin_unlock_irqrestore(&ndev->admin.lock, flags);
}

/**
 * nnaccel_admin_stop_online() - the same if the device is ONLINE; process context
 * @ndev: device that is about to be taken down
 *
 * The holder of topo_lock may be waiting for an answer, so this comes before it. Under the lock, as
 * above: the state changes before nnaccel_admin_start() for the next card, which is not stopped.
 */
void nnaccel_admin_stop_online(struct nnaccel_device *ndev)
{
	spin_lock_irq(&ndev->admin.lock);
	if (READ_ONCE(ndev->state) == NNACCEL_STATE_ONLINE)
		nnaccel_admin_stop_locked(&ndev->admin);
	spin_unlock_irq(&ndev->admin.lock);
}

static enum nnaccel_admin_class nnaccel_admin_class_locked(const struct nnaccel_admin *admin,
							   u32 op, u32 queue)
{
	lockdep_assert_held(&admin->lock);
	switch (op) {
	case NNACCEL_ADMIN_ABORT:
		return test_bit(queue, admin->aborting) ? NNACCEL_ADMIN_CLASS_ABORTS :
							  NNACCEL_ADMIN_CLASS_ABORT;
	case NNACCEL_ADMIN_PING:
		return NNACCEL_ADMIN_CLASS_PING;
	case NNACCEL_ADMIN_TLB_INVALIDATE:
		return NNACCEL_ADMIN_CLASS_INVALIDATE;
	case NNACCEL_ADMIN_PROGRAM_LOAD:
	case NNACCEL_ADMIN_PROGRAM_UNLOAD:
		return NNACCEL_ADMIN_CLASS_HINT;
	default:
		return NNACCEL_ADMIN_CLASS_TOPOLOGY;
	}
}

/*
 * -EBUSY: no room now. The doorbell is rung under the lock: it is cheap, and the ring cannot be
 * reset meanwhile.
 */
static int nnaccel_admin_send(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
			      struct nnaccel_admin_wait *wait)
{
	u32 op = le32_to_cpu(cmd->op), queue = le32_to_cpu(cmd->queue);
	struct nnaccel_admin *admin = &ndev->admin;
	struct nnaccel_admin_entry *entry;
	enum nnaccel_admin_class class;
	struct nnaccel_admin_cmd *slot;
	unsigned long flags;
	int room, ret = 0;
	u32 i;

	spin_lock_irqsave(&admin->lock, flags);
	if (!admin->live) {
		ret = -ENOLINK;
		goto out;
	}
	class = nnaccel_admin_class_locked(admin, op, queue);
	room = nnaccel_ring_room(&admin->ring);
	if (room < 0) {
		nnaccel_protocol_error(ndev, "invalid head of the admin ring");
		ret = -ENOLINK;
		goto out;
	}
	if (admin->in_flight[class] >= nnaccel_admin_limits[class].in_flight ||
	    room <= nnaccel_admin_limits[class].leaves) {
		ret = -EBUSY;
		goto out;
	}

	/* There is one: the limits together are fewer than the entries. */
	i = find_first_zero_bit(admin->busy, NNACCEL_ADMIN_ENTRIES);
	entry = &admin->entry[i];
	entry->id = admin->count++ * NNACCEL_ADMIN_ENTRIES + i;
	entry->op = op;
	entry->class = class;
	entry->queue = queue;
	entry->seqno = le64_to_cpu(cmd->value);
	entry->wait = wait;
	__set_bit(i, admin->busy);
	admin->in_flight[class]++;
	if (class == NNACCEL_ADMIN_CLASS_ABORT)
		__set_bit(queue, admin->aborting);

	slot = nnaccel_ring_slot(&admin->ring, 0);
	*slot = *cmd;
	slot->id = cpu_to_le32(entry->id);
	nnaccel_ring_publish(&admin->ring, 1);
	nnaccel_doorbell(ndev, NNACCEL_DOORBELL_ADMIN);
out:
	spin_unlock_irqrestore(&admin->lock, flags);
	return ret;
}

/**
 * nnaccel_admin_post() - send a command without waiting for its answer; any context
 * @ndev: device
 * @cmd: the command; its id is filled in
 *
 * Return: 0, -EBUSY if too many are in flight, -ENOLINK if no card takes commands.
 */
int nnaccel_admin_post(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd)
{
	return nnaccel_admin_send(ndev, cmd, NULL);
}

/*
 * Wait for admin_ms. Return: positive: @wait has an answer, or the error -ENOLINK; 0: it has not;
 * -ERESTARTSYS, with @interruptible.
 */
static long nnaccel_admin_wait(struct nnaccel_admin_wait *wait, bool interruptible)
{
	unsigned long timeout = msecs_to_jiffies(nnaccel_admin_ms);

	return interruptible ? wait_for_completion_interruptible_timeout(&wait->done, timeout) :
			       wait_for_completion_timeout(&wait->done, timeout);
}

/*
 * Detach the waiter, whose stack frame goes away, from its entry. Return: whether it was detached
 * before the answer came.
 */
static bool nnaccel_admin_forget(struct nnaccel_device *ndev, struct nnaccel_admin_wait *wait)
{
	struct nnaccel_admin *admin = &ndev->admin;
	bool done;
	u32 i;

	spin_lock_irq(&admin->lock);
	done = completion_done(&wait->done);
	for_each_set_bit(i, admin->busy, NNACCEL_ADMIN_ENTRIES)
		if (!done && admin->entry[i].wait == wait)
			admin->entry[i].wait = NULL;
	spin_unlock_irq(&admin->lock);
	return !done;
}

static int nnaccel_admin_errno(const struct nnaccel_admin_wait *wait)
{
	if (wait->error)
		return wait->error;
	switch (wait->status) {
	case NNACCEL_STATUS_OK:
		return 0;
	case NNACCEL_STATUS_BAD_ARGUMENT:
		return -EINVAL;
	case NNACCEL_STATUS_NO_MEMORY:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

static int nnaccel_admin_run(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
			     u64 *value, bool interruptible, bool (*patience)(void *arg), void *arg)
{
	unsigned long tries = msecs_to_jiffies(nnaccel_admin_ms);
	struct nnaccel_admin_wait wait = {};
	long left;
	int ret;

	init_completion(&wait.done);
	/*
	 * Only if the firmware lags by hundreds of commands, or has left several unanswered: rare
	 * enough to poll.
	 */
	while ((ret = nnaccel_admin_send(ndev, cmd, &wait)) == -EBUSY) {
		if (interruptible && signal_pending(current))
			return -ERESTARTSYS;
		if (!tries--)
			goto timed_out;
		schedule_timeout_uninterruptible(1);
	}
	if (ret)
		return ret;

	while ((left = nnaccel_admin_wait(&wait, interruptible)) <= 0) {
		if (!left && patience && patience(arg))
			continue;
		if (!nnaccel_admin_forget(ndev, &wait))
			continue;
		if (left)
			return left;
		goto timed_out;
	}
	if (value)
		*value = wait.value;
	return nnaccel_admin_errno(&wait);

timed_out:
	dev_warn_ratelimited(ndev->drm.dev, "admin command %u: no answer for %u ms\n",
			     le32_to_cpu(cmd->op), nnaccel_admin_ms);
	nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_ADMIN);
	return -ETIMEDOUT;
}

/**
 * nnaccel_admin_exec() - send a command and wait for its answer, for at most admin_ms
 * @ndev: device
 * @cmd: the command; its id is filled in
 * @value: receives the value of the answer, or NULL
 *
 * If no answer comes in time, the recovery worker is woken.
 *
 * Return: 0; -ENOLINK: no card, or the card was lost meanwhile; -ETIMEDOUT; -EINVAL, -ENOMEM or
 * -EIO: the firmware refused the command.
 */
int nnaccel_admin_exec(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
		       u64 *value)
{
	return nnaccel_admin_run(ndev, cmd, value, false, NULL, NULL);
}

/**
 * nnaccel_admin_ping() - nnaccel_admin_exec() of a PING, until a signal is pending
 * @ndev: device
 * @value: receives the card's clock, or NULL
 *
 * A PING changes nothing, so that its answer, which may still come, can be ignored.
 *
 * Return: as nnaccel_admin_exec(), or -ERESTARTSYS.
 */
int nnaccel_admin_ping(struct nnaccel_device *ndev, u64 *value)
{
	const struct nnaccel_admin_cmd cmd = { .op = cpu_to_le32(NNACCEL_ADMIN_PING) };

	return nnaccel_admin_run(ndev, &cmd, value, true, NULL, NULL);
}

/**
 * nnaccel_admin_exec_patient() - nnaccel_admin_exec() for a command that may have to wait for a job
 * @ndev: device
 * @cmd: the command; its id is filled in
 * @patience: called whenever admin_ms have passed: whether to wait for admin_ms more
 * @arg: argument of @patience
 *
 * Return: as nnaccel_admin_exec().
 */
int nnaccel_admin_exec_patient(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
			       bool (*patience)(void *arg), void *arg)
{
	return nnaccel_admin_run(ndev, cmd, NULL, false, patience, arg);
}

/**
 * nnaccel_admin_ack() - handle an answer
 * @ndev: device
 * @completion: private copy of the completion
 * @entry: receives the command that was answered
 *
 * Return: 0, or -EPROTO if no such command is in flight.
 */
int nnaccel_admin_ack(struct nnaccel_device *ndev, const struct nnaccel_completion *completion,
		      struct nnaccel_admin_entry *entry)
{
	struct nnaccel_admin *admin = &ndev->admin;
	u64 id = le64_to_cpu(completion->seqno);
	u32 i = id % NNACCEL_ADMIN_ENTRIES;
	unsigned long flags;

	spin_lock_irqsave(&admin->lock, flags);
	if (!test_bit(i, admin->busy) || admin->entry[i].id != id) {
		spin_unlock_irqrestore(&admin->lock, flags);
		return -EPROTO;
	}

	*entry = admin->entry[i];
	__clear_bit(i, admin->busy);
	if (entry->wait) {
		entry->wait->status = le32_to_cpu(completion->status);
		entry->wait->value = le64_to_cpu(completion->value);
		complete(&entry->wait->done);
	}
	admin->in_flight[entry->class]--;
	if (entry->class == NNACCEL_ADMIN_CLASS_ABORT)
		__clear_bit(entry->queue, admin->aborting);
	spin_unlock_irqrestore(&admin->lock, flags);
	return 0;
}
