// SPDX-License-Identifier: GPL-2.0-only

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "nnaccel_account.h"
#include "nnaccel_device.h"

/**
 * nnaccel_limit_bytes() - most bytes of one client's BOs and page tables, which are all pinned
 *
 * Return: the limit, no more than half of the memory.
 */
u64 nnaccel_limit_bytes(void)
{
	return min(NNACCEL_LIMIT_BYTES, nnaccel_limit_user_bytes());
}

/**
 * nnaccel_limit_user_bytes() - most bytes of all clients of one user
 *
 * Return: half of the memory.
 */
u64 nnaccel_limit_user_bytes(void)
{
	return (u64)totalram_pages() << (PAGE_SHIFT - 1);
}

static struct nnaccel_user *nnaccel_user_find_locked(struct nnaccel_device *ndev, kuid_t uid)
{
	struct nnaccel_user *user;

	lockdep_assert_held(&ndev->account.lock);
	list_for_each_entry(user, &ndev->account.users, link)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/**
 * nnaccel_client_create() - open an account for the current task's user
 * @ndev: device
 * @id: id of the DRM file
 *
 * Return: the account with one reference, or NULL.
 */
struct nnaccel_client *nnaccel_client_create(struct nnaccel_device *ndev, u64 id)
{
	struct nnaccel_user *fresh, *user;
	struct nnaccel_client *client;

	client = kzalloc_obj(*client, GFP_KERNEL_ACCOUNT);
	fresh = kzalloc_obj(*fresh, GFP_KERNEL_ACCOUNT);
	if (!client || !fresh) {
		kfree(client);
		kfree(fresh);
		return NULL;
	}
	fresh->uid = current_euid();

	spin_lock(&ndev->account.lock);
	user = nnaccel_user_find_locked(ndev, fresh->uid);
	if (!user) {
		user = fresh;
		fresh = NULL;
		list_add(&user->link, &ndev->account.users);
	}
	user->refs++;
	spin_unlock(&ndev->account.lock);
	kfree(fresh);

