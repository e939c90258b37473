/* SPDX-License-Identifier: Apache-2.0 */
/* The card: rings, MMU walk, fault modes. */
#ifndef NNACCEL_CARD_H
#define NNACCEL_CARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "nnaccel/nnaccel_mmu.h"
#include "nnaccel/nnaccel_regs.h"
#include "nnaccel/nnaccel_ring.h"
#include "nnfw.h"
#include "nnfw_core.h"

/*
 * host_memory.c: memory of the host by bus address. Any thread. Of a card in a virtual machine it
 * is guest RAM: a mapping of the file that QEMU maps too. Of the emulated device of the running
 * kernel it is the device's node (nnaccel_emu.h), of which each part is mapped when it is needed.
 */
struct host_memory {
	int fd;
	/** Guest RAM; NULL: the node. */
	uint8_t *base;
	uint64_t size;
	/** Bus address of the first byte; not 0: RAM is contiguous from there on (virt of arm64).
	 */
	uint64_t start;
	/** Else bytes from bus address 0 up; the remaining ones are at 4 GiB and above (q35). */
	uint64_t low;
};

/** The node is memory of the host: this process becomes the card. 0 or -errno. */
int host_memory_claim(struct host_memory *memory, int node);
/** Pointer to [@bus, @bus + @len), or NULL; returned by host_memory_put(). */
void *host_memory_get(const struct host_memory *memory, uint64_t bus, uint64_t len);
void host_memory_put(const struct host_memory *memory, void *ptr, uint64_t bus, uint64_t len);
/** Whether an address space can be at the bus address @root. */
bool host_memory_has_root(const struct host_memory *memory, uint64_t root);
/**
 * Whether the node has all of [@bus, @bus + @len). -EFAULT with *@fault the first address that it
 * has not.
 */
int host_memory_check(const struct host_memory *memory, uint64_t bus, uint64_t len, bool write,
		      uint64_t *fault);

/** Bytes below 4 GiB of @size bytes of RAM on q35. */
uint64_t host_memory_ram_low(uint64_t size);
/** Map @size bytes of @fd; @start as above; @low 0: q35's own rule. 0 or -errno. */
int host_memory_map_ram(struct host_memory *memory, int fd, uint64_t size, uint64_t start,
			uint64_t low);
void host_memory_unmap(struct host_memory *memory);
/** File offset of [@bus, @bus + @len), len > 0. 0, or -EFAULT if any byte of it is not RAM. */
int host_memory_ram_offset(const struct host_memory *memory, uint64_t bus, uint64_t len,
			   uint64_t *offset);
/** Pointer to [@bus, @bus + @len), or NULL. */
void *host_memory_ram_ptr(const struct host_memory *memory, uint64_t bus, uint64_t len);

/* ring.c: one ring of the host. */

/**
 * One ring: its address, and the card's private index, which the host cannot change.
 */
struct ring {
	struct nnaccel_ring_ctl *ctl;
	uint8_t *slot0;
	const struct host_memory *memory;
	uint64_t bus, size; /* of ctl and slots */
	uint32_t slots;
	uint32_t index; /* consumer: head; producer: tail */
};

/**
 * Take over the ring at bus address @bus with the indices that the host has set: at most @slots are
 * filled. -EINVAL: invalid size, address or indices.
 */
int ring_open(struct ring *ring, const struct host_memory *memory, uint64_t bus, uint64_t slots,
	      bool producer);
/** The ring is not used any more. */
void ring_close(struct ring *ring);
/** Consumer: number of filled slots. -EPROTO: more than the ring has. */
int ring_filled(const struct ring *ring, uint32_t *filled);
/** Consumer: a private copy of the slot @ahead of the head. */
void ring_peek(const struct ring *ring, uint32_t ahead, void *slot);
/** Consumer: return @slots slots to the host. */
void ring_consume(struct ring *ring, uint32_t slots);

/* completion.c: the completion ring: opening, closing, room. */

struct completion_ring {
	pthread_mutex_t lock;
	pthread_cond_t room;
	bool open;
	struct ring ring;
};

void completion_ring_init(struct completion_ring *cq);
/** 0 or -EINVAL, as ring_open(). */
int completion_ring_open(struct completion_ring *cq, const struct host_memory *memory, uint64_t bus,
			 uint32_t slots);
/** No completion is posted any more; threads that wait for room give up. */
void completion_ring_close(struct completion_ring *cq);
/** The host says that it made room. */
void completion_ring_room(struct completion_ring *cq);

