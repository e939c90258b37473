/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
#ifndef _UAPI_NNACCEL_ACCEL_H_
#define _UAPI_NNACCEL_ACCEL_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Rules of this interface
 *
 * - Fields are naturally aligned; padding is explicit, named pad, must be zero and is checked.
 * - No unions, no bitfields, no enum or pointer fields: addresses travel as __u64.
 * - Flags have a mask; an unknown bit is -EINVAL.
 * - Arrays of structs are struct drm_nnaccel_array: elements may grow at the end; bytes that the kernel
 *   does not know must be zero (-E2BIG), bytes that userspace does not send are taken as zero. More
 *   elements than the limit are -E2BIG too.
 * - Times named deadline or timeout are absolute CLOCK_MONOTONIC ns, others are durations in ns.
 * - An ioctl that fails has changed nothing.
 * - New ioctls and query types go to the end; each addition raises the driver's minor version.
 *
 * An open file has one device address space. Every GEM handle of the file is mapped there, at an address
 * that the kernel chooses, until the handle is closed.
 */

/**
 * enum drm_nnaccel_ioctl_id - ioctl numbers; new ones at the end
 */
enum drm_nnaccel_ioctl_id {
	/** @DRM_NNACCEL_DEV_QUERY: query device information */
	DRM_NNACCEL_DEV_QUERY = 0,
	/** @DRM_NNACCEL_BO_CREATE: create a buffer object */
	DRM_NNACCEL_BO_CREATE,
	/** @DRM_NNACCEL_BO_MMAP_OFFSET: get the offset to pass to mmap(2) */
	DRM_NNACCEL_BO_MMAP_OFFSET,
	/** @DRM_NNACCEL_BO_INFO: query a buffer object */
	DRM_NNACCEL_BO_INFO,
	/** @DRM_NNACCEL_BO_WAIT: wait for the jobs that use a buffer object */
	DRM_NNACCEL_BO_WAIT,
	/** @DRM_NNACCEL_QUEUE_CREATE: create a queue */
	DRM_NNACCEL_QUEUE_CREATE,
	/** @DRM_NNACCEL_QUEUE_DESTROY: destroy a queue */
	DRM_NNACCEL_QUEUE_DESTROY,
	/** @DRM_NNACCEL_QUEUE_STATE: query the health of a queue */
	DRM_NNACCEL_QUEUE_STATE,
	/** @DRM_NNACCEL_SUBMIT: submit jobs to a queue */
	DRM_NNACCEL_SUBMIT,
	/** @DRM_NNACCEL_PROGRAM_HINT: announce or withdraw a program */
	DRM_NNACCEL_PROGRAM_HINT,
	/** @DRM_NNACCEL_BO_LABEL: name a buffer object, or read its name; since 1.3 */
	DRM_NNACCEL_BO_LABEL,
	/** @DRM_NNACCEL_BO_USERPTR: create a buffer object of memory of the process; since 1.3 */
	DRM_NNACCEL_BO_USERPTR,
	/** @DRM_NNACCEL_BO_MADVISE: tell whether the contents of a buffer object are needed; since 1.3 */
	DRM_NNACCEL_BO_MADVISE,
};

/**
 * struct drm_nnaccel_array - an array of structs in user memory
 */
struct drm_nnaccel_array {
	/** @stride: bytes from one element to the next; at least the element's first version */
	__u32 stride;
	/** @count: number of elements; 0: no array, stride and array must be 0 too */
	__u32 count;
	/** @array: user address of the first element */
	__u64 array;
};

/**
 * enum drm_nnaccel_dev_query_type - what DEV_QUERY answers; new ones at the end
 */
enum drm_nnaccel_dev_query_type {
	/** @DRM_NNACCEL_QUERY_DEVICE: struct drm_nnaccel_device_info */
	DRM_NNACCEL_QUERY_DEVICE = 0,
	/** @DRM_NNACCEL_QUERY_LIMITS: struct drm_nnaccel_limits */
	DRM_NNACCEL_QUERY_LIMITS,
	/** @DRM_NNACCEL_QUERY_PRIORITIES: struct drm_nnaccel_priorities */
	DRM_NNACCEL_QUERY_PRIORITIES,
	/** @DRM_NNACCEL_QUERY_OPSET: struct nnaccel_opset_header and its entries, from the firmware */
	DRM_NNACCEL_QUERY_OPSET,
	/** @DRM_NNACCEL_QUERY_COUNTERS: struct drm_nnaccel_counters */
	DRM_NNACCEL_QUERY_COUNTERS,
	/** @DRM_NNACCEL_QUERY_CLOCK: struct drm_nnaccel_clock; since 1.1 */
	DRM_NNACCEL_QUERY_CLOCK,
	/** @DRM_NNACCEL_QUERY_USAGE: struct drm_nnaccel_usage; since 1.2 */
	DRM_NNACCEL_QUERY_USAGE,
};

