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

#endif