/* fault.c: the state of a fault mode. */

/** An active fault mode: the count of jobs, and the job that it applies to, the victim. */
struct fault {
	struct fault_spec spec;
	int fired_fd; /* tells the slot that it fired */
	atomic_uint_fast64_t jobs; /* taken since the start */
	atomic_bool armed; /* the victim is on the device and the fault has not fired */
	atomic_uint victim_queue;
	atomic_uint_fast64_t victim_seqno;
	atomic_uint_fast64_t extra_progress; /* SLOW: progress that the board adds */
	atomic_bool heartbeat_stopped;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/*
	 * Under lock; HANG_ABORTABLE, SLOW: status of the victim once it was cancelled, else OK.
	 */
	uint32_t released;
};

void fault_init(struct fault *fault, const struct fault_spec *spec, int fired_fd);
/** Faults at the start of the card, whose registers are cleared: EARLY_DEATH, SLOW_START. */
void fault_boot(struct fault *fault);
/** The contract version that the card announces. OTHER_CONTRACT: of the next major number. */
uint32_t fault_contract_version(struct fault *fault);
/** Count a job that was taken from a ring. */
void fault_job_taken(struct fault *fault, uint32_t queue, uint64_t seqno);
/** On an ABORT. ACK_EARLY: time until which the queue ignores its ring, else 0. */
uint64_t fault_deaf_until(struct fault *fault);
/** On QUEUE_CREATE. REFUSE_QUEUES: true if the context has a queue. */
bool fault_refuses_queue(struct fault *fault, bool has_queue);
/** On an ABORT of a job, or the end of a queue (@seqno 0). */
void fault_aborted(struct fault *fault, uint32_t queue, uint64_t seqno);

/* mmu.c: maps of device address ranges, by context. Any thread. */

struct dma_entry;
struct dma_wait;

#define MMU_HASH 64u
/** Most cached ranges of one context. */
#define MMU_CACHE_MAX 1024u

/** One address space. */
struct mmu_ctx {
	pthread_mutex_t lock;
	bool open;
	uint64_t root;
	/** Ranges that new maps may use, by first page. */
	struct dma_entry *hash[MMU_HASH];
	uint32_t cached;
	/**
	 * Ranges in use that new maps must not use (invalidated, or a bounce copy).
	 */
	struct dma_entry *leaving;
	/** Invalidations that wait for ranges in leaving, oldest first. */
	struct dma_wait *waits;
	uint64_t epoch;
	uint64_t uses;
};

struct mmu {
	const struct host_memory *memory;
	struct mmu_ctx ctx[NNACCEL_MAX_CONTEXTS];
	/**
	 * Limit of mmap pieces over all windows (the kernel limits maps per process), and those in
	 * use.
	 */
	uint32_t piece_limit;
	uint32_t pieces;
	/** Called when a pending invalidation is complete; no lock is held. */
	void (*invalidated)(void *priv, uint32_t id);
	void *priv;
};

#define MMU_PIECES_DEFAULT 24576u

void mmu_init(struct mmu *mmu, const struct host_memory *memory, uint32_t piece_limit,
	      void (*invalidated)(void *priv, uint32_t id), void *priv);
void mmu_destroy(struct mmu *mmu);

/** -EEXIST, -EINVAL (root is not a page of RAM). */
int mmu_open(struct mmu *mmu, uint32_t context, uint64_t root);
/** No map of the context may be held. -ENOENT. */
int mmu_close(struct mmu *mmu, uint32_t context);

/**
 * Invalidate translations of [@va, @va + @size). 0: done, no old translation is in use. 1: some
 * are; invalidated(@id) follows. -ENOENT, -EINVAL (range), -ENOMEM.
 */
int mmu_invalidate(struct mmu *mmu, uint32_t context, uint64_t va, uint64_t size, uint32_t id);

/** The platform's dma_map and dma_unmap (nnfw.h). -EFAULT also if the context is not open. */
int mmu_map(struct mmu *mmu, uint32_t context, uint64_t addr, uint64_t len, bool write,
	    struct nnfw_map *map, uint64_t *fault);
void mmu_unmap(struct mmu *mmu, uint32_t context, struct nnfw_map *map, bool commit);

/*
 * telemetry.c: temperature, power and clock of the emulated silicon, modelled from its load. It
 * takes 0.5 W idle and 5 W with all engines busy, is 8 K above 35 degrees Celsius for each watt,
 * with a time constant of 5 s, and has a clock of 1000 MHz while a job runs, else 200 MHz.
 */

