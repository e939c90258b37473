/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a program while it is made. Private to libnnhal. */
#ifndef NNHAL_PROGRAM_MEMORY_H
#define NNHAL_PROGRAM_MEMORY_H

#include "device/hal_device.h"

/**
 * A program, or a file that has one: in the memory that the device gets, if nothing but this
 * process can write that, else in memory of the process, to be copied.
 */
struct nnhal_program {
	struct nnhal_tmem *mem; /* NULL: @bytes are malloc'ed */
	uint8_t *bytes; /* 64-byte aligned */
	size_t offset, size; /* of the program in @bytes */
};

/** Room for @size bytes, whose contents are zero in @mem and undefined in the process's memory. */
int nnhal_program_new(struct nnhal_program *p, struct nnhal_dev *dev, size_t size);
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

#endif
