/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounting: what open files, and the users behind them, are charged for. */
#ifndef _NNACCEL_ACCOUNT_H_
#define _NNACCEL_ACCOUNT_H_

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct drm_nnaccel_usage;
struct drm_printer;
struct nnaccel_device;

/**
 * struct nnaccel_charge - what an object costs, or what a client or user has
 */
struct nnaccel_charge {
	/** @bytes: buffer objects and page tables */
	u64 bytes;
	/** @job_bytes: kernel memory of jobs */
	u64 job_bytes;
	/** @bos: buffer objects */
	u32 bos;
	/** @handles: GEM handles */
	u32 handles;
	/** @queues: queues */
	u32 queues;
	/** @contexts: address spaces that have a context id: those of files that had a queue */
	u32 contexts;
	/** @jobs: jobs */
	u32 jobs;
};

/**
 * struct nnaccel_user - sum over the clients of one uid on one device; one reference per client
 */
struct nnaccel_user {
	/** @refs: clients; nnaccel_device.account.lock protects all fields */
	u32 refs;
	/** @link: in nnaccel_device.account.users */
	struct list_head link;
	/** @uid: effective uid at open */
	kuid_t uid;
	/** @has: sum over its clients */
	struct nnaccel_charge has;
};

/**
 * struct nnaccel_client - the account of one open file
 *
 * It outlives the file: the file, its address space, and every queue, job and buffer object that is
 * charged to it hold a reference each.
 */
struct nnaccel_client {
	/** @ref: reference count */
	struct kref ref;
	/** @ndev: device, with a reference */
	struct nnaccel_device *ndev;
	/** @user: user that is charged too */
	struct nnaccel_user *user;
	/** @id: of the DRM file, as in fdinfo's drm-client-id */
	u64 id;
	/** @pid: process that opened the file, in the initial namespace */
	pid_t pid;
	/** @comm: its name then */
	char comm[TASK_COMM_LEN];
	/** @privileged: opened with CAP_SYS_RESOURCE: limits of the user do not apply */
	bool privileged;
	/** @stats: for fdinfo: of this file only, what other clients do does not show */
	struct {
		/** @stats.submitted: jobs accepted */
		atomic64_t submitted;
		/** @stats.completed: jobs ended by a completion of the firmware */
		atomic64_t completed;
		/** @stats.failed: jobs that ended with an error, of any origin */
		atomic64_t failed;
		/** @stats.innocent: jobs lost to resets caused by others, or to lost links */
		atomic64_t innocent;
		/** @stats.refused: ioctls refused because of a limit */
		atomic64_t refused;
	} stats;
	/** @has: what it is charged for; protected by nnaccel_device.account.lock */
	struct nnaccel_charge has;
};

/*
 * Limits of one client, and of one user; nnaccel_limit_bytes() and its like depend on the
 * machine.
 */
#define NNACCEL_LIMIT_JOB_BYTES		(32ull << 20)
#define NNACCEL_LIMIT_USER_JOB_BYTES	(128ull << 20)

u64 nnaccel_limit_bytes(void);
u64 nnaccel_limit_user_bytes(void);

struct nnaccel_client *nnaccel_client_create(struct nnaccel_device *ndev, u64 id);
void nnaccel_client_put(struct nnaccel_client *client);
static inline struct nnaccel_client *nnaccel_client_get(struct nnaccel_client *client)
{
	kref_get(&client->ref);
	return client;
}

int nnaccel_client_charge(struct nnaccel_client *client, const struct nnaccel_charge *charge);
void nnaccel_client_uncharge(struct nnaccel_client *client, const struct nnaccel_charge *charge);
u64 nnaccel_account_bytes(struct nnaccel_device *ndev);
void nnaccel_client_show(struct nnaccel_client *client, struct drm_printer *p);
void nnaccel_client_usage(struct nnaccel_client *client, struct drm_nnaccel_usage *usage);

#endif
