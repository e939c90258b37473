/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_DEVICE_H_
#define _NNACCEL_DEVICE_H_

#include <linux/atomic.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/list_lru.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <drm/nnaccel_accel.h>
#include <nnaccel/nnaccel_mmu.h>
#include <nnaccel/nnaccel_opset.h>
#include <nnaccel/nnaccel_regs.h>
#include <nnaccel/nnaccel_ring.h>
#include <nnaccel/nnaccel_status.h>

#include "nnaccel_account.h"
#include "nnaccel_admin.h"
#include "nnaccel_compat.h"
#include "nnaccel_hw.h"
#include "nnaccel_ring.h"
#include "nnaccel_shared.h"
#include "nnaccel_state.h"
#include "nnaccel_trouble.h"

struct nnaccel_queue;
struct nnaccel_vm;
struct shrinker;

#define NNACCEL_CQ_SLOTS	4096u
/* Half of a queue's ring is for jobs that come through drm_sched, half for jobs that bypass it. */
#define NNACCEL_QUEUE_SLOTS	2048u
#define NNACCEL_SCHED_SLOTS	(NNACCEL_QUEUE_SLOTS / 2)
#define NNACCEL_STATUS_ENTRIES	2048u
#define NNACCEL_STATUS_BYTES	(NNACCEL_STATUS_ENTRIES * sizeof(struct drm_nnaccel_status_entry))

#define NNACCEL_LIMIT_BO_SIZE	BIT_ULL(30)
#define NNACCEL_LIMIT_BYTES	(4ull << 30)
#define NNACCEL_LIMIT_BOS	4096u
#define NNACCEL_LIMIT_QUEUES	16u
/* Half of what the device has, so that one user cannot take all of it. */
#define NNACCEL_LIMIT_USER_QUEUES	(NNACCEL_MAX_QUEUES / 2)
#define NNACCEL_LIMIT_JOBS	64u
#define NNACCEL_LIMIT_JOB_BOS	256u
#define NNACCEL_LIMIT_SYNCS	64u
#define NNACCEL_LIMIT_QUEUED	1024u
/*
 * Jobs of a queue that are not freed: those that are queued, and as many that have ended but are
 * still held by the card or drm_sched.
 */
#define NNACCEL_LIMIT_ALLOCATED	(2 * NNACCEL_LIMIT_QUEUED)

/*
 * Jobs that may run longer than this take no part in implicit sync (the kernel's
 * Documentation/gpu/drm-compute.rst).
 */
#define NNACCEL_RESV_NS		(10ull * NSEC_PER_SEC)

static_assert(NNACCEL_LIMIT_QUEUED <= NNACCEL_STATUS_ENTRIES);

/**
 * struct nnaccel_fw_info - what the firmware reported in its last handshake
 */
struct nnaccel_fw_info {
	/** @contract_version: device contract, major << 16 | minor */
	u32 contract_version;
	/** @fw_version: firmware, major << 16 | minor << 8 | patch */
	u32 fw_version;
	/** @opset_version: operation set */
	u32 opset_version;
	/** @max_args: most arguments of a job, of firmware and driver the smaller number */
	u32 max_args;
	/** @caps: NNACCEL_CAP_ bits */
	u32 caps;
	/** @engines: jobs that can run at the same moment */
	u32 engines;
	/** @program_quota: bytes of programs that it keeps loaded */
	u64 program_quota;
	/** @arena_size: most bytes of a job's temporaries */
	u64 arena_size;
	/** @name: device name, NUL-terminated */
	u8 name[64];
};

/**
 * struct nnaccel_fw_counters - counters that restart at 0 with each firmware
 */
struct nnaccel_fw_counters {
	/** @bytes_direct: bytes used in place */
	u64 bytes_direct;
	/** @bytes_bounced: bytes that were copied */
	u64 bytes_bounced;
	/** @bytes_loaded: bytes of programs loaded */
	u64 bytes_loaded;
};

