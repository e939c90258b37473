/* SPDX-License-Identifier: Apache-2.0 */
/* A loaded model on one of the devices that a comparison names. */
#ifndef NNCTL_DEVICE_RUN_H
#define NNCTL_DEVICE_RUN_H

#include "session/options.h"

/**
 * Split @devices ("A,B") into @specs, malloc'ed: free(specs[0]). 0, 1 or USAGE_ERROR after a
 * complaint.
 */
int device_pair_split(const char *devices, char *specs[2]);

/**
 * session_open() with a name of "nnctl list"; session_open_runtime() with "runtime" (all devices)
 * or "runtime:NAME".
 */
int device_run_open(struct session *s, const char *spec);

/** The same, then one execution with the inputs of the options. 0, or -1 after a complaint. */
int device_run(struct session *s, const struct options *o, const char *spec);

#endif
