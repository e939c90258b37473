/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The firmware's core, independent of where it runs: behind the card's rings (firmware/board) or
 * inside the application's process (libnnhal's in-process transport, as a plugin). It knows
 * contexts, queues, jobs and programs; the platform gives it memory, a clock and a place to send
 * completions.
 *
 * Threads: all functions may be called from any thread unless said otherwise. The core runs jobs on
 * its own worker threads; platform callbacks come from those, or from the calling thread where
 * stated; no lock of the core is held in them except where stated.
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

/** 0 or -errno. */
int nnfw_create(const struct nnfw_platform *platform, const struct nnfw_config *config,
		struct nnfw **fw);
/** Stops the workers; jobs that are left complete with CANCELED first, from the calling thread. */
void nnfw_destroy(struct nnfw *fw);

/**
 * The operation set: struct nnaccel_opset_header and entries; bytes in all. Copies at most @size.
 */
size_t nnfw_opset(void *buffer, size_t size);
uint32_t nnfw_version(void); /* major << 16 | minor << 8 | patch */
uint32_t nnfw_caps(void); /* NNACCEL_CAP_ */

/** Contexts and queues: ids are the caller's, below NNACCEL_MAX_CONTEXTS / _QUEUES. 0, -EEXIST,
 * -ENOENT, -EINVAL, -ENOMEM. Closing a context destroys its queues and drops its programs; when
 * these return, no map of the context (queue) is held any more. They wait for a running operation
 * to stop; completions of jobs that are left come from the calling thread, so they must not be
 * called from a callback. */
int nnfw_context_open(struct nnfw *fw, uint32_t context);
int nnfw_context_close(struct nnfw *fw, uint32_t context);
int nnfw_queue_create(struct nnfw *fw, uint32_t queue, uint32_t context, uint32_t priority);
int nnfw_queue_destroy(struct nnfw *fw, uint32_t queue);

/**
 * Queue a job. @job and @args (job->num_args of them) are copied, in host byte order, and checked:
 * what is wrong with them is a completion with BAD_ARGUMENT, not an error here. 0, -ENOENT (no
 * queue), -ENOMEM.
 */
int nnfw_submit(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
		const struct nnaccel_arg *args);

/** End a job early; its completion says ABORTED unless it ended before. One that is the first of
 * its queue does not wait for an engine; if it has not begun, nothing is touched for it. 0 or
 * -ENOENT (not there). */
int nnfw_abort(struct nnfw *fw, uint32_t queue, uint64_t seqno);

/** Load ahead of the first run, on an engine that no job wants; errors of the program are kept for
 * that run. 0; -EINVAL, -ENOENT (no context), -ENOMEM, -EAGAIN (too many hints are waiting). */
int nnfw_program_load(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
		      uint64_t generation);
int nnfw_program_unload(struct nnfw *fw, uint32_t context, uint64_t addr);

struct nnfw_stats {
	uint64_t jobs_done, bytes_direct, bytes_bounced, bytes_loaded;
	uint64_t program_bytes, programs;
};
void nnfw_stats(struct nnfw *fw, struct nnfw_stats *stats);

/**
 * Plugin entry for dlopen: the same functions by pointer. Exported as "nnfw_plugin"; returns NULL
 * when
 * @abi_version is not NNFW_ABI_VERSION.
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
const struct nnfw_plugin *nnfw_plugin(uint32_t abi_version);

#endif
