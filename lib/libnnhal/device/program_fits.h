/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a device. Private to libnnhal. */
#ifndef NNHAL_PROGRAM_FITS_H
#define NNHAL_PROGRAM_FITS_H

#include "device/hal_device.h"

/**
 * Whether a program can ever run on this device: NONE; RESOURCE_EXHAUSTED_PERSISTENT with what is
 * too large in @message; DEVICE_UNAVAILABLE. @program: written by us or verified.
 */
enum nnhal_status nnhal_program_fits(struct nnhal_dev *dev, const void *program, size_t size,
				     uint32_t num_args, char *message);

#endif
