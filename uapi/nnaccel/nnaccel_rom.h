/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Device contract, part 0: by what a host knows that a PCI device is one of this contract, before it
 * touches a BAR.
 *
 * A device with a subsystem id of its own needs no more than that id. QEMU's ivshmem has the same ids in
 * every use and offers no property to change them; what each device can have of its own is the
 * expansion ROM (romfile=). So the emulated card has one of 512 bytes: a header and PCI data structure
 * as the PCI Firmware Specification has them, whose code type no firmware executes, and
 * struct nnaccel_rom_id at %NNACCEL_ROM_ID.
 */
#ifndef _UAPI_NNACCEL_ROM_H_
#define _UAPI_NNACCEL_ROM_H_

#include <linux/types.h>

#include "nnaccel_regs.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** NNACCEL_ROM_SIZE - bytes of the ROM, one unit of 512 */
#define NNACCEL_ROM_SIZE	512u
/** NNACCEL_ROM_ID - offset of struct nnaccel_rom_id */
#define NNACCEL_ROM_ID		0x40u

/**
 * struct nnaccel_rom_id - what the device is
 */
struct nnaccel_rom_id {
	/** @magic: %NNACCEL_MAGIC */
	__le32 magic;
	/** @contract_version: %NNACCEL_CONTRACT_VERSION of the slot */
	__le32 contract_version;
	/** @name: "nnaccel", zero-padded */
	__u8 name[8];
	/** @reserved: 0 */
	__u8 reserved[16];
};

NNACCEL_CHECK_SIZE(struct nnaccel_rom_id, 32);

#if defined(__cplusplus)
}
#endif

#endif
