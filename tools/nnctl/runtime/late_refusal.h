/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime compiles some models whose executions fail, as Android's does. Its explanation of the
 * compilation has the reason. */
#ifndef NNCTL_LATE_REFUSAL_H
#define NNCTL_LATE_REFUSAL_H

#include <stddef.h>

#include "android/NeuralNetworks.h"
#include "nnimport.h"

/** The operator of the file behind operation @number: " (operation N (NAME) of the file)", or "".
 */
void late_refusal_operator(const struct nnimport *import, unsigned int number, char *text,
			   size_t size);
/**
 * Append to @message, a string, the first reason for which executions of @compilation fail. It
 * stays as it is if the compilation has none, or there is no memory.
 */
void late_refusal_reason(const ANeuralNetworksCompilation *compilation,
			 const struct nnimport *import, char *message, size_t size);

#endif
