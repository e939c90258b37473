// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of the bus device, in its folder "nnaccel", described in
 * Documentation/ABI/testing/sysfs-driver-nnaccel. Reading them neither wakes the card nor waits for
 * it. Those that begin with npu_ have the names and units that monitors look for with any NPU.
 */

#include <linux/device.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include "nnaccel_account.h"
#include "nnaccel_device.h"
#include "nnaccel_fw.h"
#include "nnaccel_pm.h"
#include "nnaccel_report.h"
#include "nnaccel_watch.h"

static ssize_t busy_time_us_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct nnaccel_device *ndev = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu\n",
			  div_u64(atomic64_read(&ndev->counters.busy_ns), NSEC_PER_USEC));
}
static DEVICE_ATTR_RO(busy_time_us);

static ssize_t engines_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct nnaccel_device *ndev = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", READ_ONCE(ndev->engine.count));
}
static DEVICE_ATTR_RO(engines);

static ssize_t memory_bytes_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", nnaccel_account_bytes(dev_get_drvdata(dev)));
}
static DEVICE_ATTR_RO(memory_bytes);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const names[] = { "online", "resetting", "link-lost", "failed" };
	struct nnaccel_device *ndev = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", names[nnaccel_state_public(ndev)]);
}
static DEVICE_ATTR_RO(state);

static ssize_t npu_busy_percent_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", nnaccel_watch_busy_percent(dev_get_drvdata(dev)));
}
static DEVICE_ATTR_RO(npu_busy_percent);

static ssize_t npu_memory_total_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", (u64)totalram_pages() << PAGE_SHIFT);
}
static DEVICE_ATTR_RO(npu_memory_total);

static ssize_t npu_current_frequency_mhz_show(struct device *dev, struct device_attribute *attr,
					      char *buf)
{
	struct nnaccel_fw_telemetry now;
	int ret = nnaccel_fw_get_telemetry(dev_get_drvdata(dev), &now);

	return ret ?: sysfs_emit(buf, "%u\n", now.clock_mhz);
}
static DEVICE_ATTR_RO(npu_current_frequency_mhz);

static ssize_t npu_max_frequency_mhz_show(struct device *dev, struct device_attribute *attr,
					  char *buf)
{
	struct nnaccel_fw_telemetry now;
	int ret = nnaccel_fw_get_telemetry(dev_get_drvdata(dev), &now);

	return ret ?: sysfs_emit(buf, "%u\n", now.max_clock_mhz);
}
static DEVICE_ATTR_RO(npu_max_frequency_mhz);

/* The same values by other names. */
static struct device_attribute dev_attr_npu_busy_time_us =
	__ATTR(npu_busy_time_us, 0444, busy_time_us_show, NULL);
static struct device_attribute dev_attr_npu_memory_utilization =
	__ATTR(npu_memory_utilization, 0444, memory_bytes_show, NULL);

static struct attribute *nnaccel_npu_attrs[] = {
	&dev_attr_npu_busy_percent.attr,
	&dev_attr_npu_busy_time_us.attr,
	&dev_attr_npu_current_frequency_mhz.attr,
	&dev_attr_npu_max_frequency_mhz.attr,
	&dev_attr_npu_memory_total.attr,
	&dev_attr_npu_memory_utilization.attr,
	NULL
};

static const struct attribute_group nnaccel_npu_group = {
	.attrs = nnaccel_npu_attrs,
};

static struct attribute *nnaccel_attrs[] = {
	&dev_attr_busy_time_us.attr,
	&dev_attr_engines.attr,
	&dev_attr_memory_bytes.attr,
	&dev_attr_state.attr,
	NULL
};

static const struct attribute_group nnaccel_group = {
	.name = "nnaccel",
	.attrs = nnaccel_attrs,
};

/* Made after probe, removed before remove. */
const struct attribute_group *nnaccel_groups[] = {
	&nnaccel_group,
	&nnaccel_npu_group,
	NULL
};
EXPORT_SYMBOL_GPL(nnaccel_groups);