/**
 * struct drm_nnaccel_dev_query - arguments of %DRM_NNACCEL_DEV_QUERY
 *
 * With @pointer 0, @size returns the full size. Otherwise min(@size, full size) bytes are copied and
 * @size returns their number; older userspace gets the first fields, fields that the kernel does not know
 * are left unchanged. A size of 0 with a pointer is -EINVAL. -EACCES: QUERY_COUNTERS without CAP_PERFMON;
 * -ENODATA: QUERY_OPSET before the first firmware has started; -ENOLINK: QUERY_CLOCK while there is no
 * card; -ETIMEDOUT: the card did not answer; -EINTR.
 */
struct drm_nnaccel_dev_query {
	/** @type: enum drm_nnaccel_dev_query_type */
	__u32 type;
	/** @size: in: bytes at @pointer; out: bytes copied, or the full size */
	__u32 size;
	/** @pointer: user address, or 0 */
	__u64 pointer;
};

/**
 * struct drm_nnaccel_device_info - identity and state of the device
 */
struct drm_nnaccel_device_info {
	/** @contract_version: of the running firmware, major << 16 | minor */
	__u32 contract_version;
	/** @driver_contract_version: contract version of the driver */
	__u32 driver_contract_version;
	/** @fw_version: major << 16 | minor << 8 | patch */
	__u32 fw_version;
	/** @opset_version: version of the operation set */
	__u32 opset_version;
	/** @generation: number of the firmware start; grows with each reset or loss; 0: never started */
	__u32 generation;
	/** @state: enum drm_nnaccel_device_state */
	__u32 state;
	/** @caps: NNACCEL_CAP_ bits */
	__u32 caps;
	/** @pad: 0 */
	__u32 pad;
	/** @arena_size: most bytes of one job's intermediate tensors */
	__u64 arena_size;
	/** @program_quota: bytes of programs that the firmware keeps */
	__u64 program_quota;
	/** @name: device name, NUL-terminated */
	__u8 name[64];
};

/**
 * enum drm_nnaccel_device_state - whether jobs can run
 */
enum drm_nnaccel_device_state {
	/** @DRM_NNACCEL_DEVICE_ONLINE: jobs run */
	DRM_NNACCEL_DEVICE_ONLINE = 0,
	/** @DRM_NNACCEL_DEVICE_RESETTING: jobs queue up until a reset is over */
	DRM_NNACCEL_DEVICE_RESETTING = 1,
	/** @DRM_NNACCEL_DEVICE_LINK_LOST: jobs queue up until the card is back */
	DRM_NNACCEL_DEVICE_LINK_LOST = 2,
	/** @DRM_NNACCEL_DEVICE_FAILED: the firmware cannot be used, jobs fail; see the kernel log */
	DRM_NNACCEL_DEVICE_FAILED = 3,
};

/**
 * struct drm_nnaccel_limits - limits, per open file unless noted otherwise
 *
 * struct drm_nnaccel_usage describes what counts against a limit, and until when. Fields named user_ limit
 * the sum over all files that one user (the effective uid at open) has on this device. A file that was
 * opened with CAP_SYS_RESOURCE counts for its user, but only the limits of file and device apply to it.
 */
struct drm_nnaccel_limits {
	/** @va_start: lowest device address */
	__u64 va_start;
	/** @va_end: end of the device address space */
	__u64 va_end;
	/** @max_bo_size: bytes of one buffer object */
	__u64 max_bo_size;
	/** @max_bytes: bytes of all buffer objects */
	__u64 max_bytes;
	/** @max_bos: buffer objects; also handles */
	__u32 max_bos;
	/** @max_queues: queues */
	__u32 max_queues;
	/** @max_jobs: jobs of one SUBMIT */
	__u32 max_jobs;
	/** @max_args: arguments of one job */
	__u32 max_args;
	/** @max_job_bos: buffer objects of one job */
	__u32 max_job_bos;
	/** @max_syncs: in- plus out-syncobjs of one job */
	__u32 max_syncs;
	/**
	 * @max_queued_jobs: jobs of one queue that have not ended; twice as many may not be freed yet. A
	 * further SUBMIT is -EBUSY
	 */
	__u32 max_queued_jobs;
	/** @status_entries: entries of a queue's status page */
	__u32 status_entries;
	/** @no_progress_ns: time without progress after which a job that holds an engine is aborted */
	__u64 no_progress_ns;
	/** @abort_ns: time that a running job has to answer an abort; then the card is reset */
	__u64 abort_ns;
	/** @max_loop_ns: largest loop limit */
	__u64 max_loop_ns;
	/** @resv_ns: jobs with a max_ns of at most this take part in implicit sync, see @max_ns of the job */
	__u64 resv_ns;
	/** @fence_max_ns: time after SUBMIT at which a job's fence signals at the latest; since 1.2, as all below */
	__u64 fence_max_ns;
	/** @link_ns: time after which jobs that wait for an absent card end with -EIO */
	__u64 link_ns;
	/** @max_job_bytes: kernel memory of jobs that are not freed */
	__u64 max_job_bytes;
	/** @user_max_bytes: bytes of all buffer objects and page tables */
	__u64 user_max_bytes;
	/** @user_max_job_bytes: kernel memory of jobs that are not freed */
	__u64 user_max_job_bytes;
	/**
	 * @user_max_queues: queues of a user, if no other has any: half of the device's. A user may have
	 * as many as are left for all others. The same holds for files that have had a queue
	 */
	__u32 user_max_queues;
	/** @pad: 0 */
	__u32 pad;
};

