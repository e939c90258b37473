/* SPDX-License-Identifier: GPL-2.0-only */
/* A device in the kernel's memory, for KUnit: backend, slot and firmware, which tests control. */
#ifndef _NNACCEL_MOCK_H_
#define _NNACCEL_MOCK_H_

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include <nnaccel/nnaccel_regs.h>
#include <nnaccel/nnaccel_ring.h>

#include "../nnaccel_device.h"

struct kunit;
struct task_struct;

/**
 * struct nnaccel_mock_queue - a queue that the firmware knows
 */
struct nnaccel_mock_queue {
	/** @ring: its ring; NULL: there is no such queue */
	struct nnaccel_ring_ctl *ring;
	/** @slots: slots of @ring */
	u32 slots;
	/** @ctx: its context */
	u32 ctx;
};

/**
 * struct nnaccel_mock - the device
 *
 * Tests set the fields of its behaviour at any time, without a lock; the firmware's thread reads
 * them.
 */
struct nnaccel_mock {
	/** @ndev: the driver's device; NULL once it is removed */
	struct nnaccel_device *ndev;
	/** @dev: the bus device */
	struct device *dev;
	/** @regs: the register page */
	struct nnaccel_regs *regs;

	/** @mute: the firmware does nothing, but its slot works; its heartbeat stands still */
	bool mute;
	/** @deaf_slot: the slot does not answer the reset line */
	bool deaf_slot;
	/** @deaf_abort: a running job does not end by ABORT */
	bool deaf_abort;
	/** @away_after_reset: the card does not come back after a reset */
	bool away_after_reset;
	/** @no_boot: a card that starts stays in state BOOT */
	bool no_boot;
	/** @hang: queues, by id, whose jobs neither end nor make progress */
	u64 hang;
	/** @busy: the same, but they make progress */
	u64 busy;
	/** @job_ns: time that a job takes */
	u64 job_ns;
	/** @job_status: how jobs end; OK: as their memory accesses do */
	u32 job_status;
	/** @ignored_ops: admin commands, by number, that are not answered */
	u32 ignored_ops;
	/** @refused_ops: admin commands that are answered with BAD_ARGUMENT */
	u32 refused_ops;
	/** @telemetry: the firmware has NNACCEL_CAP_TELEMETRY */
	bool telemetry;
	/** @contract_version: of the firmware, from its next start on */
	u32 contract_version;
	/** @start_error: what nnaccel_hw_ops.start and .power_on return */
	int start_error;

	/** @starts: calls of nnaccel_hw_ops.start that succeeded */
	u32 starts;
	/** @power: power_on minus power_off */
	int power;
	/** @allocated: bytes of shared memory that are not freed */
	atomic_long_t allocated;
	/** @served: admin commands that the firmware has read, by number */
	u32 served[NNACCEL_ADMIN_COUNT];

	/* private: */
	struct mutex lock; /* the firmware, and what tests do to the card */
	struct task_struct *thread;
	wait_queue_head_t wq;
	unsigned long doorbells;
	struct mutex irq_lock; /* handlers, which are the driver's */
	bool irq_on;
	unsigned long irqs;
	struct nnaccel_ring_ctl *admin, *cq;
	u32 admin_slots, cq_slots;
	struct nnaccel_mock_queue queue[NNACCEL_MAX_QUEUES];
	struct list_head jobs;
	u64 end_ns;
	u64 beat_ns;
	bool held;
	bool probed;
};

/* The backend as PCI has it, and one whose device has power and firmware of its own. */
extern const struct nnaccel_hw_ops nnaccel_mock_ops, nnaccel_mock_board_ops;

struct nnaccel_mock *nnaccel_mock_create(struct kunit *test, const struct nnaccel_hw_ops *ops);
int nnaccel_mock_probe(struct nnaccel_mock *mock);
void nnaccel_mock_remove(struct nnaccel_mock *mock);
void nnaccel_mock_die(struct nnaccel_mock *mock);
void nnaccel_mock_boot(struct nnaccel_mock *mock);
void nnaccel_mock_fail(struct nnaccel_mock *mock);
void nnaccel_mock_unreadable(struct nnaccel_mock *mock, bool on);
void nnaccel_mock_push(struct nnaccel_mock *mock, const struct nnaccel_completion *completion);
void nnaccel_mock_kick(struct nnaccel_mock *mock);

#endif
