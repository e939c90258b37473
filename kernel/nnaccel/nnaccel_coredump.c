// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core dumps: a snapshot when the card hangs or dies, before it is reset.
 *
 * Recovery is in the fence path and may not allocate. So it writes the snapshot to a buffer that
 * the device has from the beginning, and a worker outside of that path copies it for user space.
 * Until then, and as long as user space has an unread dump of this device (the kernel keeps one for
 * five minutes), later failures are counted only: a client that hangs the card again and again
 * costs memory once.
 */

#include <linux/devcoredump.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include <drm/drm_managed.h>

#include <nnaccel/nnaccel_coredump.h>

#include "nnaccel_report.h"
#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_queue.h"

static_assert(BIT(NNACCEL_TROUBLE_HUNG) == NNACCEL_DUMP_HUNG);
static_assert(BIT(NNACCEL_TROUBLE_PROTOCOL) == NNACCEL_DUMP_PROTOCOL);
static_assert(BIT(NNACCEL_TROUBLE_ADMIN) == NNACCEL_DUMP_ADMIN);
static_assert(BIT(NNACCEL_TROUBLE_HEARTBEAT) == NNACCEL_DUMP_HEARTBEAT);
static_assert(BIT(NNACCEL_TROUBLE_FIRMWARE) == NNACCEL_DUMP_FIRMWARE);
static_assert(BIT(NNACCEL_TROUBLE_BUS) == NNACCEL_DUMP_BUS);
static_assert(BIT(NNACCEL_TROUBLE_IDLE) == NNACCEL_DUMP_IDLE);

static bool nnaccel_coredump = true;
module_param_named(coredump, nnaccel_coredump, bool, 0644);
MODULE_PARM_DESC(coredump, "offer a core dump when the card hangs or dies; it has no data of clients (default Y)");

/* A snapshot that is being written. */
struct nnaccel_dump_writer {
	u8 *data;
	u32 size;
	struct nnaccel_dump_header *header;
	struct nnaccel_dump_section *sections;
	struct nnaccel_dump_section *section;
};

/* The next record, zeroed, or NULL if there is no room. */
static void *nnaccel_dump_record(struct nnaccel_dump_writer *w)
{
	u32 stride = le32_to_cpu(w->section->stride);
	void *record = w->data + w->size;

	if (w->size + stride > NNACCEL_DUMP_MAX_SIZE) {
		w->header->flags |= cpu_to_le32(NNACCEL_DUMP_TRUNCATED);
		return NULL;
	}
	memset(record, 0, stride);
	w->size += stride;
	le32_add_cpu(&w->section->count, 1);
	return record;
}

static void nnaccel_dump_begin(struct nnaccel_dump_writer *w, u32 type, u32 stride)
{
	w->section = &w->sections[le32_to_cpu(w->header->sections)];
	le32_add_cpu(&w->header->sections, 1);
	w->section->type = cpu_to_le32(type);
	w->section->offset = cpu_to_le32(w->size);
	w->section->stride = cpu_to_le32(stride);
	w->section->count = 0;
}