/**
 * struct drm_nnaccel_usage - current use of what is limited
 *
 * - A buffer object counts, with its bytes, for the file that created it until its memory is freed: a
 *   mapping, an exported dma-buf, another file's handle or a job keep it. An imported one counts for the
 *   file that imported it first.
 * - Page tables count for the file whose address space they are part of, until the file is gone from the device.
 * - A handle counts for its file.
 * - A job counts for the file that submitted it until its memory is freed. That may be later than its
 *   fence: while the card may still write, or while the job waits inside the scheduler.
 * - A queue counts until it is destroyed and the device does not use it any more.
 *
 * A file descriptor that is shared or inherited refers to the same file.
 */
struct drm_nnaccel_usage {
	/** @bytes: buffer objects and page tables of this file */
	__u64 bytes;
	/** @job_bytes: kernel memory of its jobs */
	__u64 job_bytes;
	/** @user_bytes: as @bytes, all files of its user */
	__u64 user_bytes;
	/** @user_job_bytes: as @job_bytes, all files of its user */
	__u64 user_job_bytes;
	/** @bos: buffer objects that count for this file */
	__u32 bos;
	/** @handles: handles in this file */
	__u32 handles;
	/** @queues: queues of this file */
	__u32 queues;
	/** @user_queues: queues of all files of its user */
	__u32 user_queues;
	/** @jobs: jobs of this file that are not freed */
	__u32 jobs;
	/** @pad: 0 */
	__u32 pad;
};

/**
 * enum drm_nnaccel_priority - priority of a queue
 */
enum drm_nnaccel_priority {
	/** @DRM_NNACCEL_PRIORITY_LOW: after other queues of the same client */
	DRM_NNACCEL_PRIORITY_LOW = 0,
	/** @DRM_NNACCEL_PRIORITY_MEDIUM: default */
	DRM_NNACCEL_PRIORITY_MEDIUM = 1,
	/** @DRM_NNACCEL_PRIORITY_HIGH: before other queues of the same client */
	DRM_NNACCEL_PRIORITY_HIGH = 2,
	/** @DRM_NNACCEL_PRIORITY_REALTIME: before all other clients; needs CAP_SYS_NICE */
	DRM_NNACCEL_PRIORITY_REALTIME = 3,
};

/**
 * struct drm_nnaccel_priorities - priorities that the caller may use
 */
struct drm_nnaccel_priorities {
	/** @allowed_mask: bit per enum drm_nnaccel_priority */
	__u32 allowed_mask;
	/** @pad: 0 */
	__u32 pad;
};

/**
 * struct drm_nnaccel_counters - counters of the device since the driver was bound
 *
 * Of all clients: for callers with CAP_PERFMON. fdinfo has the counters of one file.
 */
struct drm_nnaccel_counters {
	/** @jobs_submitted: jobs accepted */
	__u64 jobs_submitted;
	/** @jobs_completed: jobs ended by a completion of the firmware */
	__u64 jobs_completed;
	/** @jobs_failed: jobs that ended with an error, of any origin */
	__u64 jobs_failed;
	/** @interrupts: completion interrupts taken */
	__u64 interrupts;
	/** @doorbells: doorbells rung */
	__u64 doorbells;
	/** @aborts: aborts sent */
	__u64 aborts;
	/** @resets: times that the reset line was pulled */
	__u64 resets;
	/** @links_lost: times that the card died by itself */
	__u64 links_lost;
	/** @bytes_direct: bytes that the device used in place */
	__u64 bytes_direct;
	/** @bytes_bounced: bytes that the device had to copy */
	__u64 bytes_bounced;
	/** @bytes_loaded: bytes of programs loaded */
	__u64 bytes_loaded;
	/** @bytes_synced: bytes that the platform copied in dma_sync */
	__u64 bytes_synced;
};

/**
 * struct drm_nnaccel_clock - one reading of the device's clock, between two of the host's
 *
 * The device read @device_ns at some time between @before_ns and @after_ns: their mean is wrong by at most
 * half of their distance. The best of several readings is the one with the least distance. Readings at two
 * times tell the drift of the clocks. A new @generation may have another clock.
 */
struct drm_nnaccel_clock {
	/** @before_ns: CLOCK_MONOTONIC before the request */
	__u64 before_ns;
	/** @device_ns: device clock, as in struct drm_nnaccel_status_entry */
	__u64 device_ns;
	/** @after_ns: CLOCK_MONOTONIC after the answer */
	__u64 after_ns;
	/** @generation: generation of the firmware that answered */
	__u32 generation;
	/** @pad: 0 */
	__u32 pad;
};

