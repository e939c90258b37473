/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * The node of the emulated device: a process of this machine is the accelerator.
 *
 * The process that opens the node is the slot of the device contract, and a child of it the card. Both
 * speak the contract as a card on a bus does; this header has only what a bus does for one: memory,
 * doorbells and interrupts. A bus address is an offset of the node:
 *
 *   0                                  struct nnaccel_regs, %NNACCEL_REGS_SIZE bytes; slot and card
 *   below %NNACCEL_EMU_SPACE           rings and other memory of the host; the card
 *   N * %NNACCEL_EMU_SPACE + address   a device address; nnaccel_ctx_reg.pt_root is the N * %NNACCEL_EMU_SPACE
 *                                      of the context; the card
 *
 * The card maps an offset with mmap(), MAP_SHARED. A range need not be mapped by the host as a whole: an
 * access to a part that is not, or a mapping that may write to memory which the device may only read, is
 * a SIGBUS. %NNACCEL_EMU_IOC_CHECK tells before. The host takes memory away once the card has
 * acknowledged it (TLB_INVALIDATE, QUEUE_DESTROY, CTX_CLOSE), or was stopped.
 *
 * The node has one user at a time, and needs CAP_SYS_ADMIN: the card sees the memory of all clients. The
 * device goes when the last descriptor and the last mapping of the node are closed.
 */
#ifndef _UAPI_NNACCEL_EMU_H_
#define _UAPI_NNACCEL_EMU_H_

#include <linux/ioctl.h>
#include <linux/types.h>

#include "nnaccel_regs.h"

#if defined(__cplusplus)
extern "C" {
#endif

/** NNACCEL_EMU_VERSION - version of this interface */
#define NNACCEL_EMU_VERSION	1u

/** NNACCEL_EMU_SPACE - bytes of the offsets of one address space */
#define NNACCEL_EMU_SPACE	(1ull << 40)

/**
 * struct nnaccel_emu_plug - argument of %NNACCEL_EMU_IOC_PLUG
 */
struct nnaccel_emu_plug {
	/** @version: %NNACCEL_EMU_VERSION */
	__u32 version;
	/** @flags: 0 */
	__u32 flags;
	/** @doorbell: eventfds that the kernel signals, by enum nnaccel_doorbell; it keeps them */
	__s32 doorbell[NNACCEL_NUM_DOORBELLS];
};
NNACCEL_CHECK_SIZE(struct nnaccel_emu_plug, 24);

/**
 * struct nnaccel_emu_range - argument of %NNACCEL_EMU_IOC_CHECK
 */
struct nnaccel_emu_range {
	/** @addr: first bus address */
	__u64 addr;
	/** @size: bytes, not 0 */
	__u64 size;
	/** @fault: with EFAULT: the first address that cannot be reached */
	__u64 fault;
	/** @write: 1: for writing too; 0: for reading */
	__u32 write;
	/** @reserved: 0 */
	__u32 reserved;
};
NNACCEL_CHECK_SIZE(struct nnaccel_emu_range, 32);

#define NNACCEL_EMU_IOC		0xe4

/**
 * NNACCEL_EMU_IOC_PLUG - the slot: make the device, whose magic, layout and link are in the registers
 *
 * Once for each open node. Returns when /dev/accel has the device; a card that has started before is
 * brought up with it. EINVAL: version, flags, a descriptor; EBUSY: it is plugged; ENXIO: the driver has
 * refused the device, for the reason in the kernel's log.
 */
#define NNACCEL_EMU_IOC_PLUG	_IOW(NNACCEL_EMU_IOC, 0, struct nnaccel_emu_plug)
/**
 * NNACCEL_EMU_IOC_START - the slot: a card starts, and the next CLAIM is its. No earlier card has access to
 * memory any more
 */
#define NNACCEL_EMU_IOC_START	_IO(NNACCEL_EMU_IOC, 1)
/**
 * NNACCEL_EMU_IOC_CLAIM - the card: memory of this process is the card's, until the device is stopped. EACCES:
 * no START was before it
 */
#define NNACCEL_EMU_IOC_CLAIM	_IO(NNACCEL_EMU_IOC, 2)
/**
 * NNACCEL_EMU_IOC_RAISE - raise an interrupt (enum nnaccel_irq, by value); one before PLUG is kept. EINVAL: no
 * such interrupt
 */
#define NNACCEL_EMU_IOC_RAISE	_IO(NNACCEL_EMU_IOC, 3)
/**
 * NNACCEL_EMU_IOC_CHECK - whether a range can be reached. EFAULT with nnaccel_emu_range.fault; EINVAL
 */
#define NNACCEL_EMU_IOC_CHECK	_IOWR(NNACCEL_EMU_IOC, 4, struct nnaccel_emu_range)

#if defined(__cplusplus)
}
#endif

#endif