/**
 * struct nnaccel_device - one accelerator
 *
 * Lock order, outermost first. A name in [] is taken in the fence-signalling path, so nothing that
 * allocates, faults or takes a dma_resv may happen under it.
 *
 *   nnaccel_queue.submit_lock     one SUBMIT at a time per queue: arm and push
 *     dma_resv                    of the BOs of a job
 *   nnaccel_bo.lock               mappings of a BO
 *     dma_resv                    to pin and unpin its pages
 *     dma.lock                    what is mapped for DMA
 *       nnaccel_vm.lock           address space and page tables of one client
 *     shrink.lock                 BOs that reclaim may purge; tries nnaccel_bo.lock
 *   [topo_lock]                   what the card knows; state changes
 *     [fw_lock]                   identification of the firmware
 *     [cq.lock]                   completion ring, queue table
 *       [nnaccel_queue.lock]      job list, status page, ring
 *         [admin.lock]            admin ring
 *         [engine.lock]           time of the engines
 *         [nnaccel_fence.lock]    fences, with their callbacks
 *
 * account.lock, bos.lock and nnaccel_bo.export_lock are innermost spinlocks: their holders do not
 * allocate. clock_lock is taken by a query that holds no other lock. topo_lock nests
 * neither with nnaccel_vm.lock nor with nnaccel_bo.lock nor with submit_lock: its holder waits for
 * answers of the card.
 * Fences of other drivers are inspected with none of these held.
 *
 * State: only the recovery worker (nnaccel_reset.c, ordered) and removal change @state, under
 * topo_lock.
 */
struct nnaccel_device {
	/** @drm: base */
	struct drm_device drm;
	/** @hw: backend; NULL once the device is unbound */
	const struct nnaccel_hw_ops *hw;
	/** @mem: that of the backend; used until the last memory is freed */
	const struct nnaccel_mem_ops *mem;
	/** @vm_ops: the same for address spaces */
	const struct nnaccel_vm_ops *vm_ops;
	/** @hw_priv: the backend's own data */
	void *hw_priv;
	/** @irq: numbers of the two interrupts, for backends that use nnaccel_irq.c */
	struct {
		/** @irq.completion: of NNACCEL_IRQ_COMPLETION */
		int completion;
		/** @irq.event: of NNACCEL_IRQ_EVENT */
		int event;
	} irq;
	/** @regs: register page */
	struct nnaccel_regs __iomem *regs;
	/** @powered: registers may be used; the callbacks of the PM core change it */
	bool powered;
	/** @hwmon: shows temperature and power; NULL: none */
	struct device *hwmon;

	/** @topo_lock: protects @state, @vms, @queues and which of them the card knows */
	struct mutex topo_lock;
	/**
	 * @state: power and link; written by nnaccel_state_set_locked(), read without lock for
	 * information
	 */
	enum nnaccel_state state;
	/** @gone: removal has begun: waits end, nothing new is begun */
	bool gone;
	/** @entered: the sections of nnaccel_device_enter() */
	struct srcu_struct entered;
	/** @generation: of the firmware that @state describes; written under topo_lock */
	u32 generation;
	/** @caps: NNACCEL_CAP_ bits of that firmware; written under topo_lock */
	u32 caps;
	/** @away_ns: CLOCK_MONOTONIC time since which no card takes jobs; 0: one does */
	u64 away_ns;
	/** @state_wq: woken by events and by state changes */
	wait_queue_head_t state_wq;
	/** @vms: address spaces that have a context id */
	struct list_head vms;
	/** @queues: queues that have a queue id */
	struct list_head queues;
	/** @ctx_ids: nnaccel_vm by context id; has its own lock */
	struct xarray ctx_ids;

	/** @cq: completions */
	struct {
		/** @cq.lock: protects the other fields, and the order of completions */
		spinlock_t lock;
		/** @cq.ring: completion ring */
		struct nnaccel_ring ring;
		/** @cq.live: completions are expected and handled */
		bool live;
		/**
		 * @cq.threaded: the interrupt thread is handling a job; the hard handler leaves
		 * the ring alone
		 */
		bool threaded;
		/** @cq.table: queues by queue id */
		struct nnaccel_queue *table[NNACCEL_MAX_QUEUES];
	} cq;

	/** @admin: admin commands */
	struct nnaccel_admin admin;

	/** @submit_wq: drm_sched's work */
	struct workqueue_struct *submit_wq;
	/** @recover_wq: ordered; the recovery worker and nothing else */
	struct workqueue_struct *recover_wq;
	/** @watch_wq: limits of running jobs, heartbeat */
	struct workqueue_struct *watch_wq;

	/** @trouble: enum nnaccel_trouble bits for the recovery worker */
	unsigned long trouble;
	/** @engine: upper limit of the engine time of all jobs together */
	struct {
		/** @engine.lock: protects the other fields */
		spinlock_t lock;
		/** @engine.count: engines */
		u32 count;
		/** @engine.since_ns: CLOCK_MONOTONIC time when the card came up */
		u64 since_ns;
		/** @engine.sum_ns: engine time accounted to jobs since then */
		u64 sum_ns;
		/** @engine.marks: counters.busy_ns at two times, a second apart or more */
		struct {
			u64 at_ns, busy_ns;
		} marks[2];
	} engine;

