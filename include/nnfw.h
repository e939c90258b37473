/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A firmware as a plugin: what libnnhal's in-process device and the firmware it loads agree on. The
 * firmware knows contexts, queues, jobs and programs; the platform gives it memory, a clock and a
 * place to send completions. firmware/board is the other platform: it is linked with the core.
 *
 * Threads: every function may be called from any thread unless its comment says otherwise. The
 * firmware runs jobs on worker threads of its own, and on threads that wait for one and offer
 * themselves (@run_here). Callbacks of the platform come from those, or from the calling thread
 * where the comment says so. The firmware holds no lock during a callback.
 */
#ifndef NNFW_H
#define NNFW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel/nnaccel_opset.h"
#include "nnaccel/nnaccel_result.h"
#include "nnaccel/nnaccel_ring.h"
#include "nnaccel/nnaccel_status.h"

struct nnfw;

#define NNFW_ABI_VERSION 6u

/** Stack that running a job may take. */
#define NNFW_STACK_BYTES ((size_t)512 << 10)

/*
 * In nnfw_config.flags: a job that has begun keeps its engine until it ends, and checks for an
 * abort between operations only. Tests of hosts use it; it stands for hardware without preemption.
 */
#define NNFW_CONFIG_NO_PREEMPT (1u << 0)
/** For tests of the driver: loops have no limit. */
#define NNFW_CONFIG_NO_LOOP_LIMIT (1u << 1)
/** No program uses AMX, for which the process needs the kernel's permission. */
#define NNFW_CONFIG_NO_AMX (1u << 2)
#define NNFW_CONFIG_FLAGS (NNFW_CONFIG_NO_PREEMPT | NNFW_CONFIG_NO_LOOP_LIMIT | NNFW_CONFIG_NO_AMX)

/**
 * struct nnfw_map - a piece of client memory that a job uses
 *
 * dma_map fills it; dma_unmap gets it back unchanged.
 */
struct nnfw_map {
	/** @ptr: where the firmware reads or writes [addr, addr + len) */
	void *ptr;
	/** @addr: device address */
	uint64_t addr;
	/** @len: bytes */
	uint64_t len;
	/** @write: the firmware may write */
	bool write;
	/** @bounced: @ptr is a private copy, which dma_unmap writes back if @write is set */
	bool bounced;
	/**
	 * @constant: nothing writes to the memory until dma_unmap. A program there is used in
	 * place: its map is held until the program is unloaded, dropped, or its context closed.
	 */
	bool constant;
	/** @priv: the platform's */
	void *priv;
};

/**
 * struct nnfw_platform - functions that the firmware needs from its host
 */
struct nnfw_platform {
	/** @priv: first argument of every function */
	void *priv;
	/**
	 * @dma_map: make [addr, addr + len) of a context accessible until dma_unmap; len is above
	 * 0. Returns 0; -EFAULT, and in fault the first address that is not mapped, or not writable
	 * when write is set; -ENOMEM.
	 */
	int (*dma_map)(void *priv, uint32_t context, uint64_t addr, uint64_t len, bool write,
		       struct nnfw_map *map, uint64_t *fault);
	/**
	 * @dma_unmap: release a map; commit is false when the job failed: no copy is written back
	 */
	void (*dma_unmap)(void *priv, uint32_t context, struct nnfw_map *map, bool commit);
	/** @clock_ns: the device's clock, monotonic */
	uint64_t (*clock_ns)(void *priv);
	/** @complete: a job ended; in the order of its queue, fields in host byte order */
	void (*complete)(void *priv, const struct nnaccel_completion *c);
	/**
	 * @progress: progress counter and running job of a queue. It is called often and must be
	 * cheap. May be NULL.
	 */
	void (*progress)(void *priv, uint32_t queue, uint64_t progress, uint64_t seqno);
	/**
	 * @turn: a job takes an engine (on), or gives it up at its end or until its next turn. The
	 * job begins with the first call: before it the firmware touches no memory of the client
	 * for the job. The job makes no progress between two turns. May be NULL.
	 */
	void (*turn)(void *priv, uint32_t queue, uint64_t seqno, bool on);
	/**
	 * @dma_discard: the firmware reads [from, from + size), whole pages of a map that is
	 * constant, no more, and will not map the program that they belong to again: their memory
	 * may be given back. May be NULL.
	 */
	void (*dma_discard)(void *priv, const struct nnfw_map *map, void *from, size_t size);
};