/** DRM_NNACCEL_BO_DEVICE_READONLY - the device may only read the BO: writes fault */
#define DRM_NNACCEL_BO_DEVICE_READONLY	(1u << 0)
/** DRM_NNACCEL_BO_FLAGS - every flag of BO_CREATE */
#define DRM_NNACCEL_BO_FLAGS		(DRM_NNACCEL_BO_DEVICE_READONLY)

/**
 * struct drm_nnaccel_bo_create - arguments of %DRM_NNACCEL_BO_CREATE
 *
 * -EINVAL: size 0, unknown flag, pad; -EFBIG: larger than max_bo_size; -ENOSPC: beyond max_bos, max_bytes or
 * user_max_bytes, or no address is left; -ENOMEM.
 */
struct drm_nnaccel_bo_create {
	/** @size: in: bytes; out: bytes, rounded up to pages */
	__u64 size;
	/** @flags: DRM_NNACCEL_BO_ bits */
	__u32 flags;
	/** @handle: out: GEM handle */
	__u32 handle;
	/** @device_addr: out: device address in this file's address space */
	__u64 device_addr;
	/** @pad: MBZ */
	__u64 pad;
};

/**
 * struct drm_nnaccel_bo_mmap_offset - arguments of %DRM_NNACCEL_BO_MMAP_OFFSET
 *
 * -ENOENT: no such handle; -EOPNOTSUPP: a BO of BO_USERPTR; -EINVAL: pad.
 */
struct drm_nnaccel_bo_mmap_offset {
	/** @handle: GEM handle */
	__u32 handle;
	/** @pad: MBZ */
	__u32 pad;
	/** @offset: out: offset for mmap(2) on the device file */
	__u64 offset;
};

/**
 * struct drm_nnaccel_bo_userptr - arguments of %DRM_NNACCEL_BO_USERPTR
 *
 * The pages at @addr are pinned, as long as the BO or a job that uses it lives, and count against the BO
 * limits and against the RLIMIT_MEMLOCK of the caller's user; see "Memory of the process" in uapi.rst. What
 * the process does later with its addresses (munmap(2), fork(2), execve(2)) does not change the BO. There is
 * no mmap offset for it, and it cannot be exported. The same pages may be in several BOs, of any file; a job
 * sees what jobs that have ended wrote by another BO, but nothing else may use a page while a job writes it.
 *
 * -EINVAL: @addr or @size is not a multiple of pages, @size is 0, unknown flag, pad; -EFBIG: larger than
 * max_bo_size; -EFAULT: there is no memory, it is not writable and DEVICE_READONLY is not set, it is a
 * mapping of a device, or a writable shared mapping of a file system that keeps track of changed pages
 * (ext4, xfs; not tmpfs); -EOPNOTSUPP: pages of its file cannot be pinned (DAX); -EDQUOT: beyond
 * RLIMIT_MEMLOCK; -ENOSPC: beyond max_bos, max_bytes or user_max_bytes, or no address is left; -EINTR;
 * -ENOMEM.
 */
struct drm_nnaccel_bo_userptr {
	/** @addr: user address of the memory */
	__u64 addr;
	/** @size: bytes */
	__u64 size;
	/** @flags: DRM_NNACCEL_BO_ bits; without DEVICE_READONLY the memory must be writable */
	__u32 flags;
	/** @handle: out: GEM handle */
	__u32 handle;
	/** @device_addr: out: device address in this file's address space */
	__u64 device_addr;
	/** @pad: MBZ */
	__u64 pad;
};

/** DRM_NNACCEL_BO_DONTNEED - BO_INFO: DONTNEED was advised; the contents may go at any time */
#define DRM_NNACCEL_BO_DONTNEED		(1u << 28)
/** DRM_NNACCEL_BO_PURGED - BO_INFO: the contents are gone for ever */
#define DRM_NNACCEL_BO_PURGED		(1u << 29)
/** DRM_NNACCEL_BO_IS_USERPTR - BO_INFO: memory of a process, from BO_USERPTR */
#define DRM_NNACCEL_BO_IS_USERPTR	(1u << 30)
/** DRM_NNACCEL_BO_IMPORTED - BO_INFO: the memory belongs to another device's dma-buf */
#define DRM_NNACCEL_BO_IMPORTED		(1u << 31)

/**
 * struct drm_nnaccel_bo_info - arguments of %DRM_NNACCEL_BO_INFO
 */
struct drm_nnaccel_bo_info {
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: out: DRM_NNACCEL_BO_ bits */
	__u32 flags;
	/** @size: out: bytes */
	__u64 size;
	/** @device_addr: out: device address in this file's address space */
	__u64 device_addr;
	/** @pad: MBZ */
	__u64 pad;
};

