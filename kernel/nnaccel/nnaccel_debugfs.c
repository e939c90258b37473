// SPDX-License-Identifier: GPL-2.0-only

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <drm/drm_debugfs.h>

#include "nnaccel_report.h"
#include "nnaccel_device.h"
#include "nnaccel_fw.h"
#include "nnaccel_gem.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pm.h"
#include "nnaccel_queue.h"

static struct nnaccel_device *nnaccel_debugfs_device(struct seq_file *m)
{
	struct drm_debugfs_entry *entry = m->private;

	return to_nnaccel_device(entry->dev);
}

static int nnaccel_debugfs_state(struct seq_file *m, void *unused)
{
	struct nnaccel_device *ndev = nnaccel_debugfs_device(m);

	seq_printf(m, "state: %s\n", nnaccel_state_name(READ_ONCE(ndev->state)));
	seq_printf(m, "backend: %s\n", ndev->hw->name);
	seq_printf(m, "generation: %u\n", READ_ONCE(ndev->generation));
	seq_printf(m, "memory kept from the card: %s\n",
		   READ_ONCE(ndev->card_unsafe) ? "yes" : "no");
	mutex_lock(&ndev->fw_lock);
	seq_printf(m, "name: %s\n", ndev->fw.name);
	seq_printf(m, "firmware: %u.%u.%u, contract %u.%u, opset %u\n", ndev->fw.fw_version >> 16,
		   ndev->fw.fw_version >> 8 & 0xff, ndev->fw.fw_version & 0xff,
		   ndev->fw.contract_version >> 16, ndev->fw.contract_version & 0xffff,
		   ndev->fw.opset_version);
	mutex_unlock(&ndev->fw_lock);
	return 0;
}

static int nnaccel_debugfs_queues(struct seq_file *m, void *unused)
{
	static const char * const queue_states[] = { "detached", "shut", "attached" };
	static const char * const job_states[] = { "waiting", "ready", "on-card", "done" };
	struct nnaccel_device *ndev = nnaccel_debugfs_device(m);
	struct nnaccel_sched_job *job;
	struct nnaccel_queue *queue;

	mutex_lock(&ndev->topo_lock);
	list_for_each_entry(queue, &ndev->queues, link) {
		spin_lock_irq(&queue->lock);
		seq_printf(m, "%u: %s context %u priority %u %s%s%s jobs %u last %llu health %u innocent %u",
			   queue->hw_id, queue->name, queue->vm->ctx, queue->priority,
			   queue_states[queue->state], queue->dead ? " dead" : "",
			   queue->hung ? " hung" : "", queue->num_live, queue->last_seqno,
			   queue->health, queue->innocent);
		job = list_first_entry_or_null(&queue->jobs, struct nnaccel_sched_job, link);
		if (job)
			seq_printf(m, " oldest %llu %s%s%s", job->seqno, job_states[job->state],
				   job->begun ? " begun" : "", job->ended ? " ended" : "");
		seq_puts(m, "\n");
		spin_unlock_irq(&queue->lock);
	}
	mutex_unlock(&ndev->topo_lock);
	return 0;
}

static int nnaccel_debugfs_bos(struct seq_file *m, void *unused)
{
	nnaccel_bos_show(nnaccel_debugfs_device(m), m);
	return 0;
}

static int nnaccel_debugfs_counters(struct seq_file *m, void *unused)
{
	struct nnaccel_device *ndev = nnaccel_debugfs_device(m);
	struct nnaccel_fw_counters fw;

	nnaccel_fw_get_counters(ndev, &fw);
#define SHOW(name) seq_printf(m, #name ": %lld\n", atomic64_read(&ndev->counters.name))
	SHOW(jobs_submitted);
	SHOW(jobs_completed);
	SHOW(jobs_failed);
	SHOW(interrupts);
	SHOW(doorbells);
	SHOW(aborts);
	SHOW(resets);
	SHOW(links_lost);
	SHOW(bytes_synced);
#undef SHOW
	seq_printf(m, "pages_purgeable: %ld\n", atomic_long_read(&ndev->shrink.pages));
	seq_printf(m, "pages_purged: %lld\n", atomic64_read(&ndev->shrink.purged));
	seq_printf(m, "bytes_direct: %llu\n", fw.bytes_direct);
	seq_printf(m, "bytes_bounced: %llu\n", fw.bytes_bounced);
	seq_printf(m, "bytes_loaded: %llu\n", fw.bytes_loaded);
	return 0;
}

#define NNACCEL_PINGS		1000u
#define NNACCEL_PINGS_PAUSED	100u
#define NNACCEL_PING_PAUSE_US	3000u

static int nnaccel_debugfs_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/*
 * The lower bound for the latency of a job: doorbell, interrupt, wake-up of one sleeping thread.
 * Compare measured latencies to this one, in the same boot.
 */
static int nnaccel_debugfs_pings(struct seq_file *m, u32 count, u32 pause_us)
{
	struct nnaccel_device *ndev = nnaccel_debugfs_device(m);
	int ret = 0, cookie;
	u64 *ns, start;
	u32 i;

	if (!nnaccel_device_enter(ndev, &cookie))
		return -ENODEV;
	ns = kvzalloc_objs(*ns, count, GFP_KERNEL);
	if (!ns) {
		ret = -ENOMEM;
		goto out;
	}
	ret = nnaccel_pm_get_online(ndev);
	if (ret)
		goto out_free;
	for (i = 0; !ret && i < count; i++) {
		if (pause_us)
			usleep_range(pause_us, pause_us);
		start = ktime_get_ns();
		ret = nnaccel_admin_ping(ndev, NULL);
		ns[i] = ktime_get_ns() - start;
	}
	nnaccel_pm_put(ndev);
	if (!ret) {
		sort(ns, count, sizeof(*ns), nnaccel_debugfs_compare, NULL);
		seq_printf(m, "pings: %u\nmin_ns: %llu\nmedian_ns: %llu\np95_ns: %llu\np99_ns: %llu\n",
			   count, ns[0], ns[count / 2], ns[count / 100 * 95], ns[count / 100 * 99]);
	}
out_free:
	kvfree(ns);
out:
	nnaccel_device_exit(ndev, cookie);
	return ret;
}

static int nnaccel_debugfs_ping(struct seq_file *m, void *unused)
{
	return nnaccel_debugfs_pings(m, NNACCEL_PINGS, 0);
}

/* The same for a client that runs rarely: processors and caches are not warm. */
static int nnaccel_debugfs_ping_paused(struct seq_file *m, void *unused)
{
	return nnaccel_debugfs_pings(m, NNACCEL_PINGS_PAUSED, NNACCEL_PING_PAUSE_US);
}

static const struct drm_debugfs_info nnaccel_debugfs_files[] = {
	{ "state", nnaccel_debugfs_state, 0, NULL },
	{ "queues", nnaccel_debugfs_queues, 0, NULL },
	{ "bos", nnaccel_debugfs_bos, 0, NULL },
	{ "counters", nnaccel_debugfs_counters, 0, NULL },
	{ "ping", nnaccel_debugfs_ping, 0, NULL },
	{ "ping_paused", nnaccel_debugfs_ping_paused, 0, NULL },
};

/**
 * nnaccel_debugfs_init() - add files; before drm_dev_register()
 * @ndev: device
 */
void nnaccel_debugfs_init(struct nnaccel_device *ndev)
{
	drm_debugfs_add_files(&ndev->drm, nnaccel_debugfs_files,
			      ARRAY_SIZE(nnaccel_debugfs_files));
}