	/** @account: what users and clients are charged for */
	struct {
		/**
		 * @account.lock: protects the list, @account.has, and every struct nnaccel_charge
		 * of a user or client
		 */
		spinlock_t lock;
		/** @account.has: sum over all users */
		struct nnaccel_charge has;
		/** @account.users: list of struct nnaccel_user */
		struct list_head users;
	} account;

	/** @dma: what is mapped for DMA; unmapped on unbind, whatever references are left */
	struct {
		/** @dma.lock: protects the lists */
		struct mutex lock;
		/** @dma.bos: BOs that are pinned */
		struct list_head bos;
		/** @dma.vms: address spaces */
		struct list_head vms;
	} dma;

	/** @bos: all BOs, for debugfs */
	struct {
		/** @bos.lock: protects the list and the labels */
		spinlock_t lock;
		/** @bos.list: list of struct nnaccel_bo */
		struct list_head list;
	} bos;

	/** @shrink: BOs that reclaim may purge */
	struct {
		/** @shrink.shrinker: as reclaim knows it */
		struct shrinker *shrinker;
		/** @shrink.lru: struct nnaccel_bo, a list for each memory cgroup */
		struct list_lru lru;
		/** @shrink.pages: pages of these BOs */
		atomic_long_t pages;
		/** @shrink.purged: pages that were dropped since the driver was bound */
		atomic64_t purged;
	} shrink;

	/** @num_hung: number of queues whose nnaccel_queue.hung is set */
	atomic_t num_hung;
	/** @recover_work: the recovery worker */
	struct delayed_work recover_work;
	/** @recover_unsettled: consecutive looks at a firmware neither running nor failed */
	u32 recover_unsettled;
	/** @recover_failures: consecutive failed attempts to bring the card up */
	u32 recover_failures;
	/**
	 * @pulled_generation: generation for which the reset line was pulled because its firmware
	 * could not be used
	 */
	u32 pulled_generation;
	/** @reset_away: the card was stopped, and none was seen since; topo_lock */
	bool reset_away;
	/** @stopped: nnaccel_hw_ops.start is due; topo_lock */
	bool stopped;
	/** @card_unsafe: the card did not stop: it may still write */
	bool card_unsafe;

	/** @dump: core dumps */
	struct {
		/** @dump.data: %NNACCEL_DUMP_MAX_SIZE bytes for the snapshot */
		void *data;
		/** @dump.size: bytes of the snapshot; 0: the buffer is free */
		u32 size;
		/** @dump.number: failures so far; topo_lock */
		u64 number;
		/** @dump.work: gives the snapshot to user space */
		struct work_struct work;
	} dump;

	/** @uevents: enum nnaccel_uevent bits to send */
	unsigned long uevents;
	/** @uevent_work: sends them */
	struct work_struct uevent_work;
	/** @failing: the card failed and has not been ONLINE since; topo_lock */
	bool failing;

	/** @heartbeat_work: checks heartbeat, link and generation */
	struct delayed_work heartbeat_work;
	/** @heartbeat: last value read */
	u64 heartbeat;
	/** @heartbeat_at: jiffies when @heartbeat last changed */
	unsigned long heartbeat_at;
	/** @boot_ns: since when the card has been starting (BOOT); 0: it is not; topo_lock */
	u64 boot_ns;
	/** @activity_ns: time when any job last completed, progressed or held an engine */
	u64 activity_ns;

	/** @clock_lock: serialises readings of the card's clock */
	struct mutex clock_lock;

	/** @fw_lock: protects @fw, @opset, @opset_size, @fw_now and @fw_before; innermost mutex */
	struct mutex fw_lock;
	/** @fw: identification */
	struct nnaccel_fw_info fw;
	/** @opset: operation set of the last firmware */
	void *opset;
	/** @opset_size: bytes of @opset; 0 before the first handshake */
	u32 opset_size;
	/** @opset_spare: where recovery checks the next operation set */
	void *opset_spare;
	/** @opset_shared: %NNACCEL_OPSET_MAX_SIZE bytes for the firmware to write it to */
	void *opset_shared;
	/** @opset_addr: address of @opset_shared for the device */
	u64 opset_addr;
	/** @fw_now: counters of this generation, as last read */
	struct nnaccel_fw_counters fw_now;
	/** @fw_before: sums over earlier generations */
	struct nnaccel_fw_counters fw_before;

