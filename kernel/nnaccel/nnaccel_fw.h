/* SPDX-License-Identifier: GPL-2.0-only */
/* Handshake with the firmware. */
#ifndef _NNACCEL_FW_H_
#define _NNACCEL_FW_H_

#include <linux/types.h>

struct nnaccel_device;
struct nnaccel_fw_counters;

/**
 * struct nnaccel_fw_telemetry - registers of %NNACCEL_CAP_TELEMETRY
 */
struct nnaccel_fw_telemetry {
	/** @temperature_mc: thousandths of a degree Celsius */
	s32 temperature_mc;
	/** @power_mw: mW */
	u32 power_mw;
	/** @clock_mhz: MHz */
	u32 clock_mhz;
	/** @max_clock_mhz: MHz */
	u32 max_clock_mhz;
};

u32 nnaccel_fw_look(struct nnaccel_device *ndev, u32 *generation);
bool nnaccel_fw_lost(struct nnaccel_device *ndev);
int nnaccel_fw_start(struct nnaccel_device *ndev);
u32 nnaccel_fw_max_args(struct nnaccel_device *ndev);
void nnaccel_fw_save_counters(struct nnaccel_device *ndev);
int nnaccel_fw_get_telemetry(struct nnaccel_device *ndev, struct nnaccel_fw_telemetry *now);
void nnaccel_fw_get_counters(struct nnaccel_device *ndev, struct nnaccel_fw_counters *counters);

#endif
