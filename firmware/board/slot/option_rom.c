// SPDX-License-Identifier: Apache-2.0
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nnaccel/nnaccel_rom.h"
#include "slot/slot.h"

#define ROM_PCIR_POINTER 0x18
#define ROM_PCIR 0x1c
/* Of the values that the PCI Firmware Specification reserves: no firmware executes the image. */
#define ROM_CODE_TYPE 0xff
#define ROM_LAST_IMAGE 0x80
#define IVSHMEM_VENDOR 0x1af4
#define IVSHMEM_DEVICE 0x1110
/* Memory controller, RAM: ivshmem's class. */
#define IVSHMEM_CLASS 0x05

static void put16(uint8_t *at, unsigned int value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void option_rom_fill(uint8_t *rom)
{
	struct nnaccel_rom_id id = { .magic = htole32(NNACCEL_MAGIC),
				     .contract_version = htole32(NNACCEL_CONTRACT_VERSION),
				     .name = "nnaccel" };
	uint8_t *pcir = rom + ROM_PCIR;

	memset(rom, 0, NNACCEL_ROM_SIZE);
	put16(rom, 0xaa55);
	rom[2] = NNACCEL_ROM_SIZE / 512;
	put16(rom + ROM_PCIR_POINTER, ROM_PCIR);
	memcpy(pcir, (const uint8_t[]){ 'P', 'C', 'I', 'R' }, 4);
	put16(pcir + 4, IVSHMEM_VENDOR);
	put16(pcir + 6, IVSHMEM_DEVICE);
	put16(pcir + 10, 24); /* length of this structure */
	pcir[15] = IVSHMEM_CLASS;
	put16(pcir + 16, NNACCEL_ROM_SIZE / 512);
	pcir[20] = ROM_CODE_TYPE;
	pcir[21] = ROM_LAST_IMAGE;
	memcpy(rom + NNACCEL_ROM_ID, &id, sizeof(id));
}

int option_rom_write(const char *dir)
{
	uint8_t rom[NNACCEL_ROM_SIZE];
	char path[4096];
	FILE *f;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, OPTION_ROM_FILE);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	option_rom_fill(rom);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	n = fwrite(rom, sizeof(rom), 1, f) == 1;
	return fclose(f) || !n ? -EIO : 0;
}
