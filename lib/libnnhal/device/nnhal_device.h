/* SPDX-License-Identifier: Apache-2.0 */
/* The device and its queues, prepared models, allocate(). */
#ifndef NNHAL_DEVICE_H
#define NNHAL_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/nnhal_base.h"
#include "lower/nnhal_lower.h"
#include "memory/nnhal_memory.h"
#include "nnutil_process.h"
#include "transport/transport.h"

/* queue_pool.c: the queues of a device. The lock is taken last. */

/** Shared by executions of one priority. */
struct nnhal_queue {
	struct nnhal_queue *next;
	struct nnhal_tqueue *tq;
	uint32_t priority;
	uint32_t inflight;
	bool banned; /* takes no further job; freed when inflight is 0 */
};

struct nnhal_queues {
	struct nnhal_transport *t;
	pthread_mutex_t lock; /* protects the members below, and those of the queues */
	struct nnhal_queue *list;
	uint32_t count;
};

/** @t outlives the pool. */
void nnhal_queues_init(struct nnhal_queues *queues, struct nnhal_transport *t);
void nnhal_queues_fini(struct nnhal_queues *queues);
/**
 * Submit a job to a queue with room for it. Banned queues that are met are dropped. 0; -EAGAIN: all
 * queues are full; -errno.
 */
int nnhal_queue_submit(struct nnhal_queues *queues, uint32_t priority,
		       const struct nnhal_tsubmit *submit, struct nnhal_queue **queue,
		       struct nnhal_tjob **job);
/** The job ended. @ban: never use this queue again. */
void nnhal_queue_put(struct nnhal_queues *queues, struct nnhal_queue *queue, bool ban);

/*
 * reaper.c: the reaper: a task that watches fences. It releases what fenced jobs hold when they
 * end, also when the client never asks how they ended, and begins executions when their in-fences
 * have signalled, so that no thread waits for each of them. The lock is taken last.
 */

/** A job or what waits for a fence, embedded in its object. */
struct nnhal_reaped {
	struct nnhal_reaped *next;
	int fence; /* constant while the reaper has it, as is the deadline */
	int64_t deadline_ns; /* CLOCK_BOOTTIME, or NNHAL_NO_TIME */
	/**
	 * The fence signalled or the deadline has passed, and the job left the list. Called without
	 * locks.
	 */
	void (*ended)(struct nnhal_reaped *job);
};

struct nnhal_reaper {
	struct nnhal_ref *owner; /* held by the task */
	pthread_mutex_t lock; /* protects the members below */
	struct nnhal_reaped *head, *tail;
	bool running;
	int news; /* eventfd: the list has grown */
};

/** @owner outlives the reaper. */
void nnhal_reaper_init(struct nnhal_reaper *reaper, struct nnhal_ref *owner);
void nnhal_reaper_fini(struct nnhal_reaper *reaper);
/** 0 or -errno; ended() is not called then. */
int nnhal_reaper_add(struct nnhal_reaper *reaper, struct nnhal_reaped *job);

/*
 * hal_device.c: a device over a transport, and what all its objects share. driver/idevice.c has its
 * methods.
 *
 * Lifetimes: a device lives until its client, every prepared model, every task and every fenced job
 * on it drop their references; a prepared model until its client and every execution on it do. So
 * destroy() never waits for work.
 *
 * Every method that touches more than constants checks first, before any lock, whether its object
 * is inherited (nnutil_process.h).
 *
 * Locks. None is held in a callback of the client. The locks of a burst's memories and of a fenced
 * job are taken before others; those of imports, queues, reaper, buffers, a buffer, and a prepared
 * model's staging areas are taken last.
 */

struct nnhal_dev {
	struct nnhal_device base;
	const struct nnhal_prepared_model_ops *pm_ops; /* of its prepared models */
	unsigned int process; /* that made it */
	struct nnhal_ref ref;
	struct nnhal_transport *t;
	struct nnhal_opset opset;
	char version[64];
	/* NNACCEL_FENCES=1: executions that no fence of the transport stands for return one of user
	 * space at once
	 */
	bool user_fences;
	struct nnhal_queues queues;
	struct nnhal_imports imports;
	struct nnhal_reaper reaper;
	struct nnhal_buffers buffers;
	atomic_ullong program_generation;
	struct {
		atomic_ullong executions, staged_in, staged_out, bounced, in_place;
	} counters;
};

/** Another process made it: its methods answer DEAD_OBJECT, and destroy() leaves it as it is. */
static inline bool nnhal_inherited(const struct nnhal_dev *dev)
{
	return nnutil_process_inherited(dev->process);
}

