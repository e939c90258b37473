/* SPDX-License-Identifier: GPL-2.0-only */
/* The completion ring. */
#ifndef _NNACCEL_CQ_H_
#define _NNACCEL_CQ_H_

#include <linux/irqreturn.h>

struct nnaccel_device;
struct nnaccel_queue;

int nnaccel_cq_init(struct nnaccel_device *ndev);
void nnaccel_cq_start(struct nnaccel_device *ndev);
void nnaccel_cq_stop(struct nnaccel_device *ndev);
void nnaccel_cq_drain(struct nnaccel_device *ndev);

irqreturn_t nnaccel_cq_irq(struct nnaccel_device *ndev);
irqreturn_t nnaccel_cq_thread(struct nnaccel_device *ndev);

int nnaccel_cq_add_queue(struct nnaccel_device *ndev, struct nnaccel_queue *queue);
void nnaccel_cq_remove_queue(struct nnaccel_device *ndev, struct nnaccel_queue *queue);
struct nnaccel_queue *nnaccel_cq_get_queue(struct nnaccel_device *ndev, u32 id);

#endif
