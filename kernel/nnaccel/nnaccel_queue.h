/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_QUEUE_H_
#define _NNACCEL_QUEUE_H_

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/hrtimer.h>
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
struct nnaccel_client;
struct nnaccel_device;
struct nnaccel_file;
struct nnaccel_sched_job;
struct nnaccel_vm;
struct vm_area_struct;

/**
 * struct nnaccel_status_page - memory of a status page: the queue and every mapping hold a
 * reference
 */
struct nnaccel_status_page {
	/** @ref: reference count */
	struct kref ref;
	/** @entries: %NNACCEL_STATUS_ENTRIES entries, from vmalloc_user() */
	struct drm_nnaccel_status_entry *entries;
};

/*
 * Status pages are mapped at NNACCEL_STATUS_OFFSET + id * NNACCEL_STATUS_STRIDE: above every GEM
 * offset, which end 1 TiB above 4 GiB (drm_vma_manager.h), and below the 2^32 pages that mmap2 of a
 * 32-bit process can say.
 */
#define NNACCEL_STATUS_OFFSET	BIT_ULL(42)
#define NNACCEL_STATUS_STRIDE	BIT_ULL(20)

/**
 * enum nnaccel_queue_state - what the card knows of a queue
 *
 * Whether SUBMIT takes jobs is another matter (nnaccel_queue.health and .dead), and whether a job's
 * fence has ended a third one.
 *
 * Legal transitions, all others are warned of (nnaccel_queue_set_state()):
 *
 *   DETACHED -> SHUT      QUEUE_CREATE is sent
 *   SHUT     -> ATTACHED  and acknowledged
 *   SHUT     -> DETACHED  refused; QUEUE_DESTROY acknowledged; or the card is dead for sure
 *   ATTACHED -> SHUT      the card is taken down; QUEUE_DESTROY is sent; the device is unplugged
 */
enum nnaccel_queue_state {
	/** @NNACCEL_QUEUE_DETACHED: the card does not know it; its memory is ours alone */
	NNACCEL_QUEUE_DETACHED,
	/** @NNACCEL_QUEUE_SHUT: the card may know it, so its memory stays, but gets no jobs */
	NNACCEL_QUEUE_SHUT,
	/** @NNACCEL_QUEUE_ATTACHED: jobs that are ready go to the card */
	NNACCEL_QUEUE_ATTACHED,
	/* private: */
	NNACCEL_QUEUE_NUM_STATES,
};

/**
 * struct nnaccel_queue - a queue: one ring, one scheduler
 *
 * A reference each is held by the file's table, every job, and, while it is in
 * nnaccel_device.queues, by the device: the ring's memory outlives what the card knows of it.
 *
 * @jobs is the private job table: all jobs that are not DONE, in order. States move on in order,
 * too: no job is further than one before it, but for those that were ended early. What the card
 * says is only believed if it is about the oldest job that is on the card.
 */
struct nnaccel_queue {
	/** @ref: reference count */
	struct kref ref;
	/** @ndev: device, with a reference */
	struct nnaccel_device *ndev;
	/** @vm: address space, with a reference */
	struct nnaccel_vm *vm;
	/** @client: who pays, with a reference */
	struct nnaccel_client *client;
	/** @id: id in the file */
	u32 id;
	/** @hw_id: id on the device */
	u32 hw_id;
	/** @priority: enum drm_nnaccel_priority */
	u32 priority;
	/** @client_id: of the file, for tracing */
	u64 client_id;
	/** @allocated: jobs that are not freed */
	atomic_t allocated;

	/** @submit_lock: protects @last_seqno; order of arm and push */
	struct mutex submit_lock;
	/** @last_seqno: number of the last job accepted */
	u64 last_seqno;

	/** @lock: protects the fields up to @status, and @state */
	spinlock_t lock;
	/** @jobs: jobs that are not DONE, in order */
	struct list_head jobs;
	/** @num_live: entries of @jobs whose fence has not signalled */
	u32 num_live;
	/**
	 * @num_unbounded: those of them whose end may be far: what comes after them stays out of
	 * implicit sync
	 */
	u32 num_unbounded;
	/** @num_ready: entries of @jobs that are READY */
	u32 num_ready;
	/** @health: enum drm_nnaccel_queue_health */
	u32 health;
	/** @innocent: jobs lost through no fault of this queue */
	u32 innocent;
	/** @dead: destroyed: takes no jobs */
	bool dead;
	/** @direct_slots: slots of the ring that jobs hold which did not come through drm_sched */
	u32 direct_slots;
	/** @hung: its oldest job holds an engine and did not answer an abort */
	bool hung;
	/** @fault_addr: address of the fault that banned it */
	u64 fault_addr;
	/** @watch_ns: CLOCK_MONOTONIC that @watch_timer is armed for; U64_MAX: not armed */
	u64 watch_ns;
	/** @ring: its ring; touched while ATTACHED, or by who changes the state */
	struct nnaccel_ring ring;
	/** @status: status page */
	struct nnaccel_status_page *status;

	/**
	 * @state: enum nnaccel_queue_state; changed under topo_lock and @lock, so that either is
	 * enough to read it
	 */
	u32 state;
	/** @link: in nnaccel_device.queues; protected by topo_lock, as the next one */
	struct list_head link;
	/** @charged: counts as a queue for @client */
	bool charged;

	/** @fence_context: of the fences of jobs without a deadline, which end in order */
	u64 fence_context;
	/** @retire_context: of the fences that tell drm_sched that jobs are off the card */
	u64 retire_context;
	/** @sched: scheduler of this queue alone; its fences never leave the driver */
	struct drm_gpu_scheduler sched;
	/** @entity: the one entity of @sched */
	struct drm_sched_entity entity;
	/** @name: for @sched */
	char name[24];

	/** @watch_timer: queues @watch_work; see nnaccel_watch.c */
	struct hrtimer watch_timer;
	/** @watch_work: looks at limits and progress while there are jobs */
	struct work_struct watch_work;
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
void nnaccel_queue_shut_locked(struct nnaccel_queue *queue);
void nnaccel_queue_refuse_locked(struct nnaccel_queue *queue);
void nnaccel_queue_card_dead_locked(struct nnaccel_queue *queue, u32 status);
void nnaccel_queue_lost_locked(struct nnaccel_queue *queue, u32 status);
void nnaccel_queue_end_jobs(struct nnaccel_queue *queue, u32 status, bool kill);
void nnaccel_queues_free_rings(struct nnaccel_device *ndev);
void nnaccel_queues_close(struct nnaccel_file *nfile);

struct nnaccel_sched_job *nnaccel_queue_oldest_on_card_locked(struct nnaccel_queue *queue);
bool nnaccel_queue_push_locked(struct nnaccel_queue *queue, struct nnaccel_sched_job *job);
void nnaccel_queue_ring_locked(struct nnaccel_queue *queue);
void nnaccel_queue_set_hung_locked(struct nnaccel_queue *queue, bool hung);
void nnaccel_queue_settle_locked(struct nnaccel_queue *queue);
void nnaccel_queue_ban_locked(struct nnaccel_queue *queue, u32 health);

int nnaccel_queue_mmap(struct nnaccel_file *nfile, struct vm_area_struct *vma);

int nnaccel_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_queue_state(struct drm_device *drm, void *data, struct drm_file *file);
u32 nnaccel_priorities_allowed(void);

#endif
