/* SPDX-License-Identifier: GPL-2.0-only */
/* Core dumps; uapi/nnaccel/nnaccel_coredump.h is the format. */
#ifndef _NNACCEL_COREDUMP_H_
#define _NNACCEL_COREDUMP_H_

#include <linux/types.h>

struct nnaccel_device;

int nnaccel_coredump_init(struct nnaccel_device *ndev);
void nnaccel_coredump_take_locked(struct nnaccel_device *ndev, u32 reason);
void nnaccel_coredump_flush(struct nnaccel_device *ndev);

#endif
