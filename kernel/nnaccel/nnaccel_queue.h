/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_QUEUE_H_
#define _NNACCEL_QUEUE_H_

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include <drm/nnaccel_accel.h>

#include "nnaccel_ring.h"
#include "nnaccel_shared.h"

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
 * 32-bit process can address.
 */
#define NNACCEL_STATUS_OFFSET	BIT_ULL(42)
#define NNACCEL_STATUS_STRIDE	BIT_ULL(20)

/**
 * enum nnaccel_queue_state - what the card knows of a queue
 *
 * Independent of whether SUBMIT accepts jobs (nnaccel_queue.health and .dead), and of whether the
 * fence of a job has signalled.
 *
 * Legal transitions; nnaccel_queue_set_state() warns of all others:
 *
 *   DETACHED -> SHUT      QUEUE_CREATE is sent
 *   SHUT     -> ATTACHED  QUEUE_CREATE is acknowledged
 *   SHUT     -> DETACHED  QUEUE_CREATE refused, QUEUE_DESTROY acknowledged, or the card is dead
 *   ATTACHED -> SHUT      the card is taken down; QUEUE_DESTROY is sent; the device is unplugged
 */
enum nnaccel_queue_state {
	/** @NNACCEL_QUEUE_DETACHED: the card does not know it and does not access its memory */
	NNACCEL_QUEUE_DETACHED,
	/** @NNACCEL_QUEUE_SHUT: the card may know it, but gets no jobs; its memory stays */
	NNACCEL_QUEUE_SHUT,
	/** @NNACCEL_QUEUE_ATTACHED: READY jobs go to the card */
	NNACCEL_QUEUE_ATTACHED,
	/* private: */
	NNACCEL_QUEUE_NUM_STATES,
};

/**
 * struct nnaccel_queue - a queue: one ring, one scheduler
 *
 * The file's table, every job and, while it is in nnaccel_device.queues, the device hold a
 * reference each: the memory of the ring stays as long as the card knows it.
 *
 * @jobs is the private job table: all jobs that are not DONE, in order. States advance in order
 * too: no job is further than an earlier one, except for jobs that were ended early. Completions
 * are valid only for the oldest job on the card.
 */
struct nnaccel_queue {
	/** @ref: reference count */
	struct kref ref;
	/** @ndev: device, with a reference */
	struct nnaccel_device *ndev;
	/** @vm: address space, with a reference */
	struct nnaccel_vm *vm;
	/** @client: account to charge, with a reference */
	struct nnaccel_client *client;
	/** @id: id in the file */
	u32 id;
	/** @hw_id: id on the device */
	u32 hw_id;
	/** @priority: enum drm_nnaccel_priority */
	u32 priority;
	/** @client_id: id of the DRM file, for tracing */
	u64 client_id;
	/** @allocated: number of jobs that are not freed */
	atomic_t allocated;

	/** @submit_lock: protects @last_seqno and the order of arm and push */
	struct mutex submit_lock;
	/** @last_seqno: number of the last job accepted */
	u64 last_seqno;

	/** @lock: protects the fields down to @status, and @state */
	spinlock_t lock;
	/** @jobs: jobs that are not DONE, in order */
	struct list_head jobs;
	/** @num_live: number of @jobs whose fence has not signalled */
	u32 num_live;
	/**
	 * @num_unbounded: number of these without a bound on their end; later jobs take no part in
	 * implicit sync
	 */
	u32 num_unbounded;
	/** @num_ready: number of @jobs that are READY */
	u32 num_ready;
	/** @num_alone: number of @jobs that end, and whose fences wait for no other to signal */
	u32 num_alone;
	/** @health: enum drm_nnaccel_queue_health */
	u32 health;
	/** @innocent: number of jobs lost without a fault of this queue */
	u32 innocent;
	/** @guilty_seqno: job for which it was banned; 0: none */
	u64 guilty_seqno;
	/** @progress_ns: CLOCK_MONOTONIC time when a job last began, progressed or was completed */
	u64 progress_ns;
	/** @resets_before: nnaccel_device_resets() when the queue was created */
	u64 resets_before;
	/** @dead: the queue was destroyed and accepts no jobs */
	bool dead;
	/** @direct_slots: ring slots held by jobs that bypassed drm_sched */
	u32 direct_slots;
	/** @hung: its oldest job holds an engine and did not answer an abort */
	bool hung;
	/** @fault_addr: address of the fault for which it was banned */
	u64 fault_addr;
	/** @watch_ns: CLOCK_MONOTONIC expiry of @watch_timer; U64_MAX: not armed */
	u64 watch_ns;
	/** @ring: ring of the queue; used while ATTACHED, or by a state transition */
	struct nnaccel_ring ring;
	/** @status: status page */
	struct nnaccel_status_page *status;

