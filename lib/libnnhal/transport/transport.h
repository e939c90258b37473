/* SPDX-License-Identifier: Apache-2.0 */
/* The device below the HAL: the kernel driver, or a firmware in the process. */
#ifndef NNACCEL_TRANSPORT_H
#define NNACCEL_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel/nnaccel_result.h"
#include "nnaccel/nnaccel_ring.h"
#include "nnaccel/nnaccel_status.h"
#include "nnhal.h"

/*
 * The device below the HAL: a card behind the kernel driver, or a firmware in this process. The
 * code above this header does not know which of them it uses; differences are fields of the
 * transport.
 *
 * Threads: any number may use one transport. destroy() is the last call, after every memory, queue
 * and job was freed. Errors are negative errno; -ENODEV always means that the device is gone for
 * good.
 */

/** Memory in the device's address space. The transport's own struct begins with it. */
struct nnhal_tmem {
	uint64_t addr; /* device address */
	uint64_t size;
	void *cpu; /* CPU mapping, NULL: none; writable if allocated or @write */
	bool write; /* the device may write it */
};

/** A queue: its jobs run in order. */
struct nnhal_tqueue {
	uint32_t priority;
};

/** A submitted job, until job_free(). */
struct nnhal_tjob {
	uint64_t seqno; /* in its queue; also in its struct nnaccel_result */
};

struct nnhal_tref {
	struct nnhal_tmem *mem;
	bool write;
};

struct nnhal_tsubmit {
	uint64_t program_addr, program_size, program_generation;
	uint64_t result_addr, result_size;
	uint64_t deadline_ns; /* absolute CLOCK_MONOTONIC; 0: none */
	uint64_t max_ns; /* running time; 0: no limit; only with fences */
	uint64_t loop_ns; /* 0: default */
	const struct nnaccel_arg *args;
	uint32_t num_args;
	/* everything that the job touches; a memory may come twice */
	const struct nnhal_tref *mems;
	uint32_t num_mems;
	const int *wait_fds; /* sync_files; only with fences */
	uint32_t num_wait_fds;
	/* this thread calls wait() next, with block: in process it may run the job meanwhile */
	bool waits;
};

/** How a job ended. */
struct nnhal_tend {
	uint32_t status; /* enum nnaccel_status */
	int error; /* errno of its fence, 0 or negative */
	uint64_t start_ns, end_ns; /* device clock; 0: it never ran */
	uint64_t done_ns; /* CLOCK_MONOTONIC when the host noticed */
	uint64_t fault_addr;
};

/** Memory that a program takes on the device. */
struct nnhal_need {
	uint64_t loaded; /* of the quota */
	uint64_t arena; /* of a run; at least: what depends on a request's shapes is not known */
};

struct nnhal_transport {
	const struct nnhal_transport_ops *ops;
	enum nnhal_device_type type;
	char name[32]; /* instance name: one '-' */
	bool fences; /* submit takes sync_files and export_fence gives them */
	bool op_times; /* results may have the times of operations: the firmware cannot trace them
			*/
	uint32_t max_inflight; /* unfinished jobs of a queue that the HAL must not exceed */
	uint32_t max_queues; /* queues that the HAL must not exceed */
	uint32_t max_args;
	uint32_t threads; /* in process: engines of the firmware */
	/*
	 * Nothing but this process can write what mem_alloc() gave: private pages from the start of
	 * one, which mmap() can replace.
	 */
	bool private_memory;
};

struct nnhal_transport_ops {
	void (*destroy)(struct nnhal_transport *t);
	int (*info)(struct nnhal_transport *t, struct nnhal_device_info *info);
	/** Add the sets of instructions to @info. May be NULL: the device does not say. */
	void (*instructions)(struct nnhal_transport *t, struct nnhal_device_info *info);
	/** Operation set as the firmware sent it: hostile bytes; *@bytes is malloc'ed. */
	int (*opset)(struct nnhal_transport *t, void **bytes, size_t *size);

	/** Zeroed memory with a CPU mapping, at least 64-byte aligned. */
	int (*mem_alloc)(struct nnhal_transport *t, uint64_t size, bool device_readonly,
			 struct nnhal_tmem **mem);
	/**
	 * Make request memory reachable without a copy; the descriptor is not kept. -EOPNOTSUPP:
	 * memory of this kind must be staged. -EACCES: it may not be written. The address is that
	 * of @memory->offset.
	 */
	int (*mem_import)(struct nnhal_transport *t, const struct nnhal_memory *memory, bool write,
			  struct nnhal_tmem **mem);
	void (*mem_free)(struct nnhal_transport *t, struct nnhal_tmem *mem);
	/** A descriptor of memory that mem_import() takes. */
	int (*mem_share)(struct nnhal_transport *t, uint64_t size, int *fd);
	/**
	 * Announce (@load) or withdraw a program at @offset of @mem: 0, unless @private_memory.
	 * Best effort.
	 */
	void (*program_hint)(struct nnhal_transport *t, struct nnhal_tmem *mem, uint64_t offset,
			     uint64_t size, uint64_t generation, bool load);

	/**
	 * What a program of the lowering takes when it runs alone; it stays the caller's. May be
	 * NULL: the device cannot say. -ENOMEM; -EINVAL: the program is not valid. On errors @need
	 * stays.
	 */
	int (*measure)(struct nnhal_transport *t, const void *program, size_t size,
		       struct nnhal_need *need);

	/** @priority: enum nnhal_priority. -ENOSPC: no further queue is possible, share one. */
	int (*queue_create)(struct nnhal_transport *t, uint32_t priority,
			    struct nnhal_tqueue **queue);
	/** All its jobs have ended. */
	void (*queue_destroy)(struct nnhal_transport *t, struct nnhal_tqueue *queue);

	/**
	 * -ECANCELED: the queue is banned; -EBUSY: too many jobs. Nothing was submitted on error.
	 */
	int (*submit)(struct nnhal_transport *t, struct nnhal_tqueue *queue,
		      const struct nnhal_tsubmit *submit, struct nnhal_tjob **job);
	/**
	 * Wait until the job ended; not @block: -EAGAIN if it has not. In process, deadlines are
	 * enforced by a blocking wait.
	 */
	int (*wait)(struct nnhal_transport *t, struct nnhal_tjob *job, bool block,
		    struct nnhal_tend *end);
	/** A sync_file of the job's fence, the caller's. */
	int (*export_fence)(struct nnhal_transport *t, struct nnhal_tjob *job, int *fd);
	/** The job has ended. */
	void (*job_free)(struct nnhal_transport *t, struct nnhal_tjob *job);
};

/** @node: "/dev/accel/accelN". @message (of @size bytes) says what is wrong and what to do. */
int nnhal_transport_kernel_open(const char *node, struct nnhal_transport **t, char *message,
				size_t size);
struct nnhal_inproc_config {
	unsigned int engines; /* jobs that run at the same time, at least 1 */
	unsigned int job; /* threads that one of them computes on if others do not; 0: as many */
	unsigned int quota; /* MiB of loaded programs; 0: half of this process' memory */
	bool amx; /* heavy programs may use AMX */
};

int nnhal_transport_inproc_open(const struct nnhal_inproc_config *config,
				struct nnhal_transport **t, char *message, size_t size);

#endif
