/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of the self tests: the device, its buffers, queues and jobs, programs, and the emulated card's
 * control port. Functions return 0 or a negative errno unless noted; none ends the test. An object is used
 * by one thread at a time.
 */
#ifndef NNACCEL_UTIL_H
#define NNACCEL_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/nnaccel_accel.h>
#include <nnaccel/nnaccel_result.h>
#include <nnaccel/nnaccel_status.h>

/** Factor by which this machine is slower than an idle one, from the environment's NN_SLOW; at least 1. */
int nn_slow(void);

/*
 * Limit of a wait for an event that must happen, seconds. It only tells late from never: an emulated guest
 * on a busy host is slow.
 */
#define NN_WAIT_S	(20 * nn_slow())
/** Limit of a test, for TEST_F_TIMEOUT: longer than every wait in it. */
#define NN_TEST_S	(60 * nn_slow())
/** Limit of a test that waits for the driver's watchdogs. */
#define NN_LONG_TEST_S	(100 * nn_slow())

/** Bytes of a page of this kernel; the card's pages are of 4 KiB always. */
unsigned int nn_page(void);
#define NN_PAGE		nn_page()
#define NN_NS_PER_MS	1000000ll
#define NN_NS_PER_S	1000000000ll

#define NN_COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* ---- the device ---------------------------------------------------------------------------- */

/** Open our first device node (NNACCEL_DEVICE names another). fd or -errno. */
int nn_open(void);
/** Open the node of the device behind @address on the bus. fd or -errno; -ENODEV: there is no other. */
int nn_open_next(const char *address);
/** Name of the device behind @fd on its bus, e.g. its PCI address. */
int nn_dev_address(int fd, char *address, size_t size);
/** Whether the device is the emulated one of the running kernel (nnaccel-emud), not a PCI card. */
bool nn_is_emulated(const char *address);
/** Whether the device is on PCI: others are on the platform bus. */
bool nn_is_pci(const char *address);
/**
 * Whether the device is an accelerator of a board: the driver starts and stops it. It does not start again by
 * itself, so one that has failed is unbound from its driver and bound again.
 */
bool nn_is_board(const char *address);
/** Drop a capability (CAP_) of the calling thread. */
int nn_drop_cap(unsigned int cap);
/** CLOCK_MONOTONIC, ns. */
int64_t nn_now(void);
void nn_sleep_ms(unsigned int ms);
/** Sort times, the shortest first. */
void nn_sort_ns(int64_t *ns, size_t n);

/** An ioctl: 0 or -errno. Restarts after signals, as libdrm does. */
int nn_ioctl(int fd, unsigned long request, void *arg);
int nn_device_info(int fd, struct drm_nnaccel_device_info *info);
int nn_limits(int fd, struct drm_nnaccel_limits *limits);
int nn_counters(int fd, struct drm_nnaccel_counters *counters);
int nn_clock(int fd, struct drm_nnaccel_clock *clock);
/** Wait until the device is in @state (enum drm_nnaccel_device_state), with @generation or a later one. */
int nn_wait_state(int fd, uint32_t state, uint32_t generation);

/* ---- buffers ------------------------------------------------------------------------------- */

struct nn_bo {
	int fd;			/* file of the handle */
	uint32_t handle;
	uint64_t size;
	uint64_t addr;		/* device address in that file */
	void *map;		/* read-write mapping of all of it */
};

/** Create and map a buffer. On error nothing is allocated. */
int nn_bo_new(int fd, uint64_t size, uint32_t flags, struct nn_bo *bo);
/** Import a dma-buf into @fd and map it. */
int nn_bo_import(int fd, int dmabuf, struct nn_bo *bo);
/** Unmap and close; harmless on a zeroed struct. */
void nn_bo_free(struct nn_bo *bo);
int nn_bo_close(int fd, uint32_t handle);
int nn_bo_mmap(int fd, uint32_t handle, uint64_t size, int prot, int flags, void **map);
/** BO_WAIT with a timeout relative to now; 0: whether the buffer is idle. */
int nn_bo_wait(const struct nn_bo *bo, uint32_t flags, int64_t timeout_ns);
/** BO_MADVISE: @retained (0 or 1; 7: the kernel did not set it), or a negative errno. */
int nn_bo_advise(const struct nn_bo *bo, uint32_t advice);

/* ---- queues and jobs ----------------------------------------------------------------------- */

struct nn_queue {
	int fd;
	uint32_t id;
	uint32_t entries;	/* of the status page */
	uint64_t status_size;
	const volatile struct drm_nnaccel_status_entry *status;
};

int nn_queue_new(int fd, uint32_t priority, struct nn_queue *queue);
/** Destroy the queue and unmap its page; harmless on a zeroed struct. Returns the result of QUEUE_DESTROY. */
int nn_queue_free(struct nn_queue *queue);
int nn_queue_state(const struct nn_queue *queue, struct drm_nnaccel_queue_state *state);
/** A consistent copy of the status entry of job @seqno; -ENOENT if the page does not have it. */
int nn_queue_status(const struct nn_queue *queue, uint64_t seqno, struct drm_nnaccel_status_entry *entry);

#define NN_JOB_ARGS	8
#define NN_JOB_BOS	16
#define NN_JOB_SYNCS	16

/** A job with room for its arrays; nn_submit() sets the pointers of arrays that have entries. */
struct nn_job {
	struct drm_nnaccel_job job;
	struct nnaccel_arg args[NN_JOB_ARGS];
	struct drm_nnaccel_bo_ref bos[NN_JOB_BOS];
	struct drm_nnaccel_sync syncs[NN_JOB_SYNCS];
	uint32_t num_args, num_bos, num_syncs;
};

