/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNUTIL_UDEV_H
#define NNUTIL_UDEV_H

#include <stdbool.h>

/**
 * Whether udevd runs, and tells listeners of the source "udev" about devices; if not, only the
 * kernel's own events come. Its socket's file alone does not say so: it stays when udevd ends.
 */
bool nnutil_udevd_runs(void);

#endif
