/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * The driver's core dump: what it and the card knew when the card hung or died. It is read from
 * /sys/class/devcoredump/devcdN/data, and "nnctl coredump FILE" prints it.
 *
 * A header, a table of sections, the sections. All values are little-endian. A dump holds no contents of
 * clients' memory: no arguments, no programs, no data; addresses are device addresses.
 *
 * Versioning: major << 16 | minor. Minors add sections, and fields at the end of records: a reader skips
 * sections that it does not know, and uses the stride of a section. History: 1.0 first version.
 */
#ifndef _UAPI_NNACCEL_COREDUMP_H_
#define _UAPI_NNACCEL_COREDUMP_H_

#include <linux/types.h>

#include "nnaccel_regs.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** NNACCEL_DUMP_MAGIC - 'NNCD' */
#define NNACCEL_DUMP_MAGIC		0x44434e4eu
#define NNACCEL_DUMP_MAJOR		1u
#define NNACCEL_DUMP_MINOR		0u
#define NNACCEL_DUMP_VERSION		(NNACCEL_DUMP_MAJOR << 16 | NNACCEL_DUMP_MINOR)
/** NNACCEL_DUMP_MAX_SIZE - bytes of the largest dump */
#define NNACCEL_DUMP_MAX_SIZE		0x20000u
/** NNACCEL_DUMP_QUEUE_JOBS - jobs of each queue that are described, the oldest ones */
#define NNACCEL_DUMP_QUEUE_JOBS		16u

/** NNACCEL_DUMP_HUNG - reason: a job did not answer its abort */
#define NNACCEL_DUMP_HUNG		(1u << 1)
/** NNACCEL_DUMP_PROTOCOL - reason: the card violated the device contract */
#define NNACCEL_DUMP_PROTOCOL		(1u << 2)
/** NNACCEL_DUMP_ADMIN - reason: an admin command went unanswered */
#define NNACCEL_DUMP_ADMIN		(1u << 3)
/** NNACCEL_DUMP_HEARTBEAT - reason: the heartbeat stood still */
#define NNACCEL_DUMP_HEARTBEAT		(1u << 4)
/** NNACCEL_DUMP_FIRMWARE - reason: the firmware reported that it cannot go on */
#define NNACCEL_DUMP_FIRMWARE		(1u << 5)
/** NNACCEL_DUMP_BUS - reason: the bus reported an error */
#define NNACCEL_DUMP_BUS		(1u << 6)
/** NNACCEL_DUMP_IDLE - reason: the card had jobs and ran none */
#define NNACCEL_DUMP_IDLE		(1u << 7)
/** NNACCEL_DUMP_LOST - reason: the card died */
#define NNACCEL_DUMP_LOST		(1u << 31)

/** NNACCEL_DUMP_TRUNCATED - there were more jobs or queues than fit */
#define NNACCEL_DUMP_TRUNCATED		(1u << 0)

/**
 * enum nnaccel_dump_type - what a section holds
 */
enum nnaccel_dump_type {
	/** @NNACCEL_DUMP_DEVICE: one struct nnaccel_dump_device */
	NNACCEL_DUMP_DEVICE = 1,
	/** @NNACCEL_DUMP_QUEUES: struct nnaccel_dump_queue */
	NNACCEL_DUMP_QUEUES = 2,
	/** @NNACCEL_DUMP_JOBS: struct nnaccel_dump_job, by queue, oldest first */
	NNACCEL_DUMP_JOBS = 3,
	/** @NNACCEL_DUMP_COMMANDS: struct nnaccel_dump_command: admin commands without an answer */
	NNACCEL_DUMP_COMMANDS = 4,
};

/** NNACCEL_DUMP_SECTIONS - sections that version 1.0 writes */
#define NNACCEL_DUMP_SECTIONS		4u

/**
 * struct nnaccel_dump_section - where a section is
 */
struct nnaccel_dump_section {
	/** @type: enum nnaccel_dump_type */
	__le32 type;
	/** @offset: from the start of the dump, a multiple of 8 */
	__le32 offset;
	/** @stride: bytes from one record to the next, a multiple of 8 */
	__le32 stride;
	/** @count: records */
	__le32 count;
};
NNACCEL_CHECK_SIZE(struct nnaccel_dump_section, 16);