#define TELEMETRY_MAX_CLOCK_MHZ 1000u

struct telemetry {
	uint64_t at_ns, busy_ns; /* at the last update */
	double temperature; /* degrees Celsius */
	double power; /* W */
	uint32_t clock_mhz;
};

/** An idle card at @now_ns. */
void telemetry_init(struct telemetry *t, uint64_t now_ns);

/**
 * telemetry_update() - go on to @now_ns
 * @t: telemetry
 * @now_ns: of the card's clock
 * @busy_ns: time for which jobs have held engines, of those that have given them up
 * @running: jobs that hold one now
 * @engines: number of engines
 */
void telemetry_update(struct telemetry *t, uint64_t now_ns, uint64_t busy_ns, uint32_t running,
		      uint32_t engines);

/*
 * card.c: the card: firmware/core behind the device contract.
 *
 * Threads: main (handshake and admin ring), two for submissions (queue rings), service (heartbeat,
 * room in the completion ring), and the core's workers. All of them sleep in poll(), epoll_wait()
 * or on a condition. All but service may wait for room in the completion ring; service receives
 * that doorbell.
 *
 * A submit thread runs the jobs that it has taken, because small ones are over sooner than another
 * thread wakes. Meanwhile the other one takes jobs and leaves them to the core: rings are served
 * however long a job runs. A doorbell wakes one of the two.
 *
 * Lock order: queue_ring.lock, then completion_ring.lock. card_fail() takes the latter; its callers
 * must not hold it.
 */

/** Jobs of one queue in the core; others wait in the ring. */
#define CARD_QUEUE_DEPTH 256u
#define CARD_HEARTBEAT_MS 100
#define CARD_RING_THREADS 2u
#define CARD_DEAF_ABORTS 64u

/** Engine time of the first job of a queue. Used by the thread that holds the queue. */
struct queue_turn {
	uint64_t seqno, run_ns, since_ns;
	bool on;
};

struct queue_ring {
	pthread_mutex_t lock;
	/* Written by the main thread under lock; other fields are accessed under lock. */
	atomic_bool open;
	uint32_t context;
	struct ring ring;
	uint64_t last_seqno;
	uint64_t counted_seqno; /* last job counted by fault_job_taken() */
	/* Jobs in the core; throttled: the ring has more, and a completion must kick. */
	atomic_uint inflight;
	atomic_bool throttled;
	struct queue_turn turn;
	/* ACK_EARLY: time until which no slot is freed, and jobs aborted meanwhile. */
	uint64_t deaf_until_ns;
	uint64_t deaf_aborts[CARD_DEAF_ABORTS];
	uint32_t num_deaf_aborts;
};

struct card {
	struct nnaccel_regs *regs;
	struct host_memory memory;
	struct mmu mmu;
	int doorbell[NNACCEL_NUM_DOORBELLS];
	int irq[NNACCEL_NUM_IRQS]; /* eventfds; emulated: the node */
	bool emulated; /* of the running kernel, not of a virtual machine */
	int kick; /* eventfd: there is work for a submit thread without a doorbell */
	int ring_epoll[CARD_RING_THREADS]; /* what each submit thread waits with */
	atomic_uint ring_threads; /* submit threads that have started */
	atomic_bool runner; /* a submit thread runs jobs */
	uint32_t generation;
	bool queue_time; /* CAP_QUEUE_TIME */
	struct nnfw_config config;

	/*
	 * Created before the rings are taken, destroyed when the host takes them back. Users hold
	 * fw_lock or the lock of an open queue, are the main thread, or have called
	 * nnfw_work_begin() under fw_lock.
	 */
	pthread_mutex_t fw_lock;
	struct nnfw *fw;

	/* Rings are served. Cleared for ever by card_fail() and by the host. */
	atomic_bool serving;
	atomic_bool failed;
	/*
	 * A job waits in its ring for memory of the core or because of a fault: service kicks.
	 */
	atomic_bool retry;
	struct ring admin; /* main thread */
	struct completion_ring cq;
	struct queue_ring queues[NNACCEL_MAX_QUEUES];
	/* Of all jobs: time on engines, of those that have given them up; those that hold one. */
	atomic_uint_fast64_t busy_ns;
	atomic_uint running;
	struct telemetry telemetry; /* service thread */
	struct fault fault;
	uint8_t opset[NNACCEL_OPSET_MAX_SIZE];
	size_t opset_size;
};

