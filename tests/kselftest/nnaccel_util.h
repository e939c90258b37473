/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the self tests share: the device, its buffers, queues and jobs, programs, and the emulated card's
 * control port. Functions return 0 (or what they say) or a negative errno; none ends the test. One thread
 * at a time per object.
 */
#ifndef NNACCEL_UTIL_H
#define NNACCEL_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/nnaccel_accel.h>
#include <nnaccel/nnaccel_result.h>
#include <nnaccel/nnaccel_status.h>

/** How many times slower than an idle machine this one is, from the environment's NN_SLOW; at least 1. */
int nn_slow(void);

/*
 * How long anything that must happen may take, seconds. An emulated guest on a busy host is slow: this says
 * "never", it measures nothing.
 */
#define NN_WAIT_S	(20 * nn_slow())
/** A test's limit, for TEST_F_TIMEOUT: above every wait in it. */
#define NN_TEST_S	(60 * nn_slow())
/** For tests that sit out the watchdogs. */
#define NN_LONG_TEST_S	(100 * nn_slow())

#define NN_PAGE		4096u
#define NN_NS_PER_MS	1000000ll
#define NN_NS_PER_S	1000000000ll

#define NN_COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* ---- the device ---------------------------------------------------------------------------- */

/** Open our first device node (NNACCEL_DEVICE names another). fd or -errno. */
int nn_open(void);
/** PCI address of the device behind @fd. */
int nn_pci_address(int fd, char *address, size_t size);
/** Take CAP_SYS_NICE from the calling process for good. */
int nn_drop_nice(void);
/** CLOCK_MONOTONIC, ns. */
int64_t nn_now(void);
void nn_sleep_ms(unsigned int ms);

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
	int fd;			/* of the file that owns the handle */
	uint32_t handle;
	uint64_t size;
	uint64_t addr;		/* device address in that file */
	void *map;		/* read-write mapping of all of it */
};

/** Create and map a buffer. On error nothing is left. */
int nn_bo_new(int fd, uint64_t size, uint32_t flags, struct nn_bo *bo);
/** Import a dma-buf into @fd and map it. */
int nn_bo_import(int fd, int dmabuf, struct nn_bo *bo);
/** Unmap and close; harmless on a zeroed struct. */
void nn_bo_free(struct nn_bo *bo);
int nn_bo_close(int fd, uint32_t handle);
int nn_bo_mmap(int fd, uint32_t handle, uint64_t size, int prot, int flags, void **map);
/** BO_WAIT with a timeout from now; 0 asks whether it is idle. */
int nn_bo_wait(const struct nn_bo *bo, uint32_t flags, int64_t timeout_ns);

/* ---- queues and jobs ----------------------------------------------------------------------- */

struct nn_queue {
	int fd;
	uint32_t id;
	uint32_t entries;	/* of the status page */
	uint64_t status_size;
	const volatile struct drm_nnaccel_status_entry *status;
};

int nn_queue_new(int fd, uint32_t priority, struct nn_queue *queue);
/** Destroy the queue and unmap its page; harmless on a zeroed struct. Returns what QUEUE_DESTROY did. */
int nn_queue_free(struct nn_queue *queue);
int nn_queue_state(const struct nn_queue *queue, struct drm_nnaccel_queue_state *state);
/** A consistent copy of the entry of job @seqno; -ENOENT if the page does not have it. */
int nn_queue_status(const struct nn_queue *queue, uint64_t seqno, struct drm_nnaccel_status_entry *entry);

#define NN_JOB_ARGS	8
#define NN_JOB_BOS	16
#define NN_JOB_SYNCS	16

/** A job with room for its arrays; nn_submit() points the job at those that have entries. */
struct nn_job {
	struct drm_nnaccel_job job;
	struct drm_nnaccel_arg args[NN_JOB_ARGS];
	struct drm_nnaccel_bo_ref bos[NN_JOB_BOS];
	struct drm_nnaccel_sync syncs[NN_JOB_SYNCS];
	uint32_t num_args, num_bos, num_syncs;
};

