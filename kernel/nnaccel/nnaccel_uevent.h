/* SPDX-License-Identifier: GPL-2.0-only */
/* Uevents: notify an administrator's programs of a card that failed. */
#ifndef _NNACCEL_UEVENT_H_
#define _NNACCEL_UEVENT_H_

struct nnaccel_device;

/**
 * enum nnaccel_uevent - bits of struct nnaccel_device.uevents
 */
enum nnaccel_uevent {
	/** @NNACCEL_UEVENT_RECOVERED: the card failed, and was reset or replaced */
	NNACCEL_UEVENT_RECOVERED,
	/** @NNACCEL_UEVENT_WEDGED: the card cannot be used until an administrator repairs it */
	NNACCEL_UEVENT_WEDGED,
	/* private: */
	NNACCEL_NUM_UEVENTS,
};

void nnaccel_uevent_init(struct nnaccel_device *ndev);
void nnaccel_uevent_post(struct nnaccel_device *ndev, enum nnaccel_uevent event);
void nnaccel_uevent_start(struct nnaccel_device *ndev);
void nnaccel_uevent_stop(struct nnaccel_device *ndev);

#endif
