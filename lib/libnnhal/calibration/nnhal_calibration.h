/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a device is, and getCapabilities(). */
#ifndef NNHAL_CALIBRATION_H
#define NNHAL_CALIBRATION_H

#include "device/nnhal_device.h"
#include "nnhal.h"
#include "nnmodel.h"

/* sample_models.c: the programs that are measured. */

enum nnhal_calibration_program {
	NNHAL_CAL_FLOAT_CONV, /* CONV_2D, float32 */
	NNHAL_CAL_FLOAT_GEMM, /* FULLY_CONNECTED, float32 */
	NNHAL_CAL_FLOAT_ADD,
	NNHAL_CAL_HALF_ADD, /* float16 */
	NNHAL_CAL_INT32_ADD,
	NNHAL_CAL_INT8_CONV, /* CONV_2D, int8 with per-channel filters */
	NNHAL_CAL_IF,
	NNHAL_CAL_WHILE,
	NNHAL_CAL_PROGRAMS
};

/** "float_conv" */
const char *nnhal_calibration_name(enum nnhal_calibration_program program);
/** A model with one input and one output; NULL: out of memory. */
struct nnmodel *nnhal_calibration_model(enum nnhal_calibration_program program);

/* calibration_file.c: calibrations as files. */

/** The reference: the in-process device with one thread. */
#define NNHAL_REFERENCE_SPEC "cpu:threads=1"

/** Nanoseconds of one execution; 0, both: the device or the reference does not run it. */
struct nnhal_calibration {
	int64_t device_ns[NNHAL_CAL_PROGRAMS], reference_ns[NNHAL_CAL_PROGRAMS];
};

/** The device that a calibration belongs to. */
struct nnhal_calibration_key {
	char device[48]; /* "nnaccel-cpu-4": with its threads */
	char firmware[24]; /* "1.2.3" */
	char library[72]; /* version and builds, of it and of what the device runs */
	char cpu[96]; /* model of the host's processor */
	uint32_t opset_version;
};

/** "calibration-nnaccel-cpu-2-1.2.3.json" in @folder. 0 or -ENAMETOOLONG. */
int nnhal_calibration_path(char *path, size_t size, const char *folder,
			   const struct nnhal_calibration_key *key);
/** 0; -ENOENT; -EINVAL: not of this key, or hostile; -EPERM: others may have written it. */
int nnhal_calibration_read(const char *folder, const struct nnhal_calibration_key *key,
			   struct nnhal_calibration *cal);
/** Atomically. 0 or -errno. */
int nnhal_calibration_write(const char *folder, const struct nnhal_calibration_key *key,
			    const struct nnhal_calibration *cal);

/*
 * calibration.c: how fast the device is against the reference CPU: measured on request only
 * (driver/calibrate_device.c), and stored in a file:
 * Documentation/capabilities.rst.
 */

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

/* capabilities.c: IDevice::getCapabilities. */

void nnhal_capabilities(struct nnhal_dev *dev, struct nnhal_capabilities *caps);

/* measure.c: measuring a calibration. */

/** Run every program on both devices, which are of this library. 0 or -errno. */
int nnhal_calibration_measure(struct nnhal_device *device, struct nnhal_device *reference,
			      struct nnhal_calibration *cal);

#endif
