/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Device contract, part 5: the operation set that a firmware reports (GET_OPSET), passed on by
 * DEV_QUERY as it is. One entry per device operation; numbers and types are libnnprog's.
 */
#ifndef _UAPI_NNACCEL_OPSET_H_
#define _UAPI_NNACCEL_OPSET_H_

#include "nnaccel_regs.h"

/** NNACCEL_OPSET_MAGIC - 'NNOS' */
#define NNACCEL_OPSET_MAGIC	0x534f4e4eu
/** NNACCEL_OPSET_MAX_SIZE - most bytes of an operation set */
#define NNACCEL_OPSET_MAX_SIZE	65536u

/**
 * struct nnaccel_opset_header - start of the operation set
 */
struct nnaccel_opset_header {
	/** @magic: %NNACCEL_OPSET_MAGIC */
	__le32 magic;
	/** @version: version of the numbering: libnnprog's NNPROG_OPSET_VERSION */
	__le32 version;
	/** @count: entries that follow */
	__le32 count;
	/** @stride: bytes from one entry to the next, at least 64 */
	__le32 stride;
};
NNACCEL_CHECK_SIZE(struct nnaccel_opset_header, 16);

/**
 * struct nnaccel_opset_entry - one device operation
 */
struct nnaccel_opset_entry {
	/** @opcode: libnnprog's number */
	__le32 opcode;
	/** @version: newest attribute layout that is understood */
	__le32 version;
	/** @types: bit per libnnprog data type that the first input may have */
	__le32 types;
	/** @max_rank: most dimensions of any operand */
	__le32 max_rank;
	/** @speed: relative speed class by measurement, 0: unknown; higher is faster */
	__le32 speed;
	/** @flags: 0 */
	__le32 flags;
	/** @name: operation name, NUL-terminated */
	__u8 name[32];
	/**
	 * @build: changes with the code that runs the operation; 0: not known. What a host keeps for the
	 * device (programs, measurements) is for the builds that it was made with.
	 */
	__le64 build;
};
NNACCEL_CHECK_SIZE(struct nnaccel_opset_entry, 64);

#endif
