/* SPDX-License-Identifier: GPL-2.0-only */
/* Who pays: charges of open files and of the users behind them. */
#ifndef _NNACCEL_ACCOUNT_H_
#define _NNACCEL_ACCOUNT_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct drm_nnaccel_usage;
struct nnaccel_device;

/**
 * struct nnaccel_charge - what something costs, or what somebody has
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
	/** @jobs: jobs */
	u32 jobs;
};

/**
 * struct nnaccel_user - everything that one uid has on one device; one reference per client
 */
struct nnaccel_user {
	/** @refs: clients; protected by nnaccel_device.account.lock, as the rest */
	u32 refs;
	/** @link: in nnaccel_device.account.users */
	struct list_head link;
	/** @uid: effective uid at open */
	kuid_t uid;
	/** @has: sum of its clients */
	struct nnaccel_charge has;
};

/**
 * struct nnaccel_client - the account of one open file
 *
 * It outlives the file: a reference each is held by the file, its address space, every queue, job
 * and buffer object that counts for it.
 */
struct nnaccel_client {
	/** @ref: reference count */
	struct kref ref;
	/** @ndev: device, with a reference */
	struct nnaccel_device *ndev;
	/** @user: who pays too */
	struct nnaccel_user *user;
	/** @privileged: opened with CAP_SYS_RESOURCE: not held to the limits of the user */
	bool privileged;
	/** @has: what it has; protected by nnaccel_device.account.lock */
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

struct nnaccel_client *nnaccel_client_create(struct nnaccel_device *ndev);
void nnaccel_client_put(struct nnaccel_client *client);
static inline struct nnaccel_client *nnaccel_client_get(struct nnaccel_client *client)
{
	kref_get(&client->ref);
	return client;
}

int nnaccel_client_charge(struct nnaccel_client *client, const struct nnaccel_charge *charge);
void nnaccel_client_uncharge(struct nnaccel_client *client, const struct nnaccel_charge *charge);
void nnaccel_client_usage(struct nnaccel_client *client, struct drm_nnaccel_usage *usage);

#endif