/** DRM_NNACCEL_BO_WAIT_WRITE - wait until the CPU may write: also for jobs that read */
#define DRM_NNACCEL_BO_WAIT_WRITE	(1u << 0)
/** DRM_NNACCEL_BO_WAIT_FLAGS - every flag of BO_WAIT */
#define DRM_NNACCEL_BO_WAIT_FLAGS	(DRM_NNACCEL_BO_WAIT_WRITE)

/**
 * struct drm_nnaccel_bo_wait - arguments of %DRM_NNACCEL_BO_WAIT
 *
 * Waits for every job that was submitted with the BO, including jobs outside implicit sync. 0: idle;
 * -ETIMEDOUT: not idle at @timeout_ns; -EBUSY: not idle, and @timeout_ns is not in the future.
 */
struct drm_nnaccel_bo_wait {
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: DRM_NNACCEL_BO_WAIT_ bits */
	__u32 flags;
	/** @timeout_ns: absolute CLOCK_MONOTONIC, ns */
	__s64 timeout_ns;
};

/**
 * enum drm_nnaccel_advice - what BO_MADVISE says of the contents of a BO
 */
enum drm_nnaccel_advice {
	/** @DRM_NNACCEL_MADV_WILLNEED: they are needed; the state of a new BO */
	DRM_NNACCEL_MADV_WILLNEED = 0,
	/**
	 * @DRM_NNACCEL_MADV_DONTNEED: the kernel may drop them when memory is short. Until WILLNEED the BO
	 * is not mapped for the device, and must not be used
	 */
	DRM_NNACCEL_MADV_DONTNEED = 1,
};

/**
 * struct drm_nnaccel_bo_madvise - arguments of %DRM_NNACCEL_BO_MADVISE
 *
 * DONTNEED is for an idle BO that only this file has a handle to. On return the card has confirmed that it
 * does not use the memory any more. After WILLNEED the BO has its contents, at the same device address, if
 * @retained is 1. If it is 0 the BO was purged: it stays so, all that is left to do with it is to close it.
 *
 * A SUBMIT, PROGRAM_HINT, mmap(2) or export of a BO in state DONTNEED, purged or not, is -ESTALE, also while
 * the kernel waits for that confirmation. A signal ends the wait of the caller, not what it waits for.
 *
 * -EINVAL: unknown advice, pad; -ENOENT: no such handle; -EOPNOTSUPP: an imported BO, or one of BO_USERPTR;
 * -EBUSY: a job uses the BO, it is mapped by a process, was exported, another file has a handle, or the card
 * does not confirm; -ENOMEM: WILLNEED needs memory, the BO stays DONTNEED; -ENODEV; -EINTR.
 */
struct drm_nnaccel_bo_madvise {
	/** @handle: GEM handle */
	__u32 handle;
	/** @advice: enum drm_nnaccel_advice */
	__u32 advice;
	/** @retained: out: 1: the contents are there; 0: they are gone */
	__u32 retained;
	/** @pad: MBZ */
	__u32 pad;
};

/** DRM_NNACCEL_BO_LABEL_GET - read the label instead of setting it */
#define DRM_NNACCEL_BO_LABEL_GET	(1u << 0)
/** DRM_NNACCEL_BO_LABEL_FLAGS - every flag of BO_LABEL */
#define DRM_NNACCEL_BO_LABEL_FLAGS	(DRM_NNACCEL_BO_LABEL_GET)
/** DRM_NNACCEL_BO_LABEL_MAX - most bytes of a label */
#define DRM_NNACCEL_BO_LABEL_MAX	63u

/**
 * struct drm_nnaccel_bo_label - arguments of %DRM_NNACCEL_BO_LABEL
 *
 * A label belongs to the BO, not to the handle: all files with a handle to the BO see the same one. It has
 * no effect but that debugfs shows it. It is printable ASCII, 0x20 to 0x7e; there is no NUL at its end.
 *
 * Setting: @size bytes at @label; @size 0 with @label 0 removes the label. GET: as in DEV_QUERY, @label 0
 * returns the full size, otherwise min(@size, full size) bytes are copied and @size returns their number.
 * -EINVAL: unknown flag, pad, other characters, @size 0 with a pointer; -E2BIG: longer than
 * %DRM_NNACCEL_BO_LABEL_MAX; -ENOENT: no such handle; -EFAULT; -ENOMEM.
 */
struct drm_nnaccel_bo_label {
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: DRM_NNACCEL_BO_LABEL_ bits */
	__u32 flags;
	/** @size: bytes at @label */
	__u32 size;
	/** @pad: MBZ */
	__u32 pad;
	/** @label: user address, or 0 */
	__u64 label;
};

/**
 * struct drm_nnaccel_queue_create - arguments of %DRM_NNACCEL_QUEUE_CREATE
 *
 * -EACCES: the priority needs CAP_SYS_NICE; -ENOSPC: max_queues or user_max_queues is reached, or the
 * device has no queue left.
 */
