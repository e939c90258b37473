/* SPDX-License-Identifier: Apache-2.0 */
/* Opening devices without silence about one that is there and cannot be used. */
#ifndef NNCTL_OPEN_DEVICE_H
#define NNCTL_OPEN_DEVICE_H

#include "nnhal.h"

/**
 * nnhal_open(). Without @spec it is the first card, else the in-process device; when there is a
 * card and it cannot be opened, a line on stderr says so, once in the process. With @spec it is
 * that device or an error. Any thread.
 */
int device_open(const char *spec, struct nnhal_device **dev, char *message, size_t size);

/**
 * For who leaves the choice to the runtime: a line, once in the process, for each card that cannot
 * be opened.
 */
void device_warn(void);

#endif