/** Takes @t over on success only. 0 or -errno with @message (@size bytes). */
int nnhal_dev_new(struct nnhal_transport *t, const struct nnhal_device_ops *ops,
		  const struct nnhal_prepared_model_ops *pm_ops, struct nnhal_dev **dev,
		  char *message, size_t size);
struct nnhal_dev *nnhal_dev_get(struct nnhal_dev *dev);
void nnhal_dev_put(struct nnhal_dev *dev);

/* program_memory.c: memory of a program while it is made. */

/**
 * A program, or a file that has one: in the memory that the device gets, if nothing but this
 * process can write that, else in memory of the process, to be copied.
 */
struct nnhal_program {
	struct nnhal_tmem *mem; /* NULL: @bytes are malloc'ed */
	uint8_t *bytes; /* 64-byte aligned */
	size_t offset, size; /* of the program in @bytes */
	size_t made; /* bytes from the start that nnhal_program_share() has been through */
};

/**
 * Room for @size bytes, whose contents are zero in @mem and undefined in the process's memory;
 * @shared of them come by nnhal_program_share().
 */
int nnhal_program_new(struct nnhal_program *p, struct nnhal_dev *dev, size_t size, size_t shared);
/** Whether nnhal_program_share() is possible for programs of @dev. */
bool nnhal_program_can_share(const struct nnhal_dev *dev);
/**
 * Map @size bytes of a file that nothing can change any more over those at @to, whole pages, one
 * call after the other from low addresses to high ones. 0 or -errno: what is at @to is undefined.
 */
int nnhal_program_share(struct nnhal_program *p, void *to, size_t size, int fd, uint64_t offset);
/** Nothing, if it is zeroed or was taken over. */
void nnhal_program_free(struct nnhal_program *p, struct nnhal_dev *dev);
static inline const void *nnhal_program_bytes(const struct nnhal_program *p)
{
	return p->bytes + p->offset;
}

/**
 * The program in the device's memory, for the caller to mem_free(): the memory itself, which @p
 * gives up, or a copy. @offset: of the program in it.
 */
int nnhal_program_place(struct nnhal_program *p, struct nnhal_dev *dev, struct nnhal_tmem **mem,
			uint64_t *offset);

/* Limits of a device. */

/**
 * Whether a program can ever run on this device: NONE; RESOURCE_EXHAUSTED_PERSISTENT with what is
 * too large in @message; DEVICE_UNAVAILABLE. @program: written by us or verified.
 */
enum nnhal_status nnhal_program_fits(struct nnhal_dev *dev, const void *program, size_t size,
				     uint32_t num_args, char *message);

/* prepared_model.c: prepared models. execute/iprepared_model.c has their methods. */

/** Device memory of one execution at a time: its result, then its staged arguments. */
struct nnhal_staging {
	struct nnhal_staging *next;
	struct nnhal_tmem *mem;
};

struct nnhal_pm {
	struct nnhal_prepared_model base;
	atomic_uint refs;
	struct nnhal_dev *dev;
	struct nnhal_tmem *program;
	uint64_t program_offset, program_size, generation; /* @program_offset: in @program */
	uint32_t priority;
	uint32_t num_operations; /* of the program */
	uint32_t num_inputs, num_outputs;
	struct nnhal_io *inputs, *outputs;
	struct nnhal_extent *constants; /* where constants live: no output may be there */
	uint32_t num_constants;
	pthread_mutex_t staging_lock; /* of the next */
	struct nnhal_staging *staging; /* idle ones, last used first */
};

/** For a program, made of @model; its memory is taken over. The device does not load it yet. */
int nnhal_pm_create(struct nnhal_dev *dev, const struct nnmodel *model,
		    struct nnhal_program *program, uint32_t priority, struct nnhal_pm **pm);
/**
 * Have the device load the program before the first job needs it. From here on the program's bytes
 * are the device's: it gives those back that it needs no more (dma_discard() of nnfw.h).
 */
void nnhal_pm_load_ahead(struct nnhal_pm *pm);
struct nnhal_pm *nnhal_pm_get(struct nnhal_pm *pm);
void nnhal_pm_put(struct nnhal_pm *pm);
/** An idle staging area of at least @size bytes. */
int nnhal_staging_get(struct nnhal_pm *pm, uint64_t size, struct nnhal_staging **staging);
void nnhal_staging_put(struct nnhal_pm *pm, struct nnhal_staging *staging);

/* allocate.c: IDevice::allocate. */

enum nnhal_status nnhal_allocate(struct nnhal_dev *dev, const struct nnhal_buffer_desc *desc,
				 struct nnhal_prepared_model *const *models, uint32_t num_models,
				 const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
				 const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
				 struct nnhal_buffer **buffer, uint32_t *token);

#endif
