/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a device was ever calibrated, for commands that show what follows from it. */
#ifndef NNCTL_CALIBRATED_H
#define NNCTL_CALIBRATED_H

#include <stddef.h>

enum calibrated {
	CALIBRATED_YES, /* or the reference, whose figures are 1.0 by definition */
	CALIBRATED_NEVER, /* not with this firmware, library and processor */
	CALIBRATED_ELSEWHERE, /* behind another process, which reads the values of the device itself
			       */
	CALIBRATED_UNKNOWN, /* the device does not open, or has no name */
};

/**
 * calibrated() - look up what "nnctl calibrate" has stored; nothing is measured
 * @spec: as for nnhal_open()
 * @path: set to the file that has the values, "" without one; may be NULL
 * @size: of @path
 */
enum calibrated calibrated(const char *spec, char *path, size_t size);

/** What it means that a device was never calibrated: the end of a sentence about it. */
extern const char calibrated_never_means[];
/** "run nnctl calibrate --device accel0", or what keeps that from working. */
const char *calibrated_remedy(const char *spec, char *text, size_t size);

#endif
