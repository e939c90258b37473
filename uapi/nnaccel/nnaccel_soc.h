/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * The emulated system on a chip (nnaccel-slot --soc): what is around the accelerator of a board, beside its
 * registers in BAR2. For the tests of the driver's platform backend; no part of the device contract.
 *
 * The host stores what it wants, then a new number in req, and rings NNACCEL_DOORBELL_RESET; the slot has
 * carried it out when ack has that number. The accelerator runs while it has power and clocks, and its reset
 * is not asserted. Without power its registers read as ones, and registers and firmware are lost.
 */
#ifndef _UAPI_NNACCEL_SOC_H_
#define _UAPI_NNACCEL_SOC_H_

#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** NNACCEL_SOC_CONTROL - offset of struct nnaccel_soc in BAR2 */
#define NNACCEL_SOC_CONTROL		0x8000u
/** NNACCEL_SOC_FIRMWARE - offset in BAR2 of the memory for the firmware */
#define NNACCEL_SOC_FIRMWARE		0x80000u
/** NNACCEL_SOC_FIRMWARE_SIZE - its bytes */
#define NNACCEL_SOC_FIRMWARE_SIZE	0x80000u

/** NNACCEL_SOC_CLOCK_CORE - bit of nnaccel_soc.clocks */
#define NNACCEL_SOC_CLOCK_CORE		(1u << 0)
/** NNACCEL_SOC_CLOCK_BUS - bit of nnaccel_soc.clocks */
#define NNACCEL_SOC_CLOCK_BUS		(1u << 1)
/** NNACCEL_SOC_CLOCKS - all of them */
#define NNACCEL_SOC_CLOCKS		(NNACCEL_SOC_CLOCK_CORE | NNACCEL_SOC_CLOCK_BUS)

/**
 * struct nnaccel_soc - control of power, clocks and reset
 */
struct nnaccel_soc {
	/* writer: host */

	/** @power: 1: supplied */
	__le32 power;
	/** @clocks: NNACCEL_SOC_CLOCK_ bits of those that run */
	__le32 clocks;
	/** @deasserted: 1: the reset is not asserted */
	__le32 deasserted;
	/** @req: number of the request */
	__le32 req;
	/** @reserved0: 0 */
	__le32 reserved0[12];

	/* writer: slot */

	/** @ack: request that was carried out */
	__le32 ack;
	/** @violations: uses that would hang a real chip: registers without power, a reset deasserted without clocks */
	__le32 violations;
	/** @boots: valid firmwares that were started */
	__le32 boots;
	/** @refused: firmwares that were not valid, and were not started */
	__le32 refused;
	/** @reserved1: 0 */
	__le32 reserved1[12];
};

/** NNACCEL_SOC_IMAGE_MAGIC - 'NNFW' */
#define NNACCEL_SOC_IMAGE_MAGIC		0x57464e4eu

/**
 * struct nnaccel_soc_image - head of a firmware
 */
struct nnaccel_soc_image {
	/** @magic: %NNACCEL_SOC_IMAGE_MAGIC */
	__le32 magic;
	/** @size: bytes behind this head */
	__le32 size;
	/** @crc32: of these bytes, as zlib's */
	__le32 crc32;
	/** @reserved: 0 */
	__le32 reserved;
};

#if defined(__cplusplus)
}
#endif

#endif
