/* SPDX-License-Identifier: GPL-2.0-only */
/* Recovery: the card's death, its reset, and bringing it up. */
#ifndef _NNACCEL_RESET_H_
#define _NNACCEL_RESET_H_

#include <linux/irqreturn.h>

struct nnaccel_device;

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
