// SPDX-License-Identifier: Apache-2.0
/* nnhal_calibrate(): measure, store and show calibrations. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "values/nnhal_values.h"
#include "calibration/nnhal_calibration.h"
#include "driver/nnhal_driver.h"
#include "nnhal.h"

static void fill_report(struct nnhal_calibration_report *report,
			const struct nnhal_calibration_key *key,
			const struct nnhal_calibration *cal)
{
	_Static_assert(NNHAL_CAL_PROGRAMS <= NNHAL_MAX_CALIBRATED, "programs of a report");

	snprintf(report->device, sizeof(report->device), "%s", key->device);
	snprintf(report->firmware, sizeof(report->firmware), "%s", key->firmware);
	snprintf(report->library, sizeof(report->library), "%.*s", (int)sizeof(report->library) - 1,
		 key->library);
	snprintf(report->cpu, sizeof(report->cpu), "%s", key->cpu);
	report->num_programs = cal ? NNHAL_CAL_PROGRAMS : 0;
	for (uint32_t i = 0; i < report->num_programs; i++) {
		snprintf(report->programs[i].name, sizeof(report->programs[i].name), "%s",
			 nnhal_calibration_name(i));
		report->programs[i].device_ns = cal->device_ns[i];
		report->programs[i].reference_ns = cal->reference_ns[i];
	}
}

static int calibrate_device_show(const struct nnhal_calibration_key *key,
				 struct nnhal_calibration_report *report, char *path, char *message,
				 size_t size)
{
	struct nnhal_calibration cal;
	int ret = nnhal_calibration_load(key, &cal, path);

	if (ret == -ENOMEM)
		return ret;
	fill_report(report, key, ret ? NULL : &cal);
	if (ret)
		snprintf(message, size,
			 "%s has no calibration by this version: its performance counts as 1.0",
			 key->device);
	return ret;
}

/* On device objects of its own. */
static int calibrate_device_run(const char *spec, struct nnhal_calibration *cal)
{
	struct nnhal_device *device = NULL, *reference = NULL;
	char message[NNHAL_MESSAGE];
	int ret;

	ret = nnhal_open(spec, &device, message, sizeof(message));
	if (!ret)
		ret = nnhal_open(NNHAL_REFERENCE_SPEC, &reference, message, sizeof(message));
	if (!ret)
		ret = nnhal_calibration_measure(device, reference, cal);
	if (reference)
		reference->ops->destroy(reference);
	if (device)
		device->ops->destroy(device);
	return ret;
}

static int calibrate_device_measure(const char *spec, const struct nnhal_calibration_key *key,
				    bool store, struct nnhal_calibration_report *report, char *path,
				    char *message, size_t size)
{
	struct nnhal_calibration cal;
	int ret = calibrate_device_run(spec, &cal);

	if (ret) {
		snprintf(message, size, "cannot measure %s: %s", key->device, strerror(-ret));
		return ret;
	}
	fill_report(report, key, &cal);
	return store ? nnhal_calibration_store(key, &cal, path, message, size) : 0;
}

static int calibrate(const char *spec, enum nnhal_calibrate how,
		     struct nnhal_calibration_report *report, char *message, size_t size)
{
	struct nnhal_calibration_key key;
	char again[64] = "", path[PATH_MAX] = "";
	struct nnhal_device *device;
	bool named;
	int ret;

	if (nnhal_proxy_spec(spec)) {
		snprintf(message, size,
			 "%s is behind another process and cannot be calibrated: calibrate the "
			 "device itself, its worker uses the values that are stored then",
			 spec);
		return -EOPNOTSUPP;
	}
	ret = nnhal_open(spec, &device, message, size);
	if (ret)
		return ret;
	named = nnhal_calibration_identify((struct nnhal_dev *)device, &key, again);
	device->ops->destroy(device);
	nnhal_calibration_cpu(&key);
	if (!named) {
		snprintf(message, size,
			 "the device has no name or does not answer: it cannot be calibrated");
		return -ENODEV;
	}
	if (!strcmp(again, NNHAL_REFERENCE_SPEC)) {
		fill_report(report, &key, NULL);
		report->reference = true;
		return 0;
	}
	if (how == NNHAL_CALIBRATE_SHOW)
		ret = calibrate_device_show(&key, report, path, message, size);
	else
		ret = calibrate_device_measure(again, &key, how == NNHAL_CALIBRATE_STORE, report,
					       path, message, size);
	snprintf(report->path, sizeof(report->path), "%.*s", (int)sizeof(report->path) - 1, path);
	return ret;
}

NNHAL_EXPORT int nnhal_calibrate(const char *spec, enum nnhal_calibrate how,
				 struct nnhal_calibration_report *report, char *message,
				 size_t size)
{
	struct nnhal_calibration_report own = { 0 };
	char unused[1];
	int ret;

	if (!message || !size) {
		message = unused;
		size = sizeof(unused);
	}
	message[0] = '\0';
	if (!nnmodel_sized_put(&nnhal_sized_report, report, &own)) {
		nnmodel_sized_explain(&nnhal_sized_report, report, message, size);
		return -EINVAL;
	}
	ret = calibrate(spec, how, &own, message, size);
	nnmodel_sized_put(&nnhal_sized_report, report, &own);
	return ret;
}