static void nnaccel_dump_device(struct nnaccel_dump_writer *w, struct nnaccel_device *ndev, u64 now)
{
	struct nnaccel_dump_device *d;

	nnaccel_dump_begin(w, NNACCEL_DUMP_DEVICE, sizeof(*d));
	d = nnaccel_dump_record(w);
	if (!d)
		return;
	d->state = cpu_to_le32(nnaccel_state_public(ndev));
	d->link = cpu_to_le32(nnaccel_read32(ndev, link));
	d->fw_error = cpu_to_le32(nnaccel_read32(ndev, fw_error));
	d->host_state = cpu_to_le32(nnaccel_read32(ndev, host_state));
	d->cq_stalled = cpu_to_le32(nnaccel_read32(ndev, cq_stalled));
	d->heartbeat = cpu_to_le64(nnaccel_read64(ndev, heartbeat));
	d->clock_ns = cpu_to_le64(nnaccel_read64(ndev, clock_ns));
	d->jobs_done = cpu_to_le64(nnaccel_read64(ndev, jobs_done));
	/* After them, in this order: as for nnaccel_fw_lost(), these tell whose they are. */
	d->fw_state = cpu_to_le32(nnaccel_read32(ndev, fw_state));
	d->card_generation = cpu_to_le32(nnaccel_read32(ndev, generation));
	d->activity_age_ns = cpu_to_le64(now - READ_ONCE(ndev->activity_ns));

	mutex_lock(&ndev->fw_lock);
	d->fw_version = cpu_to_le32(ndev->fw.fw_version);
	d->contract_version = cpu_to_le32(ndev->fw.contract_version);
	d->opset_version = cpu_to_le32(ndev->fw.opset_version);
	d->caps = cpu_to_le32(ndev->fw.caps);
	d->engines = cpu_to_le32(ndev->fw.engines);
	memcpy(d->name, ndev->fw.name, sizeof(d->name));
	mutex_unlock(&ndev->fw_lock);

	spin_lock_irq(&ndev->cq.lock);
	d->cq_head = cpu_to_le32(ndev->cq.ring.head);
	d->cq_tail = cpu_to_le32(ndev->cq.ring.tail);
	spin_unlock_irq(&ndev->cq.lock);
	spin_lock_irq(&ndev->admin.lock);
	d->admin_head = cpu_to_le32(ndev->admin.ring.head);
	d->admin_tail = cpu_to_le32(ndev->admin.ring.tail);
	spin_unlock_irq(&ndev->admin.lock);

	d->jobs_submitted = cpu_to_le64(atomic64_read(&ndev->counters.jobs_submitted));
	d->jobs_completed = cpu_to_le64(atomic64_read(&ndev->counters.jobs_completed));
	d->jobs_failed = cpu_to_le64(atomic64_read(&ndev->counters.jobs_failed));
	d->aborts = cpu_to_le64(atomic64_read(&ndev->counters.aborts));
	d->resets = cpu_to_le64(atomic64_read(&ndev->counters.resets));
	d->links_lost = cpu_to_le64(atomic64_read(&ndev->counters.links_lost));
}

static void nnaccel_dump_queue(struct nnaccel_dump_writer *w, struct nnaccel_queue *queue)
{
	struct nnaccel_device *ndev = queue->ndev;
	struct nnaccel_dump_queue *q = nnaccel_dump_record(w);
	u32 id = queue->hw_id, flags = 0;

	if (!q)
		return;
	q->card_seqno = cpu_to_le64(nnaccel_read64(ndev, queue[id].seqno));
	q->card_progress = cpu_to_le64(nnaccel_read64(ndev, queue[id].progress));
	q->card_run_ns = cpu_to_le64(nnaccel_read64(ndev, queue_time[id].run_ns));
	if (nnaccel_read32(ndev, queue_time[id].on_engine))
		flags |= NNACCEL_DUMP_QUEUE_ON_ENGINE;

	spin_lock_irq(&queue->lock);
	if (queue->hung)
		flags |= NNACCEL_DUMP_QUEUE_HUNG;
	if (queue->dead)
		flags |= NNACCEL_DUMP_QUEUE_DEAD;
	q->queue = cpu_to_le32(id);
	q->context = cpu_to_le32(queue->vm->ctx);
	q->priority = cpu_to_le32(queue->priority);
	q->state = cpu_to_le32(queue->state);
	q->health = cpu_to_le32(queue->health);
	q->flags = cpu_to_le32(flags);
	q->live = cpu_to_le32(queue->num_live);
	q->innocent = cpu_to_le32(queue->innocent);
	q->ring_head = cpu_to_le32(queue->ring.head);
	q->ring_tail = cpu_to_le32(queue->ring.tail);
	q->client = cpu_to_le64(queue->client_id);
	q->last_seqno = cpu_to_le64(READ_ONCE(queue->last_seqno));
	spin_unlock_irq(&queue->lock);
}

