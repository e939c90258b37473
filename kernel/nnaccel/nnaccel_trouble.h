/* SPDX-License-Identifier: GPL-2.0-only */
/* Trouble with the card, and signs of its life. */
#ifndef _NNACCEL_TROUBLE_H_
#define _NNACCEL_TROUBLE_H_

#include <linux/types.h>

struct nnaccel_device;

/**
 * enum nnaccel_trouble - why the recovery worker is woken; bits of struct nnaccel_device.trouble
 */
enum nnaccel_trouble {
	/** @NNACCEL_TROUBLE_EVENT: the event interrupt: state or link of the card changed */
	NNACCEL_TROUBLE_EVENT,
	/** @NNACCEL_TROUBLE_HUNG: a job on the engine did not answer its abort */
	NNACCEL_TROUBLE_HUNG,
	/** @NNACCEL_TROUBLE_PROTOCOL: the device violated the device contract */
	NNACCEL_TROUBLE_PROTOCOL,
	/** @NNACCEL_TROUBLE_ADMIN: an admin command went unanswered */
	NNACCEL_TROUBLE_ADMIN,
	/** @NNACCEL_TROUBLE_HEARTBEAT: the heartbeat stands still */
	NNACCEL_TROUBLE_HEARTBEAT,
	/** @NNACCEL_TROUBLE_FIRMWARE: the firmware reports that it cannot go on */
	NNACCEL_TROUBLE_FIRMWARE,
	/** @NNACCEL_TROUBLE_BUS: the bus reports an error: data of jobs may be lost */
	NNACCEL_TROUBLE_BUS,
	/** @NNACCEL_TROUBLE_IDLE: the card has jobs in its rings and runs none */
	NNACCEL_TROUBLE_IDLE,
	/* private: */
	NNACCEL_NUM_TROUBLES,
};

/**
 * enum nnaccel_sign - what is known of the card that state and generation describe
 */
enum nnaccel_sign {
	/** @NNACCEL_SIGN_ALIVE: its registers say that it is there */
	NNACCEL_SIGN_ALIVE,
	/** @NNACCEL_SIGN_DEAD: it cannot access memory any more */
	NNACCEL_SIGN_DEAD,
	/** @NNACCEL_SIGN_UNREACHABLE: its registers have no values, which proves nothing */
	NNACCEL_SIGN_UNREACHABLE,
};

void nnaccel_schedule_recovery(struct nnaccel_device *ndev, enum nnaccel_trouble trouble);
void nnaccel_protocol_error(struct nnaccel_device *ndev, const char *what);
bool nnaccel_card_lost(struct nnaccel_device *ndev);
enum nnaccel_sign nnaccel_link_sign(struct nnaccel_device *ndev);
enum nnaccel_sign nnaccel_card_sign(struct nnaccel_device *ndev);

#endif
