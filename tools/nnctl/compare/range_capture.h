/* SPDX-License-Identifier: Apache-2.0 */
/* A capture (nncapture.h) of some operations of a model, with the values that they had in it. */
#ifndef NNCTL_RANGE_CAPTURE_H
#define NNCTL_RANGE_CAPTURE_H

#include "session/options.h"

/**
 * Run the model of the options on device @spec (device_run.h), and write @count of its operations,
 * from number @first on, with the values that they read and compute there. 0, or -1 after a
 * complaint.
 */
int range_capture(const struct options *o, const char *spec, uint32_t first, uint32_t count,
		  const char *path);

#endif
