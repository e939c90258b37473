/* SPDX-License-Identifier: GPL-2.0-only */
/* Recovery: the card's death, its reset, and bringing it up. */
#ifndef _NNACCEL_RESET_H_
#define _NNACCEL_RESET_H_

#include <linux/irqreturn.h>

enum nnaccel_trouble;
struct nnaccel_device;

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
enum nnaccel_sign nnaccel_card_sign(struct nnaccel_device *ndev);
irqreturn_t nnaccel_event_irq(struct nnaccel_device *ndev);

void nnaccel_recovery_init(struct nnaccel_device *ndev);
void nnaccel_recovery_start(struct nnaccel_device *ndev);
bool nnaccel_recovery_sleep(struct nnaccel_device *ndev, bool runtime);
void nnaccel_recovery_wake(struct nnaccel_device *ndev);
void nnaccel_recovery_block(struct nnaccel_device *ndev);
void nnaccel_recovery_give_up(struct nnaccel_device *ndev);
void nnaccel_recovery_unblock(struct nnaccel_device *ndev);
void nnaccel_recovery_fini(struct nnaccel_device *ndev);

#endif
