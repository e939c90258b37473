/* SPDX-License-Identifier: GPL-2.0-only */
/* The slot of the device contract, for backends whose device has one. */
#ifndef _NNACCEL_SLOT_H_
#define _NNACCEL_SLOT_H_

#include <linux/types.h>

struct nnaccel_device;

bool nnaccel_slot_stop(struct nnaccel_device *ndev, bool final);

#endif