/**
 * struct nnaccel_dump_header - start of a dump
 */
struct nnaccel_dump_header {
	/** @magic: %NNACCEL_DUMP_MAGIC */
	__le32 magic;
	/** @version: %NNACCEL_DUMP_VERSION of the writer */
	__le32 version;
	/** @size: bytes of the dump */
	__le32 size;
	/** @header_size: bytes of this header; the table of sections follows */
	__le32 header_size;
	/** @sections: entries of the table */
	__le32 sections;
	/** @reason: NNACCEL_DUMP_HUNG etc., perhaps several */
	__le32 reason;
	/** @flags: %NNACCEL_DUMP_TRUNCATED */
	__le32 flags;
	/** @generation: of the card that failed */
	__le32 generation;
	/** @boot_ns: CLOCK_BOOTTIME */
	__le64 boot_ns;
	/** @number: dumps of this device before this one, taken or left out */
	__le64 number;
	/** @driver: version of the driver, NUL-terminated */
	__u8 driver[16];
};
NNACCEL_CHECK_SIZE(struct nnaccel_dump_header, 64);

/**
 * struct nnaccel_dump_device - the device and its registers
 */
struct nnaccel_dump_device {
	/** @state: enum drm_nnaccel_device_state before the failure */
	__le32 state;
	/** @link: register */
	__le32 link;
	/** @card_generation: register generation; not that of the header: the card has restarted */
	__le32 card_generation;
	/** @fw_state: register, enum nnaccel_fw_state */
	__le32 fw_state;
	/** @fw_error: register, enum nnaccel_fw_error */
	__le32 fw_error;
	/** @fw_version: of the failed card */
	__le32 fw_version;
	/** @contract_version: of the failed card */
	__le32 contract_version;
	/** @opset_version: of the failed card */
	__le32 opset_version;
	/** @caps: of the failed card */
	__le32 caps;
	/** @engines: of the failed card */
	__le32 engines;
	/** @host_state: register */
	__le32 host_state;
	/** @cq_stalled: register */
	__le32 cq_stalled;
	/** @cq_head: completions taken */
	__le32 cq_head;
	/** @cq_tail: completions written, as last read */
	__le32 cq_tail;
	/** @admin_head: commands taken by the card, as last read */
	__le32 admin_head;
	/** @admin_tail: commands sent */
	__le32 admin_tail;
	/** @heartbeat: register */
	__le64 heartbeat;
	/** @clock_ns: register */
	__le64 clock_ns;
	/** @jobs_done: register */
	__le64 jobs_done;
	/** @activity_age_ns: time since any job made progress */
	__le64 activity_age_ns;
	/** @jobs_submitted: counter of the driver, as the following ones */
	__le64 jobs_submitted;
	/** @jobs_completed: counter */
	__le64 jobs_completed;
	/** @jobs_failed: counter */
	__le64 jobs_failed;
	/** @aborts: counter */
	__le64 aborts;
	/** @resets: counter */
	__le64 resets;
	/** @links_lost: counter */
	__le64 links_lost;
	/** @name: of the card, NUL-terminated */
	__u8 name[64];
};
NNACCEL_CHECK_SIZE(struct nnaccel_dump_device, 208);

/** NNACCEL_DUMP_QUEUE_HUNG - its oldest job did not answer an abort */
#define NNACCEL_DUMP_QUEUE_HUNG		(1u << 0)
/** NNACCEL_DUMP_QUEUE_DEAD - it is being destroyed */
#define NNACCEL_DUMP_QUEUE_DEAD		(1u << 1)
/** NNACCEL_DUMP_QUEUE_ON_ENGINE - register queue_time[].on_engine */
#define NNACCEL_DUMP_QUEUE_ON_ENGINE	(1u << 2)

/**
 * struct nnaccel_dump_queue - a queue
 */
