/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel in the place of a partition's nodes. */
#ifndef DELEGATE_KERNEL_H
#define DELEGATE_KERNEL_H

#include "delegate_settings.h"
#include "tflite_abi.h"

/** The delegate; its base is what the host has. */
struct delegate {
	struct tfl_delegate base;
	struct delegate_settings settings;
};

/** The kernel for tfl_context.replace_nodes(). */
extern const struct tfl_registration delegate_kernel;

#endif
