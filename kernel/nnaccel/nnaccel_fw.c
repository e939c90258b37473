// SPDX-License-Identifier: GPL-2.0-only

#include <linux/cleanup.h>

#include "nnaccel_device.h"
#include "nnaccel_fw.h"

/**
 * nnaccel_fw_look() - read state and generation of the firmware, both of one card
 * @ndev: device
 * @generation: generation of that card
 *
 * Return: enum nnaccel_fw_state; %NNACCEL_FW_BOOT if it is changing, and an event follows.
 */
u32 nnaccel_fw_look(struct nnaccel_device *ndev, u32 *generation)
{
	u32 state = nnaccel_read32(ndev, fw_state);

	*generation = nnaccel_read32(ndev, generation);
	return nnaccel_read32(ndev, fw_state) == state ? state : NNACCEL_FW_BOOT;
}

/**
 * nnaccel_fw_lost() - whether the card of nnaccel_device.generation, once READY, is no more
 * @ndev: device
 *
 * If not, all that was read before this call belongs to it: a card that starts stores BOOT before
 * it changes any other register, and its generation before READY. So the state is read first.
 *
 * Return: whether it has died, or was replaced by another one.
 */
bool nnaccel_fw_lost(struct nnaccel_device *ndev)
{
	return nnaccel_read32(ndev, fw_state) == NNACCEL_FW_BOOT ||
	       nnaccel_read32(ndev, generation) != ndev->generation ||
	       nnaccel_read32(ndev, link) != NNACCEL_LINK_PRESENT;
}

static int nnaccel_fw_identify(struct nnaccel_device *ndev, struct nnaccel_fw_info *fw)
{
	fw->contract_version = nnaccel_read32(ndev, contract_version);
	fw->fw_version = nnaccel_read32(ndev, fw_version);
	fw->opset_version = nnaccel_read32(ndev, opset_version);
	fw->max_args = min3(nnaccel_read32(ndev, max_args), NNACCEL_MAX_ARGS,
			    NNACCEL_SCHED_SLOTS - 1);
	fw->caps = nnaccel_read32(ndev, caps);
	fw->engines = clamp(nnaccel_read32(ndev, engines), 1, NNACCEL_MAX_QUEUES);
	fw->program_quota = nnaccel_read64(ndev, program_quota);
	fw->arena_size = nnaccel_read64(ndev, arena_size);
	memcpy_fromio(fw->name, ndev->regs->name, sizeof(fw->name));
	fw->name[sizeof(fw->name) - 1] = '\0';

	/* Nothing is concluded from registers that another card may have cleared. */
	if (nnaccel_fw_lost(ndev))
		return -ENOLINK;
	if (fw->contract_version >> 16 != NNACCEL_CONTRACT_MAJOR) {
		drm_err(&ndev->drm, "firmware has contract %u.%u, this driver needs %u.%u: update one of them\n",
			fw->contract_version >> 16, fw->contract_version & 0xffff,
			NNACCEL_CONTRACT_MAJOR, NNACCEL_CONTRACT_MINOR);
		return -EPROTONOSUPPORT;
	}
	return 0;
}

/* Give the firmware its rings and wait until it serves them. */
static int nnaccel_fw_hand_over(struct nnaccel_device *ndev)
{
	bool running = false;
	u32 state, error;

	nnaccel_write32(ndev, host_version, NNACCEL_CONTRACT_VERSION);
	nnaccel_write64(ndev, admin_ring, ndev->admin.ring.addr);
	nnaccel_write64(ndev, cq_ring, ndev->cq.ring.addr);
	nnaccel_write32(ndev, admin_slots, ndev->admin.ring.num);
	nnaccel_write32(ndev, cq_slots, ndev->cq.ring.num);
	nnaccel_write32(ndev, host_generation, ndev->generation);
	/* writel() orders the addresses, and the empty rings in memory, before it. */
	nnaccel_write32(ndev, host_state, NNACCEL_HOST_RINGS);
	nnaccel_doorbell(ndev, NNACCEL_DOORBELL_ADMIN);

	for (u32 waited = 0; waited < nnaccel_admin_ms && !running; waited += 20) {
		running = wait_event_timeout(ndev->state_wq,
					     READ_ONCE(ndev->gone) ||
					     nnaccel_read32(ndev, fw_state) >= NNACCEL_FW_RUNNING,
					     msecs_to_jiffies(20));
		if (nnaccel_fw_lost(ndev))
			return -ENOLINK;
	}
	if (READ_ONCE(ndev->gone))
		return -ENODEV;
	state = nnaccel_read32(ndev, fw_state);
	error = nnaccel_read32(ndev, fw_error);
	if (nnaccel_fw_lost(ndev))
		return -ENOLINK;
	if (state != NNACCEL_FW_RUNNING) {
		drm_err_ratelimited(&ndev->drm, "firmware did not take its rings: state %u, error %u\n",
				    state, error);
		return running ? -EIO : -ETIMEDOUT;
	}
	return 0;
}