/**
 * Set fw_state FAILED and stop serving rings. Any thread; of the card's locks only a queue's may be
 * held.
 */
void card_fail(struct card *card, enum nnaccel_fw_error error);
void card_raise(struct card *card, enum nnaccel_irq vector);
/** Write fw_state and tell the host. */
void card_set_state(struct card *card, enum nnaccel_fw_state state);
/** Store the core's counters into the registers. */
void card_update_stats(struct card *card);
/** Store temperature, power and clock. Service thread. */
void card_update_telemetry(struct card *card);
/**
 * Wait for one of two eventfds for at most @timeout_ms (-1: no limit). True: rung, and cleared.
 */
bool card_wait(int eventfd, int other, int timeout_ms);

/* Posting completions. */

/** Post a completion (host byte order); waits for room. Dropped when the ring is closed. */
void cq_post(struct card *card, const struct nnaccel_completion *c);
/** Acknowledge an admin command. */
void cq_post_admin(struct card *card, uint32_t id, uint32_t status, uint64_t value);
/** Fault mode nonsense=bad-tail: publish a tail outside of the ring. */
void cq_break_tail(struct card *card);

/* queue_regs.c: registers of a queue. */

/** Clear the registers of a new queue. */
void queue_regs_clear(struct card *card, uint32_t queue);
/** A job begins, unless it has begun. */
void queue_regs_begin(struct card *card, uint32_t queue, uint64_t seqno);
/** A job takes an engine, or gives it up. */
void queue_regs_turn(struct card *card, uint32_t queue, uint64_t seqno, bool on);
/** Update the engine time of the running job. */
void queue_regs_touch(struct card *card, uint32_t queue);
/** Engine time of a job; 0 if it has not begun. */
uint64_t queue_regs_run_ns(const struct card *card, uint32_t queue, uint64_t seqno);

/* fault.c: a fault mode strikes. */

/**
 * On progress of the core; does not return if the job is made to hang. Returns the value for the
 * register.
 */
uint64_t fault_progress(struct card *card, uint32_t queue, uint64_t progress, uint64_t seqno);
/** On a completion of the core. True: the fault has posted it. */
bool fault_complete(struct card *card, struct nnaccel_completion *c);

/* queue_rings.c: queue rings. */

void queues_init(struct card *card);
/** -EEXIST, -EINVAL, -ENOMEM. */
int queues_create(struct card *card, uint32_t queue, uint32_t context, uint64_t bus, uint64_t slots,
		  uint64_t priority);
/** All jobs, in the core or in the ring, get their completion first. -ENOENT. */
int queues_destroy(struct card *card, uint32_t queue);
/** Destroy the queues of a context. */
void queues_destroy_context(struct card *card, uint32_t context);
/** Take all jobs from the ring, then abort the job in the core. */
int queues_abort(struct card *card, uint32_t queue, uint64_t seqno);
/** Close all queues, without telling the core. */
void queues_close_all(struct card *card);
/** Handle a completion of the core. */
void queues_complete(struct card *card, const struct nnaccel_completion *c);
/** Before the threads of queues_run() start. 0 or -errno. */
int queues_watch(struct card *card);
/** Body of the CARD_RING_THREADS submit threads. */
void *queues_run(void *card) __attribute__((noreturn));

/* admin.c: the admin ring. */

/** Serve what the admin ring holds. */
void admin_serve(struct card *card);

/* mmu_walk.c: walks of the page tables of the host. Any thread. */

/** Device addresses that are contiguous in the RAM file. */
struct mmu_extent {
	uint64_t offset;
	uint64_t pages;
};

/** The extents of a range, in order. */
struct mmu_extents {
	struct mmu_extent *extents;
	uint32_t count, room;
	struct mmu_extent few[8];
};

/**
 * Walk the tables at bus address @root for @pages pages from @va (page aligned). Each entry is read
 * once; every address in it is checked against RAM. 0 with @extents (free with mmu_extents_free());
 * -EFAULT with *@fault the first page that is not mapped, or not writable when @write; -ENOMEM.
 */
int mmu_walk(const struct host_memory *memory, uint64_t root, uint64_t va, uint64_t pages,
	     bool write, struct mmu_extents *extents, uint64_t *fault);
void mmu_extents_free(struct mmu_extents *extents);

#endif
