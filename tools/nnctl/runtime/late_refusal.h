/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime compiles some models whose executions fail, as Android's does. Its explanation of the
 * compilation has the reason. */
#ifndef NNCTL_LATE_REFUSAL_H
#define NNCTL_LATE_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "android/NeuralNetworks.h"

/**
 * The first reason for which executions of @compilation fail, and the operation of the main model
 * that it is about, as addOperation() counted; UINT32_MAX: the runtime made it. False: there is
 * none, or no memory.
 */
bool late_refusal_find(const ANeuralNetworksCompilation *compilation, char *reason, size_t size,
		       uint32_t *operation);

#endif