/**
 * struct nnfw_config - settings of a firmware
 */
struct nnfw_config {
	/** @abi_version: NNFW_ABI_VERSION */
	uint32_t abi_version;
	/** @threads: engines: the number of jobs that run at the same time; 0: 1 */
	uint32_t threads;
	/** @program_quota: bytes of programs over all contexts; 0: 512 MiB */
	uint64_t program_quota;
	/** @arena_limit: bytes of one job's temporaries; 0: 1 GiB */
	uint64_t arena_limit;
	/** @quantum_ns: length of a turn; 0: 2 ms */
	uint64_t quantum_ns;
	/** @generation: copied into completions */
	uint32_t generation;
	/** @flags: NNFW_CONFIG_ bits */
	uint32_t flags;
	/**
	 * @job_threads: threads that one job computes on, if engines are free; no more than there
	 * are processors; 0: as many as engines
	 */
	uint32_t job_threads;
};

/**
 * struct nnfw_need - memory that a program takes
 * @loaded: bytes of the quota that it cannot do without
 * @packed: bytes that operations make of constant inputs; what has no room in the quota is made in
 *          each run, in the run's temporaries
 * @arena: bytes of temporaries of a run, at least: those of subgraphs, and those that depend on the
 *         shapes of a request, are not counted
 */
struct nnfw_need {
	uint64_t loaded, packed, arena;
};

/**
 * struct nnfw_stats - counters of a firmware
 */
struct nnfw_stats {
	/** @jobs_done: jobs that completed */
	uint64_t jobs_done;
	/** @bytes_direct: bytes of arguments used in place */
	uint64_t bytes_direct;
	/** @bytes_bounced: bytes of arguments copied */
	uint64_t bytes_bounced;
	/** @bytes_loaded: bytes of programs that were loaded */
	uint64_t bytes_loaded;
	/** @program_bytes: memory of loaded programs */
	uint64_t program_bytes;
	/** @programs: number of loaded programs */
	uint64_t programs;
};

/**
 * struct nnfw_instructions - a set of instructions that operations are compiled for
 */
struct nnfw_instructions {
	/** @name: for NNACCEL_ISA */
	const char *name;
	/** @usable: processor and operating system have it */
	bool usable;
	/** @used: operations of this process use it; of one set only */
	bool used;
};

/**
 * struct nnfw_plugin - functions of a firmware
 *
 * Functions with a result of type int return 0 or -errno.
 */