struct drm_nnaccel_queue_create {
	/** @priority: enum drm_nnaccel_priority */
	__u32 priority;
	/** @flags: MBZ */
	__u32 flags;
	/** @queue_id: out: id within this file */
	__u32 queue_id;
	/** @pad: MBZ */
	__u32 pad;
	/** @status_offset: out: offset for a read-only mmap(2) of the queue's status page */
	__u64 status_offset;
	/** @status_size: out: bytes of the status page */
	__u64 status_size;
};

/**
 * struct drm_nnaccel_queue_destroy - arguments of %DRM_NNACCEL_QUEUE_DESTROY
 *
 * Jobs that have not ended are aborted: their fences signal -ECANCELED. -ENOENT: no such queue.
 */
struct drm_nnaccel_queue_destroy {
	/** @queue_id: id of the queue */
	__u32 queue_id;
	/** @pad: MBZ */
	__u32 pad;
};

/**
 * enum drm_nnaccel_queue_health - health of a queue
 */
enum drm_nnaccel_queue_health {
	/** @DRM_NNACCEL_QUEUE_OK: SUBMIT accepts jobs */
	DRM_NNACCEL_QUEUE_OK = 0,
	/** @DRM_NNACCEL_QUEUE_BANNED_TIMEOUT: a job of the queue hung the device: SUBMIT is -ECANCELED */
	DRM_NNACCEL_QUEUE_BANNED_TIMEOUT = 1,
	/** @DRM_NNACCEL_QUEUE_BANNED_FAULT: a job of the queue accessed an unmapped address: SUBMIT is -ECANCELED */
	DRM_NNACCEL_QUEUE_BANNED_FAULT = 2,
	/** @DRM_NNACCEL_QUEUE_REFUSED: the firmware refused the queue: SUBMIT is -ECANCELED; since 1.2 */
	DRM_NNACCEL_QUEUE_REFUSED = 3,
};

/**
 * enum drm_nnaccel_queue_verdict - what resets, losses and faults had to do with a queue
 */
enum drm_nnaccel_queue_verdict {
	/** @DRM_NNACCEL_VERDICT_NONE: it was not affected; waiting jobs that run later do not count */
	DRM_NNACCEL_VERDICT_NONE = 0,
	/** @DRM_NNACCEL_VERDICT_INNOCENT: it lost jobs (@innocent of the state) and was not the cause */
	DRM_NNACCEL_VERDICT_INNOCENT = 1,
	/** @DRM_NNACCEL_VERDICT_GUILTY: its job guilty_seqno was the cause; the queue is banned */
	DRM_NNACCEL_VERDICT_GUILTY = 2,
};

/**
 * struct drm_nnaccel_queue_state - arguments of %DRM_NNACCEL_QUEUE_STATE
 *
 * Fields from @flags on: since 1.3. A caller with the shorter struct of older versions gets the first ones.
 */
struct drm_nnaccel_queue_state {
	/** @queue_id: id of the queue */
	__u32 queue_id;
	/** @health: out: enum drm_nnaccel_queue_health */
	__u32 health;
	/** @innocent: out: jobs that had begun and were lost to resets caused by others, or to lost links */
	__u32 innocent;
	/** @queued: out: jobs that have not ended */
	__u32 queued;
	/** @last_seqno: out: sequence number of the last job accepted */
	__u64 last_seqno;
	/** @fault_addr: out: address of the fault for which the queue was banned, else 0 */
	__u64 fault_addr;
	/** @flags: MBZ */
	__u32 flags;
	/** @pad: MBZ */
	__u32 pad;
	/** @verdict: out: enum drm_nnaccel_queue_verdict */
	__u32 verdict;
	/**
	 * @resets: out: times that the card was reset or lost since the queue was created, by any
	 * queue
	 */
	__u32 resets;
	/** @guilty_seqno: out: with VERDICT_GUILTY the job for which the queue was banned, else 0 */
	__u64 guilty_seqno;
	/** @ended_seqno: out: this job and all before it have ended; 0: none */
	__u64 ended_seqno;
	/** @running_seqno: out: job that the card has begun; 0: none */
	__u64 running_seqno;
	/** @progress: out: the card's counter for that job: it grows while the job makes progress */
	__u64 progress;
	/**
	 * @progress_ns: out: CLOCK_MONOTONIC when the driver last saw that a job of the queue began, made
	 * progress, or was ended by the card; 0: never. While a job runs it is right to 250 ms
	 */
	__u64 progress_ns;
};

/**
 * struct drm_nnaccel_status_entry - one entry of a queue's status page
 *
 * Job seqno has entry seqno % status_entries. Only the kernel writes it, before the job's fence signals.
 * @seqno is 0 while the other fields change, so a reader checks @seqno before and after. The entry is
 * reused status_entries jobs later.
 */