/*
 * The operation set is passed on unchanged; only its header and size are checked. Recovery must not
 * allocate, so the copy goes to the spare buffer.
 */
static int nnaccel_fw_fetch_opset(struct nnaccel_device *ndev, u32 *opset_size)
{
	struct nnaccel_admin_cmd cmd = {
		.op = cpu_to_le32(NNACCEL_ADMIN_GET_OPSET),
		.addr = cpu_to_le64(ndev->opset_addr),
		.size = cpu_to_le64(NNACCEL_OPSET_MAX_SIZE),
	};
	struct nnaccel_opset_header *header = ndev->opset_spare;
	u64 size;
	int ret;

	ret = nnaccel_admin_exec(ndev, &cmd, &size);
	if (ret)
		return ret;
	if (size < sizeof(*header) || size > NNACCEL_OPSET_MAX_SIZE)
		return -EPROTO;

	/* Copied once; only the copy is checked and used. */
	memcpy(ndev->opset_spare, ndev->opset_shared, size);
	if (le32_to_cpu(header->magic) != NNACCEL_OPSET_MAGIC ||
	    le32_to_cpu(header->stride) < sizeof(struct nnaccel_opset_entry) ||
	    (u64)le32_to_cpu(header->count) * le32_to_cpu(header->stride) > size - sizeof(*header))
		return -EPROTO;
	*opset_size = size;
	return 0;
}

/**
 * nnaccel_fw_start() - shake hands with a firmware in state READY
 * @ndev: device whose generation is set and whose admin and completion rings are started
 *
 * Return: 0; -EPROTONOSUPPORT: other contract; -ENOLINK: the card died meanwhile; other errors.
 * With an error nnaccel_fw_lost() tells whether it is the card's, or comes of its death.
 */
int nnaccel_fw_start(struct nnaccel_device *ndev)
{
	struct nnaccel_fw_info fw;
	u32 opset_size;
	int ret;

	ret = nnaccel_fw_identify(ndev, &fw);
	if (ret)
		return ret;
	ret = nnaccel_fw_hand_over(ndev);
	if (ret)
		return ret;
	ret = nnaccel_fw_fetch_opset(ndev, &opset_size);
	if (ret)
		return ret;
	if (nnaccel_fw_lost(ndev))
		return -ENOLINK;

	mutex_lock(&ndev->fw_lock);
	ndev->fw = fw;
	swap(ndev->opset, ndev->opset_spare);
	ndev->opset_size = opset_size;
	memset(&ndev->fw_now, 0, sizeof(ndev->fw_now));
	mutex_unlock(&ndev->fw_lock);

	WRITE_ONCE(ndev->caps, fw.caps);
	scoped_guard(spinlock_irq, &ndev->engine.lock) {
		ndev->engine.count = fw.engines;
		ndev->engine.since_ns = ktime_get_ns();
		ndev->engine.sum_ns = 0;
	}
	return 0;
}

/* Counters of a firmware only grow: a smaller value is another firmware's, or invalid. */
static void nnaccel_fw_update_counters(struct nnaccel_device *ndev)
{
	ndev->fw_now.bytes_direct = max(ndev->fw_now.bytes_direct,
					nnaccel_read64(ndev, bytes_direct));
	ndev->fw_now.bytes_bounced = max(ndev->fw_now.bytes_bounced,
					 nnaccel_read64(ndev, bytes_bounced));
	ndev->fw_now.bytes_loaded = max(ndev->fw_now.bytes_loaded,
					nnaccel_read64(ndev, bytes_loaded));
}

