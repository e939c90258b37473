/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From NNAPI operations to device operations. Private to libnnhal. A file per operation family
 * (ops/<family>.c) with a row per NNAPI operation.
 */
#ifndef NNHAL_LOWER_H
#define NNHAL_LOWER_H

#include "nnmodel.h"
#include "nnprog_opcode.h"

/** What the device can do, from DEV_QUERY or the plugin: struct nnaccel_opset_header and entries,
 * checked by nnhal_opset_parse(). */
struct nnhal_opset {
	uint32_t version;
	uint32_t extensions; /* bit i: it has nnhal_lower_extension(i) */
	struct {
		bool present;
		uint32_t types; /* mask of nnprog_dtype of input 0 */
		uint32_t max_rank;
		uint32_t speed;
		uint64_t build;
	} ops[NNPROG_OP_COUNT];
};
/** Parse hostile bytes. 0 or -EINVAL. */
int nnhal_opset_parse(const void *bytes, size_t size, struct nnhal_opset *opset);

/**
 * An operand type of an extension; struct lower_extension has the operations.
 */
struct nnhal_lower_type {
	uint16_t code; /* within the extension */
	bool is_tensor;
	uint32_t byte_size; /* of a scalar or an element */
	uint32_t dtype; /* enum nnprog_dtype */
};
/** Extension number @i of this driver: its name and types; NULL: there are fewer. */
const char *nnhal_lower_extension(uint32_t i, const struct nnhal_lower_type **types,
				  uint32_t *num_types);
/**
 * An operand type of @model, by the names of its prefixes. NULL: not known to this driver.
 */
const struct nnhal_lower_type *nnhal_lower_type(const struct nnmodel *model, uint32_t type);

/** A program whose inputs and outputs are main's, in order. */
struct nnhal_lowered {
	void *bytes; /* free() */
	size_t size;
};

/**
 * Lower a validated model: fuse, infer what is static, plan memory, write. 0; -EOPNOTSUPP with @err
 * naming the operation; -ENOMEM; -EINVAL (shapes that contradict each other).
 */
int nnhal_lower_model(const struct nnmodel *model, const struct nnhal_opset *opset,
		      struct nnhal_lowered *out, struct nnmodel_error *err);
/** Callbacks of a caller of nnhal_lower_model_for(). */
struct nnhal_lower_client {
	bool (*stop)(void *cookie); /* called before every operation; true: it fails with -ETIME */
	/*
	 * Zeroed memory of the program, which stays the client's; NULL: there is none. @shared of
	 * the bytes come by @share, which may be called if the memory begins with a page.
	 */
	void *(*memory)(void *cookie, size_t size, size_t shared);
	/*
	 * Map whole pages of a file that nothing can change any more, readable, over those at @to.
	 * 0, or -errno, with which lowering fails. NULL: they are copied.
	 */
	int (*share)(void *cookie, void *to, size_t size, int fd, uint64_t offset);
	void *cookie;
};
/** nnhal_lower_model() with callbacks; members of @client that are NULL are not called. */
int nnhal_lower_model_for(const struct nnhal_lower_client *client, const struct nnmodel *model,
			  const struct nnhal_opset *opset, struct nnhal_lowered *out,
			  struct nnmodel_error *err);

/**
 * Per operation of main whether nnhal_lower_model() can take it on this device; @reasons as in
 * nnhal_device_ops.get_supported_operations, may be NULL. 0 or -ENOMEM.
 */
int nnhal_lower_supported(const struct nnmodel *model, const struct nnhal_opset *opset,
			  bool *supported, char **reasons);

#endif
