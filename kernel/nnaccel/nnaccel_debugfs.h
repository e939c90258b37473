/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_DEBUGFS_H_
#define _NNACCEL_DEBUGFS_H_

struct nnaccel_device;

void nnaccel_debugfs_init(struct nnaccel_device *ndev);

#endif
