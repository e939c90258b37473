/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Device contract, part 2: rings, commands and completions.
 *
 * A ring is one contiguous piece of DMA memory (bus address, not translated, 64-byte aligned): struct
 * nnaccel_ring_ctl, then a power of two of 64-byte slots. Indices are free-running 32-bit counters; a slot
 * is index & (slots - 1); tail - head is the number of filled slots. The producer stores slots, then the
 * tail with release, then rings the doorbell. The consumer loads the tail with acquire, copies each slot
 * once, then stores the head with release. Neither side trusts the other: on an invalid index or content
 * the host resets the card, and the firmware enters NNACCEL_FW_FAILED.
 *
 *   admin ring       host -> firmware, struct nnaccel_admin_cmd, served in order
 *   queue rings      host -> firmware, one per queue: struct nnaccel_job, then its arguments
 *   completion ring  firmware -> host, struct nnaccel_completion, for all of them
 *
 * Jobs of a queue run in order. The firmware frees the slots of a job (moves the head) when it has copied
 * them, not when the job ends.
 */
#ifndef _UAPI_NNACCEL_RING_H_
#define _UAPI_NNACCEL_RING_H_

#include <linux/types.h>

#include "nnaccel_regs.h"

#define NNACCEL_SLOT_SIZE	64u
#define NNACCEL_RING_SLOTS_MIN	16u
#define NNACCEL_RING_SLOTS_MAX	65536u

/**
 * struct nnaccel_ring_ctl - head and tail, each on its own line
 */
struct nnaccel_ring_ctl {
	/** @tail: next slot that the producer will fill; writer: producer */
	__le32 tail;
	/** @pad0: 0 */
	__le32 pad0[15];
	/** @head: next slot that the consumer will take; writer: consumer */
	__le32 head;
	/** @pad1: 0 */
	__le32 pad1[15];
};
NNACCEL_CHECK_SIZE(struct nnaccel_ring_ctl, 128);

/**
 * enum nnaccel_admin_op - admin commands; each is acknowledged by one completion of kind ADMIN
 *
 * Acknowledgments come in the order of the commands; only that of TLB_INVALIDATE may come later. The status
 * of an acknowledgment is %NNACCEL_STATUS_OK, or %NNACCEL_STATUS_BAD_ARGUMENT, _NO_MEMORY or _INTERNAL if the
 * command has changed nothing.
 */
enum nnaccel_admin_op {
	/** @NNACCEL_ADMIN_PING: no effect; value of the acknowledgment is the device clock in ns */
	NNACCEL_ADMIN_PING = 0,
	/** @NNACCEL_ADMIN_GET_OPSET: write up to size bytes of the operation set to addr (bus); value: its full size */
	NNACCEL_ADMIN_GET_OPSET = 1,
	/** @NNACCEL_ADMIN_CTX_OPEN: take the page-table root of context from its register */
	NNACCEL_ADMIN_CTX_OPEN = 2,
	/**
	 * @NNACCEL_ADMIN_CTX_CLOSE: close the context with its queues, programs and windows. Acknowledged when
	 * the device has no access to its memory any more
	 */
	NNACCEL_ADMIN_CTX_CLOSE = 3,
	/** @NNACCEL_ADMIN_QUEUE_CREATE: create queue in context; addr: ring (bus), size: slots, value: priority 0..3 */
	NNACCEL_ADMIN_QUEUE_CREATE = 4,
	/**
	 * @NNACCEL_ADMIN_QUEUE_DESTROY: destroy queue. Its jobs complete with %NNACCEL_STATUS_CANCELED first;
	 * acknowledged when the ring is no longer read
	 */
	NNACCEL_ADMIN_QUEUE_DESTROY = 5,
	/**
	 * @NNACCEL_ADMIN_ABORT: end job number value of queue if it is on the device. The acknowledgment only
	 * confirms the command; the completion of the job follows, with %NNACCEL_STATUS_ABORTED unless it had
	 * ended already
	 */
	NNACCEL_ADMIN_ABORT = 6,
	/**
	 * @NNACCEL_ADMIN_TLB_INVALIDATE: invalidate translations of [addr, addr + size) in context.
	 * Acknowledged when no running job uses an old translation, which may take as long as that job runs;
	 * other commands are served meanwhile
	 */
	NNACCEL_ADMIN_TLB_INVALIDATE = 7,
	/** @NNACCEL_ADMIN_PROGRAM_LOAD: hint: load the program addr, size of context; value: its generation */
	NNACCEL_ADMIN_PROGRAM_LOAD = 8,
	/** @NNACCEL_ADMIN_PROGRAM_UNLOAD: unload the program addr of context, of any generation */
	NNACCEL_ADMIN_PROGRAM_UNLOAD = 9,
	/* private: */
	NNACCEL_ADMIN_COUNT,
};

/**
 * struct nnaccel_admin_cmd - one slot of the admin ring
 */