/**
 * nnaccel_fw_save_counters() - add up the counters of a generation that ends
 * @ndev: device
 */
void nnaccel_fw_save_counters(struct nnaccel_device *ndev)
{
	mutex_lock(&ndev->fw_lock);
	if (nnaccel_state_reachable(ndev) && nnaccel_read32(ndev, generation) == ndev->generation)
		nnaccel_fw_update_counters(ndev);
	ndev->fw_before.bytes_direct += ndev->fw_now.bytes_direct;
	ndev->fw_before.bytes_bounced += ndev->fw_now.bytes_bounced;
	ndev->fw_before.bytes_loaded += ndev->fw_now.bytes_loaded;
	memset(&ndev->fw_now, 0, sizeof(ndev->fw_now));
	mutex_unlock(&ndev->fw_lock);
}

/**
 * nnaccel_fw_get_counters() - counters of all generations together
 * @ndev: device, perhaps unplugged
 * @counters: filled in
 */
void nnaccel_fw_get_counters(struct nnaccel_device *ndev, struct nnaccel_fw_counters *counters)
{
	int cookie;

	/* The registers stay mapped during this section. */
	if (nnaccel_device_enter(ndev, &cookie)) {
		mutex_lock(&ndev->fw_lock);
		if (READ_ONCE(ndev->state) == NNACCEL_STATE_ONLINE &&
		    nnaccel_read32(ndev, generation) == ndev->generation)
			nnaccel_fw_update_counters(ndev);
		mutex_unlock(&ndev->fw_lock);
		nnaccel_device_exit(ndev, cookie);
	}

	mutex_lock(&ndev->fw_lock);
	counters->bytes_direct = ndev->fw_before.bytes_direct + ndev->fw_now.bytes_direct;
	counters->bytes_bounced = ndev->fw_before.bytes_bounced + ndev->fw_now.bytes_bounced;
	counters->bytes_loaded = ndev->fw_before.bytes_loaded + ndev->fw_now.bytes_loaded;
	mutex_unlock(&ndev->fw_lock);
}

/**
 * nnaccel_fw_get_telemetry() - temperature, power and clock of a card that is awake
 * @ndev: device
 * @now: filled in
 *
 * Return: 0; -EOPNOTSUPP: the card has none; -ENODATA: it sleeps, or there is no card.
 */
int nnaccel_fw_get_telemetry(struct nnaccel_device *ndev, struct nnaccel_fw_telemetry *now)
{
	int cookie, ret = -ENODATA;

	if (!(READ_ONCE(ndev->caps) & NNACCEL_CAP_TELEMETRY))
		return -EOPNOTSUPP;
	if (!nnaccel_device_enter(ndev, &cookie))
		return -ENODATA;
	/* A device that goes to sleep takes the lock before it has no power. */
	mutex_lock(&ndev->fw_lock);
	if (READ_ONCE(ndev->state) == NNACCEL_STATE_ONLINE) {
		now->temperature_mc = nnaccel_read32(ndev, temperature_mc);
		now->power_mw = nnaccel_read32(ndev, power_mw);
		now->clock_mhz = nnaccel_read32(ndev, clock_mhz);
		now->max_clock_mhz = nnaccel_read32(ndev, max_clock_mhz);
		/* Not those of a card that is being started, or that cannot be reached. */
		ret = nnaccel_fw_lost(ndev) ? -ENODATA : 0;
	}
	mutex_unlock(&ndev->fw_lock);
	nnaccel_device_exit(ndev, cookie);
	return ret;
}

/**
 * nnaccel_fw_max_args() - most arguments of a job
 * @ndev: device
 *
 * Return: the limit of the last firmware, or the driver's if there was none.
 */
u32 nnaccel_fw_max_args(struct nnaccel_device *ndev)
{
	u32 max_args;

	mutex_lock(&ndev->fw_lock);
	max_args = ndev->opset_size ? ndev->fw.max_args : NNACCEL_SCHED_SLOTS - 1;
	mutex_unlock(&ndev->fw_lock);
	return max_args;
}