	/** @counters: see struct drm_nnaccel_counters */
	struct {
		atomic64_t jobs_submitted, jobs_completed, jobs_failed;
		atomic64_t interrupts, doorbells, aborts, resets, links_lost, bytes_synced;
		/* time of all jobs on the engines */
		atomic64_t busy_ns;
	} counters;
};

static inline struct nnaccel_device *to_nnaccel_device(struct drm_device *drm)
{
	return container_of(drm, struct nnaccel_device, drm);
}

/* Of the node that clients open: an accel node, or a render node where the kernel has none. */
static inline struct drm_minor *nnaccel_minor(struct nnaccel_device *ndev)
{
	return ndev->drm.accel ?: ndev->drm.render;
}

/* How often the card was reset, or lost by itself. */
static inline u64 nnaccel_device_resets(struct nnaccel_device *ndev)
{
	return atomic64_read(&ndev->counters.resets) + atomic64_read(&ndev->counters.links_lost);
}

/**
 * struct nnaccel_file - one open file
 */
struct nnaccel_file {
	/** @ndev: device */
	struct nnaccel_device *ndev;
	/** @drm: base */
	struct drm_file *drm;
	/** @vm: address space of the file */
	struct nnaccel_vm *vm;
	/** @client: account of the file, with a reference */
	struct nnaccel_client *client;
	/** @queues: nnaccel_queue by id, with a reference each; has its own lock */
	struct xarray queues;
};

/* Address of a register, named as a member of struct nnaccel_regs. */
#define nnaccel_reg(ndev, field) \
	((void __iomem *)(ndev)->regs + offsetof(struct nnaccel_regs, field))

#define nnaccel_read32(ndev, field)		readl(nnaccel_reg(ndev, field))
#define nnaccel_read64(ndev, field)		readq(nnaccel_reg(ndev, field))
#define nnaccel_write32(ndev, field, value)	writel(value, nnaccel_reg(ndev, field))
#define nnaccel_write64(ndev, field, value)	writeq(value, nnaccel_reg(ndev, field))

static inline void nnaccel_doorbell(struct nnaccel_device *ndev, enum nnaccel_doorbell vector)
{
	atomic64_inc(&ndev->counters.doorbells);
	ndev->hw->doorbell(ndev, vector);
}

/* Memory of zeros that host and device share, with its address @addr for the device; or NULL. */
static inline void *nnaccel_mem_alloc(struct nnaccel_device *ndev, size_t size, u64 *addr)
{
	return ndev->mem->alloc(ndev, size, addr);
}

static inline void nnaccel_mem_free(struct nnaccel_device *ndev, size_t size, void *mem, u64 addr)
{
	ndev->mem->free(ndev, size, mem, addr);
}

extern const struct drm_driver nnaccel_drm_driver;

/**
 * nnaccel_device_enter() - begin a section in which the device stays bound
 * @ndev: device
 * @cookie: for nnaccel_device_exit()
 *
 * For what reads registers or maps memory for DMA. The section may wait for this card, because
 * removal ends such waits. drm_dev_enter() is not for that: drm_dev_unplug() waits for the sections
 * of all DRM devices, so that a card that does not answer would hold up the removal of another one.
 *
 * Return: whether the device is bound; otherwise there is no section.
 */
static inline bool nnaccel_device_enter(struct nnaccel_device *ndev, int *cookie)
{
	*cookie = srcu_read_lock(&ndev->entered);
	if (!READ_ONCE(ndev->gone))
		return true;
	srcu_read_unlock(&ndev->entered, *cookie);
	return false;
}

/**
 * nnaccel_device_exit() - end a section
 * @ndev: device
 * @cookie: of nnaccel_device_enter()
 */
static inline void nnaccel_device_exit(struct nnaccel_device *ndev, int cookie)
{
	srcu_read_unlock(&ndev->entered, cookie);
}

struct nnaccel_device *nnaccel_device_alloc(struct device *parent, const struct nnaccel_hw_ops *hw);
int nnaccel_device_check_regs(struct nnaccel_device *ndev);
int nnaccel_device_init(struct nnaccel_device *ndev);
void nnaccel_device_fini(struct nnaccel_device *ndev);

#endif