struct drm_nnaccel_status_entry {
	/** @seqno: job of the entry; 0: none */
	__u64 seqno;
	/** @status: enum nnaccel_status */
	__u32 status;
	/** @error: errno of the fence, 0 or negative */
	__s32 error;
	/** @start_ns: device clock when the job first ran; 0: it never ran */
	__u64 start_ns;
	/** @end_ns: device clock when the job ended */
	__u64 end_ns;
	/** @fault_addr: with -EFAULT: device address of the fault */
	__u64 fault_addr;
	/** @generation: generation of the firmware that ran the job */
	__u32 generation;
	/** @pad: 0 */
	__u32 pad;
	/** @submit_ns: CLOCK_MONOTONIC when the job was handed to the device; 0: never */
	__u64 submit_ns;
	/** @done_ns: CLOCK_MONOTONIC when the kernel handled its end */
	__u64 done_ns;
};

/** DRM_NNACCEL_SYNC_HANDLE_MASK - struct drm_nnaccel_sync.flags: kind of the handle */
#define DRM_NNACCEL_SYNC_HANDLE_MASK		0xffu
/** DRM_NNACCEL_SYNC_SYNCOBJ - a binary syncobj; point must be 0 */
#define DRM_NNACCEL_SYNC_SYNCOBJ		0u
/** DRM_NNACCEL_SYNC_TIMELINE - a timeline syncobj; point must not be 0 */
#define DRM_NNACCEL_SYNC_TIMELINE		1u
/** DRM_NNACCEL_SYNC_SIGNAL - the job signals the syncobj; otherwise the job waits for it */
#define DRM_NNACCEL_SYNC_SIGNAL			(1u << 31)

/**
 * struct drm_nnaccel_sync - a fence that a job waits for or signals
 */
struct drm_nnaccel_sync {
	/** @flags: DRM_NNACCEL_SYNC_ values */
	__u32 flags;
	/** @handle: syncobj handle */
	__u32 handle;
	/** @point: timeline point */
	__u64 point;
};

/** DRM_NNACCEL_BO_REF_READ - the job reads the BO */
#define DRM_NNACCEL_BO_REF_READ		(1u << 0)
/** DRM_NNACCEL_BO_REF_WRITE - the job writes the BO */
#define DRM_NNACCEL_BO_REF_WRITE	(1u << 1)
/** DRM_NNACCEL_BO_REF_FLAGS - every flag of a BO reference */
#define DRM_NNACCEL_BO_REF_FLAGS	(DRM_NNACCEL_BO_REF_READ | DRM_NNACCEL_BO_REF_WRITE)

/**
 * struct drm_nnaccel_bo_ref - a BO that a job uses: pinned, synchronised and kept until the job ends
 */
struct drm_nnaccel_bo_ref {
	/** @handle: GEM handle; -EINVAL if it is listed twice */
	__u32 handle;
	/** @flags: at least one DRM_NNACCEL_BO_REF_ bit; WRITE of a DEVICE_READONLY BO is -EACCES */
	__u32 flags;
};

/** DRM_NNACCEL_JOB_NULL - no program and no arguments: completes in its turn */
#define DRM_NNACCEL_JOB_NULL		(1u << 0)
/** DRM_NNACCEL_JOB_NO_IMPLICIT - does not wait for the fences of its BOs and adds no write fences */
#define DRM_NNACCEL_JOB_NO_IMPLICIT	(1u << 1)
/** DRM_NNACCEL_JOB_FLAGS - every flag of a job */
#define DRM_NNACCEL_JOB_FLAGS		(DRM_NNACCEL_JOB_NULL | DRM_NNACCEL_JOB_NO_IMPLICIT)

/**
 * struct drm_nnaccel_job - one job of a SUBMIT
 */
struct drm_nnaccel_job {
	/** @flags: DRM_NNACCEL_JOB_ bits */
	__u32 flags;
	/** @pad: MBZ */
	__u32 pad;
	/** @program_addr: device address of the program */
	__u64 program_addr;
	/** @program_size: bytes of the program */
	__u64 program_size;
	/** @program_generation: the client changes it when the bytes at the address change */
	__u64 program_generation;
	/** @result_addr: device address of a struct nnaccel_result, or 0 */
	__u64 result_addr;
	/** @result_size: bytes of the result with its entries, or 0 */
	__u64 result_size;
	/** @deadline_ns: absolute CLOCK_MONOTONIC; 0: none. If it is past, SUBMIT succeeds and the fence is -ETIME */
	__u64 deadline_ns;
	/**
	 * @max_ns: limit of the time on the engine, ns; 0: only no_progress_ns and fence_max_ns apply. A job
	 * takes part in implicit sync if this is at most resv_ns and not 0, and if the same holds for every
	 * job of its queue that has not ended and for in-fences that are jobs of this device
	 */
	__u64 max_ns;
	/** @loop_ns: limit per WHILE entry, at most max_loop_ns; 0: default. Only the firmware uses it */
	__u64 loop_ns;
	/** @args: struct nnaccel_arg of the device contract (nnaccel_ring.h): inputs, then outputs */
	struct drm_nnaccel_array args;
	/** @bos: struct drm_nnaccel_bo_ref */
	struct drm_nnaccel_array bos;
	/** @syncs: struct drm_nnaccel_sync */
	struct drm_nnaccel_array syncs;
	/** @seqno: out: sequence number of the job in its queue */
	__u64 seqno;
};