	kref_init(&client->ref);
	client->ndev = ndev;
	client->user = user;
	client->id = id;
	client->pid = task_tgid_nr(current);
	get_task_comm(client->comm, current->group_leader);
	client->privileged = capable(CAP_SYS_RESOURCE);
	drm_dev_get(&ndev->drm);
	return client;
}

static void nnaccel_client_release(struct kref *ref)
{
	struct nnaccel_client *client = container_of(ref, struct nnaccel_client, ref);
	struct nnaccel_device *ndev = client->ndev;
	struct nnaccel_user *user = client->user;

	WARN_ON_ONCE(memchr_inv(&client->has, 0, sizeof(client->has)));
	spin_lock(&ndev->account.lock);
	if (--user->refs)
		user = NULL;
	else
		list_del(&user->link);
	spin_unlock(&ndev->account.lock);
	kfree(user);
	kfree(client);
	drm_dev_put(&ndev->drm);
}

/**
 * nnaccel_client_put() - drop a reference; process context
 * @client: account
 */
void nnaccel_client_put(struct nnaccel_client *client)
{
	kref_put(&client->ref, nnaccel_client_release);
}

static void nnaccel_charge_add(struct nnaccel_charge *to, const struct nnaccel_charge *charge)
{
	to->bytes += charge->bytes;
	to->job_bytes += charge->job_bytes;
	to->bos += charge->bos;
	to->handles += charge->handles;
	to->queues += charge->queues;
	to->contexts += charge->contexts;
	to->jobs += charge->jobs;
}

static void nnaccel_charge_sub(struct nnaccel_charge *from, const struct nnaccel_charge *charge)
{
	from->bytes -= charge->bytes;
	from->job_bytes -= charge->job_bytes;
	from->bos -= charge->bos;
	from->handles -= charge->handles;
	from->queues -= charge->queues;
	from->contexts -= charge->contexts;
	from->jobs -= charge->jobs;
}

/* Check only what grows: a client above a limit that was lowered may still do all else. */
static bool nnaccel_charge_fits(u64 has, u64 charge, u64 limit)
{
	return !charge || (has <= limit && charge <= limit - has);
}

/*
 * What the device has few of: a user may have as many as are left for all others. The first gets
 * half, the next one half of the rest: no small number of users takes everything.
 */
static bool nnaccel_charge_is_fair(u64 has, u64 charge, u64 taken, u64 limit)
{
	return !charge || (taken <= limit && has + charge <= limit - taken);
}

static bool nnaccel_client_has_room_locked(struct nnaccel_client *client,
					   const struct nnaccel_charge *charge)
{
	const struct nnaccel_charge *has = &client->has, *user = &client->user->has;
	const struct nnaccel_charge *all = &client->ndev->account.has;

	lockdep_assert_held(&client->ndev->account.lock);

	if (!nnaccel_charge_fits(has->bytes, charge->bytes, nnaccel_limit_bytes()) ||
	    !nnaccel_charge_fits(has->job_bytes, charge->job_bytes, NNACCEL_LIMIT_JOB_BYTES) ||
	    !nnaccel_charge_fits(has->bos, charge->bos, NNACCEL_LIMIT_BOS) ||
	    !nnaccel_charge_fits(has->handles, charge->handles, NNACCEL_LIMIT_BOS) ||
	    !nnaccel_charge_fits(has->queues, charge->queues, NNACCEL_LIMIT_QUEUES))
		return false;
	if (client->privileged)
		return true;
	return nnaccel_charge_fits(user->bytes, charge->bytes, nnaccel_limit_user_bytes()) &&
	       nnaccel_charge_fits(user->job_bytes, charge->job_bytes,
				   NNACCEL_LIMIT_USER_JOB_BYTES) &&
	       nnaccel_charge_is_fair(user->queues, charge->queues, all->queues,
				      NNACCEL_MAX_QUEUES) &&
	       nnaccel_charge_is_fair(user->contexts, charge->contexts, all->contexts,
				      NNACCEL_MAX_CONTEXTS);
}

/**
 * nnaccel_client_charge() - charge a client and its user
 * @client: account
 * @charge: what to charge
 *
 * Return: 0 or -ENOSPC.
 */
int nnaccel_client_charge(struct nnaccel_client *client, const struct nnaccel_charge *charge)
{
	int ret = -ENOSPC;

	spin_lock(&client->ndev->account.lock);
	if (nnaccel_client_has_room_locked(client, charge)) {
		nnaccel_charge_add(&client->has, charge);
		nnaccel_charge_add(&client->user->has, charge);
		nnaccel_charge_add(&client->ndev->account.has, charge);
		ret = 0;
	}
	spin_unlock(&client->ndev->account.lock);
	return ret;
}
EXPORT_SYMBOL_GPL(nnaccel_client_charge);

/**
 * nnaccel_client_uncharge() - undo a charge; process context
 * @client: account
 * @charge: as charged
 */
void nnaccel_client_uncharge(struct nnaccel_client *client, const struct nnaccel_charge *charge)
{
	spin_lock(&client->ndev->account.lock);
	nnaccel_charge_sub(&client->has, charge);
	nnaccel_charge_sub(&client->user->has, charge);
	nnaccel_charge_sub(&client->ndev->account.has, charge);
	spin_unlock(&client->ndev->account.lock);
}
EXPORT_SYMBOL_GPL(nnaccel_client_uncharge);

/**
 * nnaccel_client_usage() - report what counts against the limits
 * @client: account
 * @usage: filled in
 */
void nnaccel_client_usage(struct nnaccel_client *client, struct drm_nnaccel_usage *usage)
{
	spin_lock(&client->ndev->account.lock);
	*usage = (struct drm_nnaccel_usage) {
		.bytes = client->has.bytes,
		.job_bytes = client->has.job_bytes,
		.user_bytes = client->user->has.bytes,
		.user_job_bytes = client->user->has.job_bytes,
		.bos = client->has.bos,
		.handles = client->has.handles,
		.queues = client->has.queues,
		.user_queues = client->user->has.queues,
		.jobs = client->has.jobs,
	};
	spin_unlock(&client->ndev->account.lock);
}

/**
 * nnaccel_client_show() - print the use of the limits, and the counters of the file, for fdinfo
 * @client: account
 * @p: destination
 */
void nnaccel_client_show(struct nnaccel_client *client, struct drm_printer *p)
{
	struct drm_nnaccel_usage usage;

	nnaccel_client_usage(client, &usage);
	drm_printf(p, "nnaccel-charged:\t%llu KiB\n", usage.bytes >> 10);
	drm_printf(p, "nnaccel-charged-limit:\t%llu KiB\n", nnaccel_limit_bytes() >> 10);
	drm_printf(p, "nnaccel-bos:\t%u\n", usage.bos);
	drm_printf(p, "nnaccel-handles:\t%u\n", usage.handles);
	drm_printf(p, "nnaccel-bos-limit:\t%u\n", NNACCEL_LIMIT_BOS);
	drm_printf(p, "nnaccel-queues:\t%u\n", usage.queues);
	drm_printf(p, "nnaccel-queues-limit:\t%u\n", NNACCEL_LIMIT_QUEUES);
	drm_printf(p, "nnaccel-jobs:\t%u\n", usage.jobs);
	drm_printf(p, "nnaccel-job-memory:\t%llu KiB\n", usage.job_bytes >> 10);
	drm_printf(p, "nnaccel-job-memory-limit:\t%llu KiB\n", NNACCEL_LIMIT_JOB_BYTES >> 10);
	drm_printf(p, "nnaccel-jobs-submitted:\t%lld\n",
		   atomic64_read(&client->stats.submitted));
	drm_printf(p, "nnaccel-jobs-completed:\t%lld\n",
		   atomic64_read(&client->stats.completed));
	drm_printf(p, "nnaccel-jobs-failed:\t%lld\n", atomic64_read(&client->stats.failed));
	drm_printf(p, "nnaccel-jobs-innocent:\t%lld\n", atomic64_read(&client->stats.innocent));
	drm_printf(p, "nnaccel-refused:\t%lld\n", atomic64_read(&client->stats.refused));
}

/**
 * nnaccel_account_bytes() - bytes of buffers and page tables of all clients
 * @ndev: device
 *
 * Return: the sum.
 */
u64 nnaccel_account_bytes(struct nnaccel_device *ndev)
{
	u64 bytes;

	spin_lock(&ndev->account.lock);
	bytes = ndev->account.has.bytes;
	spin_unlock(&ndev->account.lock);
	return bytes;
}
