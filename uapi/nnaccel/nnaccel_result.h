/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Device contract, part 4: the result of a job beyond its status. The firmware writes it into client
 * memory (nnaccel_job.result_addr) before the completion. The kernel never reads it; the client validates
 * it like any input.
 */
#ifndef _UAPI_NNACCEL_RESULT_H_
#define _UAPI_NNACCEL_RESULT_H_

#include "nnaccel_ring.h"

/** NNACCEL_OUTPUT_SUFFICIENT - the output's buffer was large enough */
#define NNACCEL_OUTPUT_SUFFICIENT	(1u << 0)
/** NNACCEL_OUTPUT_KNOWN - rank and dims are valid */
#define NNACCEL_OUTPUT_KNOWN		(1u << 1)

/**
 * struct nnaccel_output_shape - shape of one output
 */
struct nnaccel_output_shape {
	/** @flags: %NNACCEL_OUTPUT_ bits */
	__le32 flags;
	/** @rank: number of dims */
	__le32 rank;
	/** @dims: extents, all known; 0: the tensor has no elements */
	__le32 dims[NNACCEL_MAX_RANK];
	/** @size: bytes needed */
	__le64 size;
	/** @reserved: 0 */
	__le64 reserved;
};
NNACCEL_CHECK_SIZE(struct nnaccel_output_shape, 64);

/** NNACCEL_OP_TIME_NO_TYPE - nnaccel_op_time.type: the operation has no input */
#define NNACCEL_OP_TIME_NO_TYPE		(~0u)

/**
 * struct nnaccel_op_time - an operation of the program that ran, and its time (contract 1.3)
 */
struct nnaccel_op_time {
	/** @subgraph: number of the subgraph */
	__le32 subgraph;
	/** @operation: number of the operation in it */
	__le32 operation;
	/** @opcode: of the program's operation */
	__le32 opcode;
	/** @type: data type of its first input, as programs number them, or %NNACCEL_OP_TIME_NO_TYPE */
	__le32 type;
	/** @times: that it ran: several in a loop */
	__le64 times;
	/** @ns: from its begins to its ends, all times together; other jobs may have had the engine meanwhile */
	__le64 ns;
	/** @macs: multiply-adds of one time; 0: it has none, or none are counted */
	__le64 macs;
	/** @elements: of its outputs, one time */
	__le64 elements;
	/** @bytes: of inputs, weights and outputs, each once, one time */
	__le64 bytes;
	/** @reserved: 0 */
	__le64 reserved;
};
NNACCEL_CHECK_SIZE(struct nnaccel_op_time, 64);

/** NNACCEL_RESULT_TEXT - bytes of the message of a failed run */
#define NNACCEL_RESULT_TEXT	128

/**
 * struct nnaccel_result - head of the result; @num_outputs struct nnaccel_output_shape follow it, and
 * @num_op_times struct nnaccel_op_time these
 *
 * A client that gives more memory than head and shapes take gets the times of operations in what is left,
 * those of the first operations if it is too small for all.
 */
struct nnaccel_result {
	/** @seqno: sequence number of the job */
	__le64 seqno;
	/** @status: enum nnaccel_status */
	__le32 status;
	/** @num_outputs: entries that follow */
	__le32 num_outputs;
	/** @offset: BAD_PROGRAM: byte offset of the error in the program */
	__le64 offset;
	/** @operation: EXEC_FAILED: number of the operation in its subgraph; else ~0 */
	__le32 operation;
	/** @subgraph: EXEC_FAILED: number of the subgraph; else ~0 */
	__le32 subgraph;
	/** @bytes_direct: bytes of argument memory used in place */
	__le64 bytes_direct;
	/** @bytes_bounced: bytes of argument memory that were copied */
	__le64 bytes_bounced;
	/** @arena_peak: most bytes of intermediate tensors at any time */
	__le64 arena_peak;
	/** @num_op_times: entries that follow the shapes; 0 from firmware before contract 1.3 */
	__le32 num_op_times;
	/** @reserved: 0 */
	__le32 reserved;
	/** @text: reason in English, NUL-terminated; empty when the run succeeded */
	__u8 text[NNACCEL_RESULT_TEXT];
};
NNACCEL_CHECK_SIZE(struct nnaccel_result, 192);

#endif
