/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_IRQ_H_
#define _NNACCEL_IRQ_H_

#include <linux/types.h>

struct nnaccel_device;

int nnaccel_irq_request(struct nnaccel_device *ndev);
void nnaccel_irq_release(struct nnaccel_device *ndev);
void nnaccel_irq_enable(struct nnaccel_device *ndev, bool on);
void nnaccel_irq_sync(struct nnaccel_device *ndev);

#endif
