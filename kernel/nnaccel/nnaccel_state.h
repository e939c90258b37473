/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of the device: one machine of power and link. */
#ifndef _NNACCEL_STATE_H_
#define _NNACCEL_STATE_H_

#include <linux/types.h>

struct nnaccel_device;

/**
 * enum nnaccel_state - state of a device; the table "States" in Documentation/kernel.rst
 *
 * It says who may use the registers and whether the card may sleep. Two facts are not part of it:
 * nnaccel_device.gone is the request of removal, which waits for no lock, and
 * nnaccel_device.card_unsafe is about memory that a card may still write, in several states.
 */
enum nnaccel_state {
	/** @NNACCEL_STATE_ABSENT: there is no card, or none that has booted */
	NNACCEL_STATE_ABSENT,
	/** @NNACCEL_STATE_STARTING: a card is there, and is reset or brought up */
	NNACCEL_STATE_STARTING,
	/** @NNACCEL_STATE_ONLINE: the card takes jobs */
	NNACCEL_STATE_ONLINE,
	/** @NNACCEL_STATE_FALLING: it is being put to sleep; topo_lock is held throughout */
	NNACCEL_STATE_FALLING,
	/** @NNACCEL_STATE_ASLEEP: it has no address of host memory; registers are not used */
	NNACCEL_STATE_ASLEEP,
	/** @NNACCEL_STATE_WAKING: as STARTING, after ASLEEP */
	NNACCEL_STATE_WAKING,
	/**
	 * @NNACCEL_STATE_UNREACHABLE: registers have no values; the card may live, and is looked
	 * for
	 */
	NNACCEL_STATE_UNREACHABLE,
	/** @NNACCEL_STATE_BLOCKED: the bus is in error; registers are not used */
	NNACCEL_STATE_BLOCKED,
	/** @NNACCEL_STATE_DEAD: the same, and jobs end at once: the bus does not recover */
	NNACCEL_STATE_DEAD,
	/** @NNACCEL_STATE_FAILED: the card cannot be used: jobs end at once */
	NNACCEL_STATE_FAILED,
	/** @NNACCEL_STATE_GONE: the device was removed */
	NNACCEL_STATE_GONE,
	/* private: */
	NNACCEL_NUM_STATES,
};

void nnaccel_state_set_locked(struct nnaccel_device *ndev, enum nnaccel_state to);
const char *nnaccel_state_name(enum nnaccel_state state);
bool nnaccel_state_quiet(struct nnaccel_device *ndev);
bool nnaccel_state_reachable(struct nnaccel_device *ndev);
bool nnaccel_state_hopeless(struct nnaccel_device *ndev);
u32 nnaccel_state_public(struct nnaccel_device *ndev);

#endif