/**
 * struct drm_nnaccel_submit - arguments of %DRM_NNACCEL_SUBMIT
 *
 * All jobs are checked before the first is queued: on error none was queued. -ENOENT: no such queue, BO or
 * syncobj, or no fence in the syncobj; -ESTALE: a BO in state DONTNEED; -ECANCELED: the queue is banned; -EBUSY: max_queued_jobs or a limit
 * on job_bytes is reached; -EINVAL, -E2BIG, -EACCES, -EFAULT: see the fields; -ENODEV: unplugged. Sequence
 * numbers are written last: if the array has become unwritable they are lost, and the jobs still run.
 */
struct drm_nnaccel_submit {
	/** @queue_id: id of the queue */
	__u32 queue_id;
	/** @flags: MBZ */
	__u32 flags;
	/** @jobs: struct drm_nnaccel_job, run in order */
	struct drm_nnaccel_array jobs;
};

/** DRM_NNACCEL_PROGRAM_UNLOAD - unload the program; otherwise load it before its first run */
#define DRM_NNACCEL_PROGRAM_UNLOAD	(1u << 0)
/** DRM_NNACCEL_PROGRAM_FLAGS - every flag of PROGRAM_HINT */
#define DRM_NNACCEL_PROGRAM_FLAGS	(DRM_NNACCEL_PROGRAM_UNLOAD)

/**
 * struct drm_nnaccel_program_hint - arguments of %DRM_NNACCEL_PROGRAM_HINT
 *
 * A hint: 0 does not mean that the program is valid or loaded. Without a card the hint is dropped.
 */
struct drm_nnaccel_program_hint {
	/** @flags: DRM_NNACCEL_PROGRAM_ bits */
	__u32 flags;
	/** @handle: GEM handle of the BO that holds the program */
	__u32 handle;
	/** @offset: offset of the program in the BO */
	__u64 offset;
	/** @size: bytes of the program */
	__u64 size;
	/** @generation: see struct drm_nnaccel_job.program_generation */
	__u64 generation;
};

/**
 * DRM_IOCTL_NNACCEL() - build an ioctl number
 * @__access: access type: R, W or RW
 * @__id: one of DRM_NNACCEL_xxx
 * @__type: suffix of the type behind the ioctl
 */
#define DRM_IOCTL_NNACCEL(__access, __id, __type) \
	DRM_IO ## __access(DRM_COMMAND_BASE + DRM_NNACCEL_ ## __id, struct drm_nnaccel_ ## __type)

#define DRM_IOCTL_NNACCEL_DEV_QUERY	DRM_IOCTL_NNACCEL(WR, DEV_QUERY, dev_query)
#define DRM_IOCTL_NNACCEL_BO_CREATE	DRM_IOCTL_NNACCEL(WR, BO_CREATE, bo_create)
#define DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET DRM_IOCTL_NNACCEL(WR, BO_MMAP_OFFSET, bo_mmap_offset)
#define DRM_IOCTL_NNACCEL_BO_INFO	DRM_IOCTL_NNACCEL(WR, BO_INFO, bo_info)
#define DRM_IOCTL_NNACCEL_BO_WAIT	DRM_IOCTL_NNACCEL(W, BO_WAIT, bo_wait)
#define DRM_IOCTL_NNACCEL_QUEUE_CREATE	DRM_IOCTL_NNACCEL(WR, QUEUE_CREATE, queue_create)
#define DRM_IOCTL_NNACCEL_QUEUE_DESTROY	DRM_IOCTL_NNACCEL(W, QUEUE_DESTROY, queue_destroy)
#define DRM_IOCTL_NNACCEL_QUEUE_STATE	DRM_IOCTL_NNACCEL(WR, QUEUE_STATE, queue_state)
#define DRM_IOCTL_NNACCEL_SUBMIT	DRM_IOCTL_NNACCEL(W, SUBMIT, submit)
#define DRM_IOCTL_NNACCEL_PROGRAM_HINT	DRM_IOCTL_NNACCEL(W, PROGRAM_HINT, program_hint)
#define DRM_IOCTL_NNACCEL_BO_LABEL	DRM_IOCTL_NNACCEL(WR, BO_LABEL, bo_label)
#define DRM_IOCTL_NNACCEL_BO_USERPTR	DRM_IOCTL_NNACCEL(WR, BO_USERPTR, bo_userptr)
#define DRM_IOCTL_NNACCEL_BO_MADVISE	DRM_IOCTL_NNACCEL(WR, BO_MADVISE, bo_madvise)

#if defined(__cplusplus)
}
#endif

#endif
