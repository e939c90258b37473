/* SPDX-License-Identifier: GPL-2.0-only */
/* Admin commands: host -> firmware, each acknowledged by a completion with the command's id. */
#ifndef _NNACCEL_ADMIN_H_
#define _NNACCEL_ADMIN_H_

#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <nnaccel/nnaccel_regs.h>
#include <nnaccel/nnaccel_ring.h>

#include "nnaccel_ring.h"

struct nnaccel_device;

/* Commands that the card has not read yet. */
#define NNACCEL_ADMIN_SLOTS	256u
/* Commands in flight; an id is a sequence number above the index of the entry in the table. */
#define NNACCEL_ADMIN_ENTRIES	1024u

/**
 * enum nnaccel_admin_class - commands that share a part of the admin table
 *
 * Each class has room for all that can be in flight at once, whatever clients do, so that none
 * keeps another from being sent: the table "Commands in flight" in Documentation/kernel.rst.
 */
enum nnaccel_admin_class {
	/** @NNACCEL_ADMIN_CLASS_TOPOLOGY: contexts, queues, handshake */
	NNACCEL_ADMIN_CLASS_TOPOLOGY,
	/** @NNACCEL_ADMIN_CLASS_PING: readings of the clock, which may be interrupted */
	NNACCEL_ADMIN_CLASS_PING,
	/** @NNACCEL_ADMIN_CLASS_ABORT: the only ABORT of a queue */
	NNACCEL_ADMIN_CLASS_ABORT,
	/** @NNACCEL_ADMIN_CLASS_ABORTS: further ABORTs of a queue */
	NNACCEL_ADMIN_CLASS_ABORTS,
	/** @NNACCEL_ADMIN_CLASS_INVALIDATE: one TLB_INVALIDATE per address space */
	NNACCEL_ADMIN_CLASS_INVALIDATE,
	/** @NNACCEL_ADMIN_CLASS_HINT: PROGRAM_LOAD and PROGRAM_UNLOAD */
	NNACCEL_ADMIN_CLASS_HINT,
	/* private: */
	NNACCEL_ADMIN_NUM_CLASSES,
};

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
	/** @class: enum nnaccel_admin_class */
	u32 class;
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
	/** @in_flight: commands of each class */
	u32 in_flight[NNACCEL_ADMIN_NUM_CLASSES];
	/** @aborting: queues that have a command of %NNACCEL_ADMIN_CLASS_ABORT, by queue id */
	DECLARE_BITMAP(aborting, NNACCEL_MAX_QUEUES);
	/** @count: sequence number for ids */
	u32 count;
	/** @busy: entries in use */
	DECLARE_BITMAP(busy, NNACCEL_ADMIN_ENTRIES);
	/** @entry: %NNACCEL_ADMIN_ENTRIES commands in flight */
	struct nnaccel_admin_entry *entry;
};

int nnaccel_admin_init(struct nnaccel_device *ndev);
void nnaccel_admin_start(struct nnaccel_device *ndev);
void nnaccel_admin_stop(struct nnaccel_device *ndev);
void nnaccel_admin_stop_dead(struct nnaccel_device *ndev);
void nnaccel_admin_stop_online(struct nnaccel_device *ndev);

int nnaccel_admin_exec(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
		       u64 *value);
int nnaccel_admin_ping(struct nnaccel_device *ndev, u64 *value);
int nnaccel_admin_exec_patient(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd,
			       bool (*patience)(void *arg), void *arg);
int nnaccel_admin_post(struct nnaccel_device *ndev, const struct nnaccel_admin_cmd *cmd);
int nnaccel_admin_ack(struct nnaccel_device *ndev, const struct nnaccel_completion *completion,
		      struct nnaccel_admin_entry *entry);

#endif