static void nnaccel_dump_job(struct nnaccel_dump_writer *w, struct nnaccel_sched_job *job, u64 now)
{
	struct nnaccel_dump_job *j = nnaccel_dump_record(w);
	u32 flags = 0;

	if (!j)
		return;
	flags |= job->begun ? NNACCEL_DUMP_JOB_BEGUN : 0;
	flags |= job->on_engine ? NNACCEL_DUMP_JOB_ON_ENGINE : 0;
	flags |= job->ended ? NNACCEL_DUMP_JOB_ENDED : 0;
	flags |= job->abort_ns ? NNACCEL_DUMP_JOB_ABORTED : 0;
	flags |= job->abort_acked ? NNACCEL_DUMP_JOB_ACKED : 0;
	flags |= job->direct ? NNACCEL_DUMP_JOB_DIRECT : 0;
	j->queue = cpu_to_le32(job->queue->hw_id);
	j->state = cpu_to_le32(job->state);
	j->flags = cpu_to_le32(flags);
	j->verdict = cpu_to_le32(job->verdict);
	j->num_args = cpu_to_le32(job->num_args);
	j->num_bos = cpu_to_le32(job->num_bos);
	j->seqno = cpu_to_le64(job->seqno);
	j->age_ns = cpu_to_le64(now - job->queued_ns);
	j->card_ns = cpu_to_le64(job->submit_ns ? now - job->submit_ns : 0);
	j->run_ns = cpu_to_le64(job->run_ns);
	j->stall_ns = cpu_to_le64(job->stall_ns);
	j->defy_ns = cpu_to_le64(job->defy_ns);
	j->progress = cpu_to_le64(job->progress);
	j->max_ns = cpu_to_le64(job->max_ns);
	j->program_addr = job->wire.program_addr;
	j->program_size = job->wire.program_size;
}

static void nnaccel_dump_jobs(struct nnaccel_dump_writer *w, struct nnaccel_queue *queue, u64 now)
{
	struct nnaccel_sched_job *job;
	u32 n = 0;

	spin_lock_irq(&queue->lock);
	list_for_each_entry(job, &queue->jobs, link) {
		if (n++ == NNACCEL_DUMP_QUEUE_JOBS) {
			w->header->flags |= cpu_to_le32(NNACCEL_DUMP_TRUNCATED);
			break;
		}
		nnaccel_dump_job(w, job, now);
	}
	spin_unlock_irq(&queue->lock);
}

static void nnaccel_dump_commands(struct nnaccel_dump_writer *w, struct nnaccel_device *ndev)
{
	struct nnaccel_admin *admin = &ndev->admin;
	struct nnaccel_dump_command *c;
	u32 i;

	nnaccel_dump_begin(w, NNACCEL_DUMP_COMMANDS, sizeof(*c));
	spin_lock_irq(&admin->lock);
	for_each_set_bit(i, admin->busy, NNACCEL_ADMIN_ENTRIES) {
		const struct nnaccel_admin_entry *entry = &admin->entry[i];

		c = nnaccel_dump_record(w);
		if (!c)
			break;
		c->id = cpu_to_le32(entry->id);
		c->op = cpu_to_le32(entry->op);
		c->queue = cpu_to_le32(entry->queue);
		c->waited = cpu_to_le32(entry->wait ? 1 : 0);
		c->seqno = cpu_to_le64(entry->seqno);
	}
	spin_unlock_irq(&admin->lock);
}