	/**
	 * @state: enum nnaccel_queue_state; written under both topo_lock and @lock, read under
	 * either
	 */
	u32 state;
	/** @link: in nnaccel_device.queues; topo_lock protects this and @charged */
	struct list_head link;
	/** @charged: the queue is charged to @client */
	bool charged;

	/** @fence_context: of fences of jobs without a deadline, which signal in order */
	u64 fence_context;
	/** @retire_context: of fences that tell drm_sched that jobs are off the card */
	u64 retire_context;
	/** @sched: scheduler of this queue; its fences are not published */
	struct drm_gpu_scheduler sched;
	/** @entity: the only entity of @sched */
	struct drm_sched_entity entity;
	/** @name: name of @sched */
	char name[24];

	/** @watch_timer: queues @watch_work; see nnaccel_watch.c */
	struct hrtimer watch_timer;
	/** @watch_work: checks limits and progress while there are jobs */
	struct work_struct watch_work;
	/** @free_jobs: jobs without a reference, each with one to the queue */
	struct llist_head free_jobs;
	/** @free_work: frees @free_jobs */
	struct delayed_work free_work;
	/** @release_work: frees the queue outside of its scheduler's work */
	struct work_struct release_work;
};

static inline struct nnaccel_queue *nnaccel_queue_get(struct nnaccel_queue *queue)
{
	kref_get(&queue->ref);
	return queue;
}

static inline void nnaccel_queue_release(struct kref *ref)
{
	struct nnaccel_queue *queue = container_of(ref, struct nnaccel_queue, ref);

	queue_work(nnaccel_free_wq, &queue->release_work);
}

/**
 * nnaccel_queue_put() - drop a reference; any context
 * @queue: queue
 */
static inline void nnaccel_queue_put(struct nnaccel_queue *queue)
{
	kref_put(&queue->ref, nnaccel_queue_release);
}

struct nnaccel_queue *nnaccel_queue_lookup(struct nnaccel_file *nfile, u32 id);

int nnaccel_queue_open_locked(struct nnaccel_queue *queue);
void nnaccel_queue_shut_locked(struct nnaccel_queue *queue);
void nnaccel_queue_refuse_locked(struct nnaccel_queue *queue);
void nnaccel_queue_kept_locked(struct nnaccel_queue *queue);
void nnaccel_queue_card_dead_locked(struct nnaccel_queue *queue, u32 status);
void nnaccel_queue_lost_locked(struct nnaccel_queue *queue, u32 status);
void nnaccel_queue_end_jobs(struct nnaccel_queue *queue, u32 status, bool kill);
void nnaccel_queues_end_jobs(struct nnaccel_device *ndev, u32 status);
void nnaccel_queues_free_rings(struct nnaccel_device *ndev);
void nnaccel_queues_close(struct nnaccel_file *nfile);

bool nnaccel_queue_push_locked(struct nnaccel_queue *queue, struct nnaccel_sched_job *job);

int nnaccel_queue_mmap(struct nnaccel_file *nfile, struct vm_area_struct *vma);

int nnaccel_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int nnaccel_ioctl_queue_state(struct drm_device *drm, void *data, struct drm_file *file);

#endif
