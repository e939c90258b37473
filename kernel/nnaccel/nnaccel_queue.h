/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_QUEUE_H_
#define _NNACCEL_QUEUE_H_

#include <linux/bits.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include <drm/nnaccel_accel.h>

#include "nnaccel_ring.h"

struct drm_device;
struct drm_file;
struct nnaccel_completion;
struct nnaccel_device;
struct nnaccel_file;
struct nnaccel_vm;
struct vm_area_struct;

/**
 * struct nnaccel_status_page - memory of a status page: the queue and every mapping hold a
 * reference
 */
struct nnaccel_status_page {
	struct kref ref;
	/** @entries: %NNACCEL_STATUS_ENTRIES entries, from vmalloc_user() */
	struct drm_nnaccel_status_entry *entries;
};

/*
 * Status pages are mapped at NNACCEL_STATUS_OFFSET + id * NNACCEL_STATUS_STRIDE: above every GEM
 * offset (drm_vma_manager.h) and below what mmap2 of a 32-bit process can say.
 */
#define NNACCEL_STATUS_OFFSET	BIT_ULL(40)
#define NNACCEL_STATUS_STRIDE	BIT_ULL(20)

/**
 * struct nnaccel_queue - a queue: one ring, one scheduler
 *
 * A reference each is held by the file's table, every job, and, while it is in
 * nnaccel_device.queues, by the device: the ring's memory outlives what the card knows of it.
 *
 * @jobs is the private job table: all jobs that have not ended, in order. What the card says is
 * only believed if it is about the oldest job there, and that job is on the card.
 */
struct nnaccel_queue {
	struct kref ref;
	/** @ndev: device, with a reference */
	struct nnaccel_device *ndev;
	/** @vm: address space, with a reference */
	struct nnaccel_vm *vm;
	/** @id: id in the file */
	u32 id;
	/** @hw_id: id on the device */
	u32 hw_id;
	/** @priority: enum drm_nnaccel_priority */
	u32 priority;
	/** @client_id: of the file, for tracing */
	u64 client_id;

	/** @submit_lock: protects @last_seqno; order of arm and push */
	struct mutex submit_lock;
	/** @last_seqno: number of the last job accepted */
	u64 last_seqno;

	/** @lock: protects the fields up to @status */
	spinlock_t lock;
	/** @jobs: jobs that have not ended, in order */
	struct list_head jobs;
	/** @num_jobs: entries of @jobs whose fence has not signalled */
	u32 num_jobs;
	/** @health: enum drm_nnaccel_queue_health */
	u32 health;
	/** @innocent: jobs lost through no fault of this queue */
	u32 innocent;
	/** @dead: destroyed: takes no jobs */
	bool dead;
	/** @direct: jobs may go to the card without drm_sched: it is there and not paused */
	bool direct;
	/** @direct_slots: slots of the ring that such jobs take, at most half of it */
	u32 direct_slots;
	/** @hung: its oldest job did not answer an abort */
	bool hung;
	/** @fault_addr: address of the fault that banned it */
	u64 fault_addr;
	/** @watch_at: jiffies that @watch is armed for, while it is pending */
	unsigned long watch_at;
	/** @ring: its ring */
	struct nnaccel_ring ring;
	/** @status: status page */
	struct nnaccel_status_page *status;

	/** @link: in nnaccel_device.queues; protected by topo_lock, as the next two */
	struct list_head link;
	/** @on_card: the card may know it */
	bool on_card;
	/** @paused: the scheduler stands still */
	bool paused;

	/** @fence_context: of the fences of jobs without a deadline, which end in order */
	u64 fence_context;
	/** @sched: scheduler of this queue alone; its fences never leave the driver */
	struct drm_gpu_scheduler sched;
	/** @entity: the one entity of @sched */
	struct drm_sched_entity entity;
	/** @name: for @sched */
	char name[24];

	/** @watch: looks at deadlines and progress while there are jobs; see nnaccel_watch.c */
	struct delayed_work watch;
	/** @release_work: frees the queue outside of its scheduler's own work */
	struct work_struct release_work;
};

static inline struct nnaccel_queue *nnaccel_queue_get(struct nnaccel_queue *queue)
{
	kref_get(&queue->ref);
	return queue;
}

void nnaccel_queue_put(struct nnaccel_queue *queue);
struct nnaccel_queue *nnaccel_queue_lookup(struct nnaccel_file *nfile, u32 id);

int nnaccel_queue_open_locked(struct nnaccel_queue *queue);
void nnaccel_queue_pause_locked(struct nnaccel_queue *queue);
void nnaccel_queue_resume_locked(struct nnaccel_queue *queue);
void nnaccel_queue_forget_locked(struct nnaccel_queue *queue);
void nnaccel_queues_close(struct nnaccel_file *nfile);

int nnaccel_queue_mmap(struct nnaccel_file *nfile, struct vm_area_struct *vma);

int nnaccel_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_queue_state(struct drm_device *drm, void *data, struct drm_file *file);
u32 nnaccel_priorities_allowed(void);

#endif
