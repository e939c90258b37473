/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations as files. Private to libnnhal. */
#ifndef NNHAL_CALIBRATION_FILE_H
#define NNHAL_CALIBRATION_FILE_H

#include "calibration/sample_models.h"

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

#endif
