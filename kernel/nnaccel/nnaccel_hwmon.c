// SPDX-License-Identifier: GPL-2.0-only
/*
 * Temperature and power for hwmon, where programs as sensors(1) look for them. Reading neither
 * wakes the card nor waits for it. The clock is not of hwmon: nnaccel_sysfs.c.
 */

#include <linux/err.h>
#include <linux/hwmon.h>
#include <linux/kconfig.h>

#include "nnaccel_device.h"
#include "nnaccel_fw.h"
#include "nnaccel_report.h"

#if IS_REACHABLE(CONFIG_HWMON)

static umode_t nnaccel_hwmon_is_visible(const void *drvdata, enum hwmon_sensor_types type, u32 attr,
					int channel)
{
	return 0444;
}

/* hwmon has microwatts. */
static int nnaccel_hwmon_read(struct device *dev, enum hwmon_sensor_types type, u32 attr,
			      int channel, long *val)
{
	struct nnaccel_fw_telemetry now;
	int ret = nnaccel_fw_get_telemetry(dev_get_drvdata(dev), &now);

	if (ret)
		return ret;
	*val = type == hwmon_temp ? now.temperature_mc : (long)now.power_mw * 1000;
	return 0;
}

static int nnaccel_hwmon_read_string(struct device *dev, enum hwmon_sensor_types type, u32 attr,
				     int channel, const char **str)
{
	*str = "npu";
	return 0;
}

static const struct hwmon_ops nnaccel_hwmon_ops = {
	.is_visible = nnaccel_hwmon_is_visible,
	.read = nnaccel_hwmon_read,
	.read_string = nnaccel_hwmon_read_string,
};

static const struct hwmon_channel_info * const nnaccel_hwmon_channels[] = {
	HWMON_CHANNEL_INFO(temp, HWMON_T_INPUT | HWMON_T_LABEL),
	HWMON_CHANNEL_INFO(power, HWMON_P_INPUT | HWMON_P_LABEL),
	NULL
};

static const struct hwmon_chip_info nnaccel_hwmon_chip = {
	.ops = &nnaccel_hwmon_ops,
	.info = nnaccel_hwmon_channels,
};

/**
 * nnaccel_hwmon_register() - show the card's sensors
 * @ndev: device that has been started
 *
 * A device works without: a failure is a message. A card that reports at probe that it has no
 * telemetry gets none.
 */
void nnaccel_hwmon_register(struct nnaccel_device *ndev)
{
	struct device *hwmon;

	if (READ_ONCE(ndev->state) == NNACCEL_STATE_ONLINE &&
	    !(READ_ONCE(ndev->caps) & NNACCEL_CAP_TELEMETRY))
		return;
	hwmon = hwmon_device_register_with_info(ndev->drm.dev, "nnaccel", ndev,
						&nnaccel_hwmon_chip, NULL);
	if (IS_ERR(hwmon))
		drm_warn(&ndev->drm, "no hwmon device: error %ld\n", PTR_ERR(hwmon));
	else
		ndev->hwmon = hwmon;
}
EXPORT_SYMBOL_GPL(nnaccel_hwmon_register);

/**
 * nnaccel_hwmon_unregister() - hide them; no reader is left
 * @ndev: device
 */
void nnaccel_hwmon_unregister(struct nnaccel_device *ndev)
{
	if (ndev->hwmon)
		hwmon_device_unregister(ndev->hwmon);
	ndev->hwmon = NULL;
}
EXPORT_SYMBOL_GPL(nnaccel_hwmon_unregister);

#else

void nnaccel_hwmon_register(struct nnaccel_device *ndev)
{
}
EXPORT_SYMBOL_GPL(nnaccel_hwmon_register);

void nnaccel_hwmon_unregister(struct nnaccel_device *ndev)
{
}
EXPORT_SYMBOL_GPL(nnaccel_hwmon_unregister);

#endif
