/* SPDX-License-Identifier: Apache-2.0 */
/* Guest RAM by bus address. Any thread. */
#ifndef NNBOARD_GUEST_RAM_H
#define NNBOARD_GUEST_RAM_H

#include <stdint.h>

/** Guest RAM: a mapping of the file that QEMU maps too. */
struct guest_ram {
	int fd;
	uint8_t *base;
	uint64_t size;
	/** Bytes from bus address 0 up; the remaining ones are at 4 GiB and above (q35). */
	uint64_t low;
};

/** Bytes below 4 GiB of @size bytes of RAM on q35. */
uint64_t guest_ram_low(uint64_t size);
/** Map @size bytes of @fd; @low 0: q35's own rule. 0 or -errno. */
int guest_ram_map(struct guest_ram *ram, int fd, uint64_t size, uint64_t low);
void guest_ram_unmap(struct guest_ram *ram);
/** File offset of [@bus, @bus + @len), len > 0. 0, or -EFAULT if any byte of it is not RAM. */
int guest_ram_offset(const struct guest_ram *ram, uint64_t bus, uint64_t len, uint64_t *offset);
/** Pointer to [@bus, @bus + @len), or NULL. */
void *guest_ram_ptr(const struct guest_ram *ram, uint64_t bus, uint64_t len);

#endif