void nn_job_null(struct nn_job *job);
/** Run the program of @size bytes at the start of @program. */
void nn_job_run(struct nn_job *job, const struct nn_bo *program, uint64_t size);
void nn_job_arg(struct nn_job *job, uint64_t addr, uint64_t size);
void nn_job_bo(struct nn_job *job, const struct nn_bo *bo, uint32_t flags);
/** Argument that is a whole tensor at the start of @bo, with the reference that it needs. */
void nn_job_in(struct nn_job *job, const struct nn_bo *bo, uint64_t size);
void nn_job_out(struct nn_job *job, const struct nn_bo *bo, uint64_t size);
/** Have the firmware tell how it went at the start of @bo. */
void nn_job_result(struct nn_job *job, const struct nn_bo *bo);
/** Wait for, or signal, a syncobj; @point 0: a binary one. */
void nn_job_wait_for(struct nn_job *job, uint32_t syncobj, uint64_t point);
void nn_job_signal(struct nn_job *job, uint32_t syncobj, uint64_t point);

/** Set up the job's arrays for a SUBMIT of one's own. */
void nn_job_finish(struct nn_job *job);
/** Submit one job; its number is in job->job.seqno. */
int nn_submit(const struct nn_queue *queue, struct nn_job *job);
int nn_submit_raw(int fd, uint32_t queue_id, const void *jobs, uint32_t stride, uint32_t count);
/** Submit a NULL job and wait for it: the error of its fence, or what kept it from being submitted. */
int nn_run_null(const struct nn_queue *queue);

/* ---- fences -------------------------------------------------------------------------------- */

/** A new syncobj, 0 on failure. */
uint32_t nn_syncobj(int fd);
void nn_syncobj_free(int fd, uint32_t syncobj);
/** Wait for it (@point 0: binary) at most @seconds. 0 or -ETIME. */
int nn_syncobj_wait(int fd, uint32_t syncobj, uint64_t point, int seconds);
/** 1: signalled, 0: not yet, negative: signalled with that errno; -ENOENT..: could not be asked. */
int nn_fence_status(int fd, uint32_t syncobj, uint64_t point);
/** Wait for its end: 0, the errno that the fence carries, or -EBUSY if it did not signal in NN_WAIT_S. */
int nn_fence_end(int fd, uint32_t syncobj, uint64_t point);
/** The same for work that takes longer than that by itself. */
int nn_fence_end_in(int fd, uint32_t syncobj, uint64_t point, int seconds);
/** The fence as a file, which needs the device no more; and nn_fence_end() of that. */
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

/** A file with all that a job needs: out = a + b. */
struct nn_rig {
	int fd;
	struct nn_queue queue;
	struct nn_program add;
	struct nn_bo a, b, out, result;
	uint32_t done;		/* binary syncobj */
};

/** Heal the card, open the device, set everything up; a is 0, 1, 2, .., b is 1. */
int nn_rig_open(struct nn_rig *rig);
/** The same with an open file, which is the rig's from then on, also on error. */
int nn_rig_setup(struct nn_rig *rig, int fd);
/** The same without healing the card: what was done to it stays. */
int nn_rig_setup_as_is(struct nn_rig *rig, int fd);
/** Close what is open; harmless after a failed nn_rig_open(). */
void nn_rig_close(struct nn_rig *rig);
/** The job: out = a + b, with a result, signals done; limits are the caller's to set. */
void nn_rig_job(struct nn_rig *rig, struct nn_job *job);
/** Submit that job and wait for it; its error. */
int nn_rig_run(struct nn_rig *rig);
/** Whether out is a + b. */
bool nn_rig_right(const struct nn_rig *rig);

/* ---- the emulated card --------------------------------------------------------------------- */

/** Whether there is a control port: nothing can be done to a card of silicon. */
bool nn_has_control(void);
/** Send a line, return the answer without its newline. -EREMOTEIO when it says "error". */
int nn_control(char *answer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** "kill" or "stop" a card; waits for one that is just being started. */
int nn_card_do(const char *command);
/** Restart the card in a fault mode (firmware/board/fault_spec.h) and wait until jobs can run. */
int nn_card_fault(int fd, const char *spec);
/** Kill the card, keep it away, and wait until the driver knows. */
int nn_card_hold(int fd);
/** Start a card that was held, and wait until jobs can run. */
int nn_card_start(int fd);
/** Whatever an earlier test left: a healthy card, and jobs can run. Without a control port: the latter. */
int nn_card_heal(int fd);

#endif