void nn_job_null(struct nn_job *job);
/** Run the program of @size bytes at the start of @program. */
void nn_job_run(struct nn_job *job, const struct nn_bo *program, uint64_t size);
void nn_job_arg(struct nn_job *job, uint64_t addr, uint64_t size);
void nn_job_bo(struct nn_job *job, const struct nn_bo *bo, uint32_t flags);
/** Argument: a whole tensor at the start of @bo, with its BO reference. */
void nn_job_in(struct nn_job *job, const struct nn_bo *bo, uint64_t size);
void nn_job_out(struct nn_job *job, const struct nn_bo *bo, uint64_t size);
/** Have the firmware write the result to the start of @bo. */
void nn_job_result(struct nn_job *job, const struct nn_bo *bo);
/** Wait for, or signal, a syncobj; @point 0: binary. */
void nn_job_wait_for(struct nn_job *job, uint32_t syncobj, uint64_t point);
void nn_job_signal(struct nn_job *job, uint32_t syncobj, uint64_t point);

/** Set up the job's arrays, for callers of the SUBMIT ioctl. */
void nn_job_finish(struct nn_job *job);
/** Submit one job; job->job.seqno receives its sequence number. */
int nn_submit(const struct nn_queue *queue, struct nn_job *job);
int nn_submit_raw(int fd, uint32_t queue_id, const void *jobs, uint32_t stride, uint32_t count);
/** Submit a NULL job and wait for it: the error of its fence, or of SUBMIT. */
int nn_run_null(const struct nn_queue *queue);

/* ---- fences -------------------------------------------------------------------------------- */

/** A new syncobj, 0 on failure. */
uint32_t nn_syncobj(int fd);
void nn_syncobj_free(int fd, uint32_t syncobj);
/** Wait for it (@point 0: binary) at most @seconds. 0 or -ETIME. */
int nn_syncobj_wait(int fd, uint32_t syncobj, uint64_t point, int seconds);
/** 1: signalled, 0: not yet, negative: signalled with that errno, or the query failed. */
int nn_fence_status(int fd, uint32_t syncobj, uint64_t point);
/** Wait for a fence: 0, the errno of the fence, or -EBUSY if it did not signal in NN_WAIT_S. */
int nn_fence_end(int fd, uint32_t syncobj, uint64_t point);
/** The same with a limit of @seconds, for work that takes longer. */
int nn_fence_end_in(int fd, uint32_t syncobj, uint64_t point, int seconds);
/** The fence as a sync_file, which does not need the device; and nn_fence_end() of a sync_file. */
int nn_export_sync_file(int fd, uint32_t syncobj, int *file);
int nn_sync_file_end(int file);

/* ---- programs ------------------------------------------------------------------------------ */

/** A program in a BO that the device may only read. */
struct nn_program {
	struct nn_bo bo;
	uint64_t size;
};

/** out[n] = a[n] (kind) b[n], float; @kind: enum nnprog_binary. */
int nn_program_binary(int fd, uint32_t kind, uint32_t n, struct nn_program *program);
/** out[2][n / 2] = a[n], float. */
int nn_program_reshape(int fd, uint32_t n, struct nn_program *program);
void nn_program_free(struct nn_program *program);
/** The bytes of nn_program_binary(), malloc'ed. */
int nn_program_bytes(uint32_t kind, uint32_t n, void **bytes, size_t *size);

/** Elements of a rig's vectors: they fill a page. */
#define NN_VECTOR	1024u
#define NN_BYTES	(NN_VECTOR * sizeof(float))

/** An open device with buffers, queue and program of a job: out = a + b. */
struct nn_rig {
	int fd;
	struct nn_queue queue;
	struct nn_program add;
	struct nn_bo a, b, out, result;
	uint32_t done;		/* binary syncobj */
};

/** Heal the card, open the device, set up the rig; a is 0, 1, 2, .., b is 1. */
int nn_rig_open(struct nn_rig *rig);
/** The same with an open file, of which the rig takes ownership, also on error. */
int nn_rig_setup(struct nn_rig *rig, int fd);
/** The same without healing the card. */
int nn_rig_setup_as_is(struct nn_rig *rig, int fd);
/** Close everything; harmless after a failed nn_rig_open(). */
void nn_rig_close(struct nn_rig *rig);
/** The job out = a + b, with a result; signals done. The caller sets limits. */
void nn_rig_job(struct nn_rig *rig, struct nn_job *job);
/** Submit that job and wait for it. Returns its error. */
int nn_rig_run(struct nn_rig *rig);
/** Whether out is a + b. */
bool nn_rig_right(const struct nn_rig *rig);

/* ---- the emulated card --------------------------------------------------------------------- */

/** Whether there is a control port; without one the card cannot be made to fail. */
bool nn_has_control(void);
/** Skip the test if there is none. */
#define NEED_CONTROL() do { \
		if (!nn_has_control()) \
			SKIP(return, "no control port"); \
	} while (0)
/** Send a line, receive the answer without its newline. -EREMOTEIO if the answer is an error. */
int nn_control(char *answer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** "kill" or "stop" the card; waits for a card that is being started. */
int nn_card_do(const char *command);
/** Restart the card in a fault mode (firmware/board/fault_spec.c) and wait until jobs can run. */
int nn_card_fault(int fd, const char *spec);
/** Kill the card, start no other, and wait until the driver has noticed. */
int nn_card_hold(int fd);
/** Start the card after nn_card_hold(), and wait until jobs can run. */
int nn_card_start(int fd);
/** Undo what earlier tests did to the card, and wait until jobs can run. Without a control port: only wait. */
int nn_card_heal(int fd);
/**
 * If the device is an accelerator of a board that has failed: bind it again. 1: done, and @fd is of a device that
 * is gone; 0: it is another, or works; or -errno.
 */
int nn_board_repair(int fd);

#endif
