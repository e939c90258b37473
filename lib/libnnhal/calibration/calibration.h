/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the device is against the reference CPU: measured on request only
 * (driver/calibrate_device.c), and stored in a file. Private to libnnhal;
 * Documentation/capabilities.rst.
 */
#ifndef NNHAL_CALIBRATION_H
#define NNHAL_CALIBRATION_H

#include "calibration/calibration_file.h"
#include "device/hal_device.h"

/**
 * Fill in the key but for the processor, which the kernel takes long to describe. @spec (64 bytes):
 * what opens the device again. False: the device does not answer, or has no name.
 */
bool nnhal_calibration_identify(struct nnhal_dev *dev, struct nnhal_calibration_key *key,
				char *spec);
/** Fill in the processor. */
void nnhal_calibration_cpu(struct nnhal_calibration_key *key);

/** *@cal as stored. False: never measured, or switched off. */
bool nnhal_calibration_get(struct nnhal_dev *dev, struct nnhal_calibration *cal);
/** Time of the device over the reference's; 0: not measured. */
float nnhal_calibration_ratio(const struct nnhal_calibration *cal,
			      enum nnhal_calibration_program program);

/** Read the file of @key (complete). @path (PATH_MAX): its name. 0, -ENOENT, -ENOMEM. */
int nnhal_calibration_load(const struct nnhal_calibration_key *key, struct nnhal_calibration *cal,
			   char *path);
/** Write the file, and use it in this process from now on. 0 or -errno with @message. */
int nnhal_calibration_store(const struct nnhal_calibration_key *key,
			    const struct nnhal_calibration *cal, char *path, char *message,
			    size_t size);

#endif
