/* SPDX-License-Identifier: GPL-2.0-only */
/* Handshake with the firmware. */
#ifndef _NNACCEL_FW_H_
#define _NNACCEL_FW_H_

#include <linux/types.h>

struct nnaccel_device;
struct nnaccel_fw_counters;

u32 nnaccel_fw_look(struct nnaccel_device *ndev, u32 *generation);
bool nnaccel_fw_lost(struct nnaccel_device *ndev);
int nnaccel_fw_start(struct nnaccel_device *ndev);
u32 nnaccel_fw_max_args(struct nnaccel_device *ndev);
void nnaccel_fw_save_counters(struct nnaccel_device *ndev);
void nnaccel_fw_get_counters(struct nnaccel_device *ndev, struct nnaccel_fw_counters *counters);

#endif
