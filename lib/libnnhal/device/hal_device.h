/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device over a transport, and what all its objects share. driver/idevice.c has its methods.
 *
 * Lifetimes: a device lives until its client, every prepared model, every task and every fenced job
 * on it drop their references; a prepared model until its client and every execution on it do. So
 * destroy() never waits for work.
 *
 * Every method that touches more than constants checks first, before any lock, whether its object
 * is inherited (nnutil_process.h).
 *
 * Locks. None is held in a callback of the client. The locks of a burst's memories and of a fenced
 * job are taken before others; those of imports, queues, reaper, buffers, a buffer, and a prepared
 * model's staging areas are taken last. Private to libnnhal.
 */
#ifndef NNHAL_HAL_DEVICE_H
#define NNHAL_HAL_DEVICE_H

#include <stdatomic.h>

#include "nnutil_process.h"
#include "base/ref.h"
#include "device/queue_pool.h"
#include "device/reaper.h"
#include "lower/nnhal_lower.h"
#include "memory/ibuffer.h"
#include "memory/import_cache.h"
#include "transport/transport.h"

struct nnhal_dev {
	struct nnhal_device base;
	const struct nnhal_prepared_model_ops *pm_ops; /* of its prepared models */
	unsigned int process; /* that made it */
	struct nnhal_ref ref;
	struct nnhal_transport *t;
	struct nnhal_opset opset;
	char version[64];
	/* NNACCEL_FENCES=1: executions that no fence of the transport stands for return one of user
	 * space at once
	 */
	bool user_fences;
	struct nnhal_queues queues;
	struct nnhal_imports imports;
	struct nnhal_reaper reaper;
	struct nnhal_buffers buffers;
	atomic_ullong program_generation;
	struct {
		atomic_ullong executions, staged_in, staged_out, bounced, in_place;
	} counters;
};

/** Another process made it: its methods answer DEAD_OBJECT, and destroy() leaves it as it is. */
static inline bool nnhal_inherited(const struct nnhal_dev *dev)
{
	return nnutil_process_inherited(dev->process);
}

/** Takes @t over on success only. 0 or -errno with @message (@size bytes). */
int nnhal_dev_new(struct nnhal_transport *t, const struct nnhal_device_ops *ops,
		  const struct nnhal_prepared_model_ops *pm_ops, struct nnhal_dev **dev,
		  char *message, size_t size);
struct nnhal_dev *nnhal_dev_get(struct nnhal_dev *dev);
void nnhal_dev_put(struct nnhal_dev *dev);

#endif
