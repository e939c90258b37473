/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring a calibration. Private to libnnhal. */
#ifndef NNHAL_MEASURE_H
#define NNHAL_MEASURE_H

#include "calibration/calibration_file.h"
#include "nnhal.h"

/** Run every program on both devices, which are of this library. 0 or -errno. */
int nnhal_calibration_measure(struct nnhal_device *device, struct nnhal_device *reference,
			      struct nnhal_calibration *cal);

#endif
