// SPDX-License-Identifier: Apache-2.0
/*
 * The emulated system on a chip: power, clocks and reset of an accelerator that is no PCI card, and
 * the memory that its firmware is loaded into (uapi/nnaccel/nnaccel_soc.h).
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "board.h"
#include "slot/slot.h"

/* Registers without power read as ones. */
#define DARK 0xff

static const char payload[] = "The firmware of the emulated board is the program nnaccel-card.";

static struct nnaccel_soc *soc_control(struct slot *slot)
{
	return (struct nnaccel_soc *)((uint8_t *)slot->regs + NNACCEL_SOC_CONTROL);
}

static void soc_count(const char *what, __le32 *counter)
{
	fprintf(stderr, "nnaccel-slot: %s\n", what);
	reg_set32(counter, reg_get32(counter) + 1);
}

static bool soc_is_dark(const struct slot *slot)
{
	const uint8_t *regs = (const uint8_t *)slot->regs;

	for (size_t i = 0; i < NNACCEL_REGS_SIZE; i++)
		if (regs[i] != DARK)
			return false;
	return true;
}

static void soc_power_off(struct slot *slot)
{
	memset(slot->regs, DARK, NNACCEL_REGS_SIZE);
	memset((uint8_t *)slot->regs + NNACCEL_SOC_FIRMWARE, 0, NNACCEL_SOC_FIRMWARE_SIZE);
}

static void soc_power_on(struct slot *slot)
{
	if (!soc_is_dark(slot))
		soc_count("a register was written without power", &soc_control(slot)->violations);
	memset(slot->regs, 0, NNACCEL_REGS_SIZE);
	slot_set_registers(slot);
}

/* The check of the chip's ROM. The host cannot write to the firmware meanwhile: it waits. */
static bool soc_firmware_valid(struct slot *slot)
{
	const uint8_t *at = (const uint8_t *)slot->regs + NNACCEL_SOC_FIRMWARE;
	struct nnaccel_soc_image image;
	uint32_t size;

	memcpy(&image, at, sizeof(image));
	size = le32toh(image.size);
	return le32toh(image.magic) == NNACCEL_SOC_IMAGE_MAGIC && size &&
	       size <= NNACCEL_SOC_FIRMWARE_SIZE - sizeof(image) &&
	       crc32(0, at + sizeof(image), size) == le32toh(image.crc32);
}

void soc_begin(struct slot *slot)
{
	slot->soc_off = true;
	soc_power_off(slot);
}

void soc_update(struct slot *slot)
{
	struct nnaccel_soc *soc = soc_control(slot);
	const uint32_t req = reg_get32(&soc->req);
	bool power, clocks, run;

	if (slot->reset_off || req == reg_get32(&soc->ack))
		return;
	power = reg_get32(&soc->power);
	clocks = reg_get32(&soc->clocks) == NNACCEL_SOC_CLOCKS;
	run = reg_get32(&soc->deasserted);
	slot->resets += slot->soc_deasserted && !run;
	slot->soc_deasserted = run;
	if (run && !(power && clocks)) {
		soc_count("the reset is not asserted, and power or a clock is off",
			  &soc->violations);
		run = false;
	}
	if (!run) {
		slot->soc_off = true;
		card_process_kill(slot);
	}
	if (power != slot->soc_powered) {
		slot->soc_powered = power;
		if (power)
			soc_power_on(slot);
		else
			soc_power_off(slot);
	}
	if (run && slot->soc_off) {
		slot->soc_off = !soc_firmware_valid(slot);
		soc_count(slot->soc_off ? "the firmware is not valid" : "the firmware was taken",
			  slot->soc_off ? &soc->refused : &soc->boots);
		slot->immediate = true;
		/* Firmware that boots is there, for a host that looks at the link next. */
		card_process_start_if_due(slot);
	}
	reg_set32(&soc->ack, req);
}

int soc_firmware_write(const char *dir)
{
	const struct nnaccel_soc_image image = {
		.magic = htole32(NNACCEL_SOC_IMAGE_MAGIC),
		.size = htole32(sizeof(payload)),
		.crc32 = htole32((uint32_t)crc32(0, (const Bytef *)payload, sizeof(payload))),
	};
	char path[4096];
	FILE *f;
	bool done;

	if (snprintf(path, sizeof(path), "%s/%s", dir, SOC_FIRMWARE_FILE) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	f = fopen(path, "we");
	if (!f)
		return -errno;
	done = fwrite(&image, sizeof(image), 1, f) == 1 &&
	       fwrite(payload, sizeof(payload), 1, f) == 1;
	return fclose(f) || !done ? -EIO : 0;
}
