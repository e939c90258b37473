/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the device is against the reference CPU: measured when somebody asks for it, kept in a
 * file. calibration.c decides, calibration_run.c measures, calibration_models.c has what is run,
 * calibration_file.c the file. Private to libnnhal; Documentation/capabilities.rst.
 */
#ifndef NNHAL_CALIBRATION_H
#define NNHAL_CALIBRATION_H

#include "hal.h"

/** The reference: the in-process device with one thread. */
#define NNHAL_REFERENCE_SPEC "cpu:threads=1"

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

/** Nanoseconds of one execution; 0, both: the device or the reference does not run it. */
struct nnhal_calibration {
	int64_t device_ns[NNHAL_CAL_PROGRAMS], reference_ns[NNHAL_CAL_PROGRAMS];
};

/** What a calibration is of. */
struct nnhal_calibration_key {
	char device[48]; /* "nnaccel-cpu-4": with its threads */
	char firmware[24]; /* "1.2.3" */
	char library[72]; /* version and builds, of it and of what the device runs */
	char cpu[96]; /* model of the host's processor */
	uint32_t opset_version;
};

/* ---- calibration.c ---- */

/** *@cal as stored. False: there is none (never measured, switched off). */
bool nnhal_calibration_get(struct nnhal_dev *dev, struct nnhal_calibration *cal);
/** Time of the device over the reference's; 0: not measured. */
float nnhal_calibration_ratio(const struct nnhal_calibration *cal,
			      enum nnhal_calibration_program program);

/* ---- calibration_models.c ---- */

/** "float_conv" */
const char *nnhal_calibration_name(enum nnhal_calibration_program program);
/** A model with one input and one output; NULL: out of memory. */
struct nnmodel *nnhal_calibration_model(enum nnhal_calibration_program program);

/* ---- calibration_run.c ---- */

/** Run every program on a device object of its own for each of both. 0 or -errno. */
int nnhal_calibration_measure(const char *spec, struct nnhal_calibration *cal);

/* ---- calibration_file.c ---- */

/** "calibration-nnaccel-cpu-2-1.2.3.json" in @folder. 0 or -ENAMETOOLONG. */
int nnhal_calibration_path(char *path, size_t size, const char *folder,
			   const struct nnhal_calibration_key *key);
/** 0; -ENOENT; -EINVAL: not of this key, or hostile; -EPERM: others may have written it. */
int nnhal_calibration_read(const char *folder, const struct nnhal_calibration_key *key,
			   struct nnhal_calibration *cal);
/** Atomically. 0 or -errno. */
int nnhal_calibration_write(const char *folder, const struct nnhal_calibration_key *key,
			    const struct nnhal_calibration *cal);

#endif
