// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two interrupts of a device whose bus gives them numbers (nnaccel_device.irq): functions of
 * struct nnaccel_hw_ops for its backend.
 */

#include <linux/interrupt.h>

#include "nnaccel_cq.h"
#include "nnaccel_device.h"
#include "nnaccel_irq.h"
#include "nnaccel_reset.h"

static irqreturn_t nnaccel_irq_completion(int irq, void *arg)
{
	return nnaccel_cq_irq(arg);
}

static irqreturn_t nnaccel_irq_completion_thread(int irq, void *arg)
{
	return nnaccel_cq_thread(arg);
}

static irqreturn_t nnaccel_irq_event(int irq, void *arg)
{
	return nnaccel_event_irq(arg);
}

/**
 * nnaccel_irq_request() - install and enable the handlers
 * @ndev: device with both numbers set
 *
 * Return: 0 or a negative errno.
 */
int nnaccel_irq_request(struct nnaccel_device *ndev)
{
	int ret;

	ret = request_threaded_irq(ndev->irq.completion, nnaccel_irq_completion,
				   nnaccel_irq_completion_thread, 0, "nnaccel-completion", ndev);
	if (ret)
		return ret;
	ret = request_irq(ndev->irq.event, nnaccel_irq_event, 0, "nnaccel-event", ndev);
	if (ret)
		free_irq(ndev->irq.completion, ndev);
	return ret;
}

/**
 * nnaccel_irq_release() - remove the handlers; none is running on return
 * @ndev: device
 */
void nnaccel_irq_release(struct nnaccel_device *ndev)
{
	free_irq(ndev->irq.event, ndev);
	free_irq(ndev->irq.completion, ndev);
}

/**
 * nnaccel_irq_enable() - deliver interrupts, or keep them and wait for handlers that are running
 * @ndev: device
 * @on: deliver them
 */
void nnaccel_irq_enable(struct nnaccel_device *ndev, bool on)
{
	if (on) {
		enable_irq(ndev->irq.event);
		enable_irq(ndev->irq.completion);
	} else {
		disable_irq(ndev->irq.event);
		disable_irq(ndev->irq.completion);
	}
}

/**
 * nnaccel_irq_sync() - wait for handlers of completions that are running
 * @ndev: device
 */
void nnaccel_irq_sync(struct nnaccel_device *ndev)
{
	synchronize_irq(ndev->irq.completion);
}