struct nnaccel_admin_cmd {
	/** @op: enum nnaccel_admin_op */
	__le32 op;
	/** @id: returned in the acknowledgment */
	__le32 id;
	/** @context: context id, if the command uses it */
	__le32 context;
	/** @queue: queue id, if the command uses it */
	__le32 queue;
	/** @addr: see the command */
	__le64 addr;
	/** @size: see the command */
	__le64 size;
	/** @value: see the command */
	__le64 value;
	/** @reserved: 0 */
	__le64 reserved[3];
};
NNACCEL_CHECK_SIZE(struct nnaccel_admin_cmd, NNACCEL_SLOT_SIZE);

/** NNACCEL_JOB_RUN - struct nnaccel_job.op: run a program */
#define NNACCEL_JOB_RUN		1u
/** NNACCEL_JOB_NULL - struct nnaccel_job.op: complete at once; num_args is 0 */
#define NNACCEL_JOB_NULL	2u

/**
 * struct nnaccel_job - first slot of a job in a queue ring; @num_args argument slots follow it
 *
 * All slots of a job are published by one store of the tail.
 */
struct nnaccel_job {
	/** @op: %NNACCEL_JOB_RUN or %NNACCEL_JOB_NULL */
	__le16 op;
	/** @flags: 0 */
	__le16 flags;
	/** @num_args: argument slots that follow */
	__le32 num_args;
	/** @seqno: sequence number in the queue, from 1; the host skips jobs that it ended itself */
	__le64 seqno;
	/** @program_addr: device address of the program in the queue's context */
	__le64 program_addr;
	/** @program_size: bytes of the program */
	__le64 program_size;
	/**
	 * @program_generation: the client changes it when the bytes at the address change: the firmware keeps
	 * its verified copy under (context, address, generation)
	 */
	__le64 program_generation;
	/** @result_addr: device address of a struct nnaccel_result; 0: none */
	__le64 result_addr;
	/** @result_size: bytes available there; the result is truncated to them */
	__le32 result_size;
	/** @pad: 0 */
	__le32 pad;
	/** @loop_ns: limit of each WHILE entry, ns; 0: %NNACCEL_LOOP_NS_DEFAULT */
	__le64 loop_ns;
};
NNACCEL_CHECK_SIZE(struct nnaccel_job, NNACCEL_SLOT_SIZE);

#define NNACCEL_LOOP_NS_DEFAULT	2000000000ull
#define NNACCEL_LOOP_NS_MAX	15000000000ull

/** NNACCEL_MAX_RANK - most dimensions of a tensor */
#define NNACCEL_MAX_RANK	10u
/** NNACCEL_MAX_ARGS - most arguments of a job */
#define NNACCEL_MAX_ARGS	1023u

/** NNACCEL_ARG_OMITTED - the optional input is omitted; addr, size and rank are 0 */
#define NNACCEL_ARG_OMITTED	(1u << 0)
#define NNACCEL_ARG_FLAGS	(NNACCEL_ARG_OMITTED)

/**
 * struct nnaccel_arg - one argument: the program's inputs in order, then its outputs in order
 */
struct nnaccel_arg {
	/** @addr: device address of the first element; 0 is allowed only with size 0 */
	__le64 addr;
	/** @size: bytes of the buffer; inputs: the size of the tensor, outputs: at least that */
	__le64 size;
	/** @flags: %NNACCEL_ARG_ bits */
	__le32 flags;
	/** @rank: number of dims given; 0: the shape is the program's */
	__le32 rank;
	/** @dims: inputs: the complete shape; outputs: known extents, 0 if unknown; others 0 */
	__le32 dims[NNACCEL_MAX_RANK];
};
NNACCEL_CHECK_SIZE(struct nnaccel_arg, NNACCEL_SLOT_SIZE);

/** NNACCEL_COMPLETION_JOB - struct nnaccel_completion.kind: a job ended */
#define NNACCEL_COMPLETION_JOB		1u
/** NNACCEL_COMPLETION_ADMIN - struct nnaccel_completion.kind: an admin command was served */
#define NNACCEL_COMPLETION_ADMIN	2u

/**
 * struct nnaccel_completion - one slot of the completion ring
 */
struct nnaccel_completion {
	/** @kind: %NNACCEL_COMPLETION_JOB or %NNACCEL_COMPLETION_ADMIN */
	__le32 kind;
	/** @queue: queue of the job; ADMIN: 0 */
	__le32 queue;
	/** @seqno: sequence number of the job; ADMIN: id of the command */
	__le64 seqno;
	/** @status: enum nnaccel_status below %NNACCEL_STATUS_FIRMWARE_COUNT */
	__le32 status;
	/** @generation: generation of the firmware that wrote it */
	__le32 generation;
	/** @start_ns: device clock when the job first ran */
	__le64 start_ns;
	/** @end_ns: device clock when the job ended, at least start_ns */
	__le64 end_ns;
	/** @fault_addr: with %NNACCEL_STATUS_FAULT the device address of the fault, else 0 */
	__le64 fault_addr;
	/**
	 * @value: ADMIN: see the command; JOB: with %NNACCEL_CAP_QUEUE_TIME the time in ns that the job held an
	 * engine, else 0
	 */
	__le64 value;
	/** @reserved: 0 */
	__le64 reserved;
};
NNACCEL_CHECK_SIZE(struct nnaccel_completion, NNACCEL_SLOT_SIZE);

#endif
