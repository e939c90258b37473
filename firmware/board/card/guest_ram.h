/* SPDX-License-Identifier: Apache-2.0 */
/* Guest RAM by bus address. Any thread. */
#ifndef NNBOARD_GUEST_RAM_H
#define NNBOARD_GUEST_RAM_H

#include <stdint.h>

/** Guest RAM: the file that QEMU maps too, mapped once and for all. */
struct guest_ram {
	int fd;
	uint8_t *base;
	uint64_t size;
	/** Bytes from bus address 0 up; the rest of the file is at 4 GiB and above (q35). */
	uint64_t low;
};

/** Where q35 splits RAM of @size bytes. */
uint64_t guest_ram_low(uint64_t size);
/** Map @size bytes of @fd; @low 0: q35's own rule. 0 or -errno. */
int guest_ram_map(struct guest_ram *ram, int fd, uint64_t size, uint64_t low);
void guest_ram_unmap(struct guest_ram *ram);
/** File offset of [@bus, @bus + @len), len > 0. 0, or -EFAULT when any byte of it is no RAM. */
int guest_ram_offset(const struct guest_ram *ram, uint64_t bus, uint64_t len, uint64_t *offset);
/** Pointer to [@bus, @bus + @len), or NULL. */
void *guest_ram_ptr(const struct guest_ram *ram, uint64_t bus, uint64_t len);

#endif