struct nnaccel_dump_queue {
	/** @queue: id on the device */
	__le32 queue;
	/** @context: id of its context */
	__le32 context;
	/** @priority: enum drm_nnaccel_priority */
	__le32 priority;
	/** @state: 0 detached, 1 shut, 2 attached */
	__le32 state;
	/** @health: enum drm_nnaccel_queue_health */
	__le32 health;
	/** @flags: NNACCEL_DUMP_QUEUE_HUNG etc. */
	__le32 flags;
	/** @live: jobs that have not ended */
	__le32 live;
	/** @innocent: jobs lost without a fault of this queue, before this failure */
	__le32 innocent;
	/** @ring_head: slots taken by the card, as last read */
	__le32 ring_head;
	/** @ring_tail: slots filled */
	__le32 ring_tail;
	/** @client: id of the DRM file */
	__le64 client;
	/** @last_seqno: last job submitted */
	__le64 last_seqno;
	/** @card_seqno: register queue[].seqno: job that began last */
	__le64 card_seqno;
	/** @card_progress: register queue[].progress */
	__le64 card_progress;
	/** @card_run_ns: register queue_time[].run_ns */
	__le64 card_run_ns;
};
NNACCEL_CHECK_SIZE(struct nnaccel_dump_queue, 80);

/** NNACCEL_DUMP_JOB_BEGUN - the driver has seen that it began */
#define NNACCEL_DUMP_JOB_BEGUN		(1u << 0)
/** NNACCEL_DUMP_JOB_ON_ENGINE - it held an engine at the last check */
#define NNACCEL_DUMP_JOB_ON_ENGINE	(1u << 1)
/** NNACCEL_DUMP_JOB_ENDED - its fence has signalled */
#define NNACCEL_DUMP_JOB_ENDED		(1u << 2)
/** NNACCEL_DUMP_JOB_ABORTED - an abort was sent */
#define NNACCEL_DUMP_JOB_ABORTED	(1u << 3)
/** NNACCEL_DUMP_JOB_ACKED - the card has acknowledged the abort */
#define NNACCEL_DUMP_JOB_ACKED		(1u << 4)
/** NNACCEL_DUMP_JOB_DIRECT - it bypassed drm_sched */
#define NNACCEL_DUMP_JOB_DIRECT		(1u << 5)

/**
 * struct nnaccel_dump_job - a job that has not ended, or that the card still knows
 */
struct nnaccel_dump_job {
	/** @queue: id on the device */
	__le32 queue;
	/** @state: 0 waiting, 1 ready, 2 on the card */
	__le32 state;
	/** @flags: NNACCEL_DUMP_JOB_BEGUN etc. */
	__le32 flags;
	/** @verdict: enum nnaccel_status with which it has to end; 0: none */
	__le32 verdict;
	/** @num_args: arguments */
	__le32 num_args;
	/** @num_bos: BOs */
	__le32 num_bos;
	/** @seqno: number in its queue */
	__le64 seqno;
	/** @age_ns: time since SUBMIT */
	__le64 age_ns;
	/** @card_ns: time since it was given to the card; 0: it was not */
	__le64 card_ns;
	/** @run_ns: its time on the engine */
	__le64 run_ns;
	/** @stall_ns: time on the engine since its last progress */
	__le64 stall_ns;
	/** @defy_ns: time on the engine since its abort */
	__le64 defy_ns;
	/** @progress: progress counter at the last check */
	__le64 progress;
	/** @max_ns: limit of its time on the engine, 0: none */
	__le64 max_ns;
	/** @program_addr: device address of its program, 0: it has none */
	__le64 program_addr;
	/** @program_size: bytes of it */
	__le64 program_size;
};
NNACCEL_CHECK_SIZE(struct nnaccel_dump_job, 104);

/**
 * struct nnaccel_dump_command - an admin command without an answer
 */
struct nnaccel_dump_command {
	/** @id: id */
	__le32 id;
	/** @op: enum nnaccel_admin_op */
	__le32 op;
	/** @queue: of ABORT */
	__le32 queue;
	/** @waited: a thread waits for its answer */
	__le32 waited;
	/** @seqno: of ABORT */
	__le64 seqno;
};
NNACCEL_CHECK_SIZE(struct nnaccel_dump_command, 24);

#if defined(__cplusplus)
}
#endif

#endif
