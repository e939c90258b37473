/* SPDX-License-Identifier: GPL-2.0-only */
/* Admin commands: host -> firmware, each acknowledged by a completion with the command's id. */
#ifndef _NNACCEL_ADMIN_H_
#define _NNACCEL_ADMIN_H_

#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <nnaccel/nnaccel_ring.h>

#include "nnaccel_ring.h"

struct nnaccel_device;

/* Commands in flight; an id is a sequence number above the index of the entry in the table. */
#define NNACCEL_ADMIN_SLOTS	256u
/* Program hints in flight: any client may send them, so other commands have entries reserved. */
#define NNACCEL_ADMIN_HINTS	64u

/**
 * struct nnaccel_admin_wait - a wait for an acknowledgment, on the stack of the waiter
 */
struct nnaccel_admin_wait {
	/** @done: completed by the answer, or when none will come */
	struct completion done;
	/** @status: enum nnaccel_status of the answer */
	u32 status;
	/** @value: value of the answer */
	u64 value;
	/** @error: -ENOLINK if no answer will come, else 0 */
	int error;
};

/**
 * struct nnaccel_admin_entry - one command in flight
 */
struct nnaccel_admin_entry {
	/** @id: id of the command as sent */
	u32 id;
	/** @op: enum nnaccel_admin_op */
	u32 op;
	/** @hint: counts in struct nnaccel_admin.hints */
	bool hint;
	/** @queue: ABORT: queue id */
	u32 queue;
	/** @seqno: ABORT: number of the job */
	u64 seqno;
	/** @wait: the wait for its answer, or NULL */
	struct nnaccel_admin_wait *wait;
};

/**
 * struct nnaccel_admin - the admin ring
 */
struct nnaccel_admin {
	/** @lock: protects all fields */
	spinlock_t lock;
	/** @ring: admin ring */
	struct nnaccel_ring ring;
	/** @live: commands are accepted; otherwise they fail with -ENOLINK at once */
	bool live;
	/** @hints: program hints in flight */
	u32 hints;
	/** @count: sequence number for ids */
	u32 count;
	/** @busy: entries in use */
	DECLARE_BITMAP(busy, NNACCEL_ADMIN_SLOTS);
	/** @entry: commands in flight */
	struct nnaccel_admin_entry entry[NNACCEL_ADMIN_SLOTS];
};

int nnaccel_admin_init(struct nnaccel_device *ndev);
void nnaccel_admin_start(struct nnaccel_device *ndev);
void nnaccel_admin_stop(struct nnaccel_device *ndev);
void nnaccel_admin_stop_dead(struct nnaccel_device *ndev);

int nnaccel_admin_exec(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
		       u64 *value);
int nnaccel_admin_exec_patient(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
			       bool (*patience)(void *arg), void *arg);
int nnaccel_admin_post(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd);
int nnaccel_admin_ack(struct nnaccel_device *ndev, const struct nnaccel_completion *completion,
		      struct nnaccel_admin_entry *entry);

#endif
