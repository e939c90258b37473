/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A firmware as a plugin: what libnnhal's in-process device and the firmware it loads agree on. The
 * firmware knows contexts, queues, jobs and programs; the platform gives it memory, a clock and a
 * place to send completions. firmware/board is the other platform: it is linked with the core.
 *
 * Threads: every function may be called from any thread unless its comment says otherwise. The
 * firmware runs jobs on worker threads of its own. Callbacks of the platform come from those, or
 * from the calling thread where the comment says so. The firmware holds no lock during a callback.
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

#define NNFW_ABI_VERSION 2u

/** nnfw_config.flags: a job that has begun keeps its engine until it ends, and looks at an abort
 * between operations only: for tests of hosts, as hardware that cannot do better. */
#define NNFW_CONFIG_NO_PREEMPT (1u << 0)

/**
 * A piece of client memory that a job uses. Filled by dma_map, given back to dma_unmap unchanged.
 */
struct nnfw_map {
	void *ptr; /* where the firmware reads or writes [addr, addr + len) */
	uint64_t addr, len;
	bool write;
	bool bounced; /* ptr is a private copy: dma_unmap writes it back when write */
	void *priv; /* platform's */
};

struct nnfw_platform {
	void *priv;
	/**
	 * Make [addr, addr + len) of a context accessible until dma_unmap; len > 0. 0; -EFAULT with
	 * *@fault the first address that is not mapped (or not writable when write); -ENOMEM.
	 */
	int (*dma_map)(void *priv, uint32_t context, uint64_t addr, uint64_t len, bool write,
		       struct nnfw_map *map, uint64_t *fault);
	/** @commit: whether a bounced write map is written back (false when the job failed). */
	void (*dma_unmap)(void *priv, uint32_t context, struct nnfw_map *map, bool commit);
	/** Device clock, ns, monotonic. */
	uint64_t (*clock_ns)(void *priv);
	/**
	 * A job ended: @c in host byte order as struct nnaccel_completion. In the order of the
	 * queue.
	 */
	void (*complete)(void *priv, const struct nnaccel_completion *c);
	/**
	 * Progress of a queue: counter and running job; called often, must be cheap. May be NULL.
	 */
	void (*progress)(void *priv, uint32_t queue, uint64_t progress, uint64_t seqno);
	/**
	 * A job takes an engine (@on), or gives it up: at its end, or until its next turn. The
	 * first time is when the job begins: before that nothing of the client's is touched for it.
	 * Between these calls, in which somebody else has the engine, it makes no progress. May be
	 * NULL.
	 */
	void (*turn)(void *priv, uint32_t queue, uint64_t seqno, bool on);
};

struct nnfw_config {
	uint32_t abi_version; /* NNFW_ABI_VERSION */
	uint32_t threads; /* engines: jobs that run at the same moment; 0: 1 */
	uint64_t program_quota; /* bytes over all contexts; 0: 512 MiB */
	uint64_t arena_limit; /* bytes of one job's temporaries; 0: 1 GiB */
	uint64_t quantum_ns; /* 0: 2 ms */
	uint32_t generation; /* copied into completions */
	uint32_t flags; /* NNFW_CONFIG_ */
};

struct nnfw_stats {
	uint64_t jobs_done, bytes_direct, bytes_bounced, bytes_loaded;
	uint64_t program_bytes, programs;
};

/**
 * struct nnfw_plugin - the functions of a firmware
 * @abi_version: NNFW_ABI_VERSION
 * @reserved: 0
 * @create: make a firmware. The platform is copied. 0 or -errno.
 * @destroy: stop the workers. Jobs that are left complete with CANCELED, from the calling thread.
 * @opset: copy at most @size bytes of the operation set (struct nnaccel_opset_header and its
 *	entries). Returns the size of all of it.
 * @version: major << 16 | minor << 8 | patch
 * @caps: NNACCEL_CAP_ bits
 * @context_open: open a context. The caller chooses the id, below NNACCEL_MAX_CONTEXTS. 0, -EEXIST,
 *	-EINVAL, -ENOMEM.
 * @context_close: destroy the context's queues, drop its programs. 0 or -ENOENT. As for
 *	@queue_destroy, this waits for a running operation to stop, completions of the remaining
 *jobs come from the calling thread, and no map is held when it returns. Not to be called from a
 *	callback.
 * @queue_create: make a queue of a context. The caller chooses the id, below NNACCEL_MAX_QUEUES. 0,
 *	-EEXIST, -ENOENT, -EINVAL, -ENOMEM.
 * @queue_destroy: end the queue's jobs and free it, see @context_close. 0 or -ENOENT.
 * @submit: queue a job. Job and arguments (job->num_args) are in host byte order, copied and
 *	checked: invalid ones give a completion with BAD_ARGUMENT, not an error. 0, -ENOENT (no such
 *	queue), -ENOMEM.
 * @abort: end a job early; its completion has ABORTED unless the job ended before. The first job of
 *	a queue does not wait for an engine; if it has not begun, none of its memory is touched. 0
 *or -ENOENT (no such job).
 * @program_load: load a program before its first job, on an engine that no job needs. Errors in the
 *	program are reported by that job. 0, -EINVAL, -ENOENT (no such context), -ENOMEM, -EAGAIN
 *(too many programs are waiting).
 * @program_unload: drop the program at an address. 0 or -errno.
 * @stats: read the counters
 */
struct nnfw_plugin {
	uint32_t abi_version, reserved;
	int (*create)(const struct nnfw_platform *, const struct nnfw_config *, struct nnfw **);
	void (*destroy)(struct nnfw *);
	size_t (*opset)(void *, size_t);
	uint32_t (*version)(void);
	uint32_t (*caps)(void);
	int (*context_open)(struct nnfw *, uint32_t);
	int (*context_close)(struct nnfw *, uint32_t);
	int (*queue_create)(struct nnfw *, uint32_t, uint32_t, uint32_t);
	int (*queue_destroy)(struct nnfw *, uint32_t);
	int (*submit)(struct nnfw *, uint32_t, const struct nnaccel_job *,
		      const struct nnaccel_arg *);
	int (*abort)(struct nnfw *, uint32_t, uint64_t);
	int (*program_load)(struct nnfw *, uint32_t, uint64_t, uint64_t, uint64_t);
	int (*program_unload)(struct nnfw *, uint32_t, uint64_t);
	void (*stats)(struct nnfw *, struct nnfw_stats *);
};

/** The plugin's entry, found by dlsym(). NULL if @abi_version is not NNFW_ABI_VERSION. */
const struct nnfw_plugin *nnfw_plugin(uint32_t abi_version);

#endif