static u32 nnaccel_dump_write(struct nnaccel_device *ndev, u32 reason)
{
	struct nnaccel_dump_writer w = { .data = ndev->dump.data };
	struct nnaccel_queue *queue;
	u64 now = ktime_get_ns();

	w.header = (void *)w.data;
	w.sections = (void *)(w.header + 1);
	w.size = sizeof(*w.header) + NNACCEL_DUMP_SECTIONS * sizeof(*w.sections);
	memset(w.data, 0, w.size);
	w.header->magic = cpu_to_le32(NNACCEL_DUMP_MAGIC);
	w.header->version = cpu_to_le32(NNACCEL_DUMP_VERSION);
	w.header->header_size = cpu_to_le32(sizeof(*w.header));
	w.header->reason = cpu_to_le32(reason);
	w.header->generation = cpu_to_le32(ndev->generation);
	w.header->boot_ns = cpu_to_le64(ktime_get_boottime_ns());
	w.header->number = cpu_to_le64(ndev->dump.number);
#ifdef NNACCEL_VERSION
	strscpy(w.header->driver, NNACCEL_VERSION, sizeof(w.header->driver));
#endif

	nnaccel_dump_device(&w, ndev, now);
	nnaccel_dump_begin(&w, NNACCEL_DUMP_QUEUES, sizeof(struct nnaccel_dump_queue));
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_dump_queue(&w, queue);
	/* Before the jobs, which may fill the rest. */
	nnaccel_dump_commands(&w, ndev);
	nnaccel_dump_begin(&w, NNACCEL_DUMP_JOBS, sizeof(struct nnaccel_dump_job));
	list_for_each_entry(queue, &ndev->queues, link)
		nnaccel_dump_jobs(&w, queue, now);
	w.header->size = cpu_to_le32(w.size);
	return w.size;
}

/**
 * nnaccel_coredump_take_locked() - take a snapshot; topo_lock is held
 * @ndev: device whose registers can be read
 * @reason: NNACCEL_DUMP_HUNG etc.
 */
void nnaccel_coredump_take_locked(struct nnaccel_device *ndev, u32 reason)
{
	u32 size;

	lockdep_assert_held(&ndev->topo_lock);

	/* Acquire: the worker has copied the last one. */
	if (READ_ONCE(nnaccel_coredump) && !smp_load_acquire(&ndev->dump.size)) {
		size = nnaccel_dump_write(ndev, reason);
		/* Release: the snapshot before its size. */
		smp_store_release(&ndev->dump.size, size);
		queue_work(nnaccel_free_wq, &ndev->dump.work);
	}
	ndev->dump.number++;
}

/* Outside of the fence path. */
static void nnaccel_coredump_work(struct work_struct *work)
{
	struct nnaccel_device *ndev = container_of(work, struct nnaccel_device, dump.work);
	/* Pairs with the release in nnaccel_coredump_take_locked(). */
	u32 size = smp_load_acquire(&ndev->dump.size);
	void *copy;

	if (!size)
		return;
	copy = vmalloc(size);
	if (copy) {
		memcpy(copy, ndev->dump.data, size);
		/* Freed by the core, at once if an earlier dump is unread. */
		dev_coredumpv(ndev->drm.dev, copy, size, GFP_KERNEL);
	}
	/* Release: the buffer may be overwritten. */
	smp_store_release(&ndev->dump.size, 0);
}

static void nnaccel_coredump_free(struct drm_device *drm, void *data)
{
	vfree(data);
}

/**
 * nnaccel_coredump_init() - allocate the buffer
 * @ndev: device
 *
 * Return: 0 or -ENOMEM.
 */
int nnaccel_coredump_init(struct nnaccel_device *ndev)
{
	INIT_WORK(&ndev->dump.work, nnaccel_coredump_work);
	ndev->dump.data = vmalloc(NNACCEL_DUMP_MAX_SIZE);
	if (!ndev->dump.data)
		return -ENOMEM;
	return drmm_add_action_or_reset(&ndev->drm, nnaccel_coredump_free, ndev->dump.data);
}

/**
 * nnaccel_coredump_flush() - no snapshot is taken any more: wait for the worker
 * @ndev: device
 */
void nnaccel_coredump_flush(struct nnaccel_device *ndev)
{
	flush_work(&ndev->dump.work);
}