struct nnfw_plugin {
	/** @abi_version: NNFW_ABI_VERSION */
	uint32_t abi_version;
	/** @reserved: 0 */
	uint32_t reserved;
	/** @create: make a firmware; the platform is copied */
	int (*create)(const struct nnfw_platform *platform, const struct nnfw_config *config,
		      struct nnfw **fw);
	/**
	 * @destroy: stop the workers. The remaining jobs complete with CANCELED, from the calling
	 * thread.
	 */
	void (*destroy)(struct nnfw *fw);
	/**
	 * @opset: copy at most size bytes of the operation set (struct nnaccel_opset_header and its
	 * entries). Returns its full size.
	 */
	size_t (*opset)(void *buf, size_t size);
	/** @version: major << 16 | minor << 8 | patch */
	uint32_t (*version)(void);
	/** @caps: NNACCEL_CAP_ bits */
	uint32_t (*caps)(void);
	/**
	 * @context_open: open a context. The caller chooses the id, below NNACCEL_MAX_CONTEXTS.
	 * -EEXIST, -EINVAL, -ENOMEM.
	 */
	int (*context_open)(struct nnfw *fw, uint32_t context);
	/**
	 * @context_close: destroy the context's queues and drop its programs. As for
	 * @queue_destroy, this waits for a running operation to stop, the remaining jobs complete
	 * from the calling thread, and no map is held on return. Must not be called from a
	 * callback. -ENOENT.
	 */
	int (*context_close)(struct nnfw *fw, uint32_t context);
	/**
	 * @queue_create: make a queue of a context. The caller chooses the id, below
	 * NNACCEL_MAX_QUEUES. -EEXIST, -ENOENT, -EINVAL, -ENOMEM.
	 */
	int (*queue_create)(struct nnfw *fw, uint32_t queue, uint32_t context, uint32_t priority);
	/** @queue_destroy: end the jobs of a queue and free it, see @context_close. -ENOENT. */
	int (*queue_destroy)(struct nnfw *fw, uint32_t queue);
	/**
	 * @submit: queue a job. Job and arguments (job->num_args) are in host byte order; they are
	 * copied and checked: invalid ones give a completion with BAD_ARGUMENT, not an error.
	 * -ENOENT (no such queue), -ENOMEM.
	 */
	int (*submit)(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
		      const struct nnaccel_arg *args);
	/**
	 * @submit_here: as @submit, for a caller that calls @run_here next: no worker is woken for
	 * the job, though one that is awake may take it.
	 */
	int (*submit_here)(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
			   const struct nnaccel_arg *args);
	/**
	 * @run_here: run the jobs of a queue up to @seqno on the calling thread, whose completions
	 * come from it, as long as there is an engine and no other queue comes first. What is left
	 * is for the workers, also if the queue is not there. So the job may or may not have ended
	 * on return; how long that takes is the job's matter, and that of jobs that preempt it. The
	 * thread has NNFW_STACK_BYTES of stack left. Its floating-point state, and whether it can
	 * be cancelled, are as before on return.
	 */
	void (*run_here)(struct nnfw *fw, uint32_t queue, uint64_t seqno);
	/**
	 * @abort: end a job early. Its completion has ABORTED unless the job ended before. The
	 * first job of a queue does not wait for an engine; if it has not begun, none of its memory
	 * is touched. -ENOENT (no such job).
	 */
	int (*abort)(struct nnfw *fw, uint32_t queue, uint64_t seqno);
	/**
	 * @program_load: load a program before its first job, on an engine that no job needs. That
	 * job reports errors of the program. -EINVAL, -ENOENT (no such context), -ENOMEM, -EAGAIN
	 * (too many programs are waiting).
	 */
	int (*program_load)(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
			    uint64_t generation);
	/**
	 * @program_unload: drop the program at an address, and end its loading ahead. If no job
	 * uses it, its map is released soon.
	 */
	int (*program_unload)(struct nnfw *fw, uint32_t context, uint64_t addr);
	/**
	 * @program_measure: what a program takes when it is loaded alone, from its shapes: nothing
	 * is loaded. @program is 64-byte aligned and does not change. -EINVAL: it is not valid;
	 * -ENOMEM.
	 */
	int (*program_measure)(struct nnfw *fw, const void *program, size_t size,
			       struct nnfw_need *need);
	/** @stats: read the counters */
	void (*stats)(struct nnfw *fw, struct nnfw_stats *stats);
	/** @instructions: describe set i, worst first. False: there are fewer. */
	bool (*instructions)(size_t i, struct nnfw_instructions *set);
};

/* Entry of the plugin, found by dlsym(). NULL if @abi_version is not NNFW_ABI_VERSION. */
const struct nnfw_plugin *nnfw_plugin(uint32_t abi_version);

#endif
