/* SPDX-License-Identifier: Apache-2.0 */
/* A capture as a model file: its inputs and outputs, and their values. */
#ifndef NNCTL_CAPTURE_READ_H
#define NNCTL_CAPTURE_READ_H

#include <stdbool.h>

#include "nncapture.h"
#include "nnimport.h"
#include "nnt.h"

/**
 * Read a conformance file that has one example. Takes its @size bytes, which are malloc'ed. @import
 * is filled in as nnimport_read() does, with the verdict and the message of a failure;
 * nnimport_free() and nnt_close() whatever the outcome. 0 or -1.
 */
int capture_read(void *bytes, size_t size, struct nnt *nnt, struct nnimport *import);

/** Values of input and output number @i; of an output that was not computed NULL. */
const void *capture_input(const struct nnt *nnt, uint32_t i);
const void *capture_output(const struct nnt *nnt, uint32_t i);
/** Whether the execution failed when it was captured. */
bool capture_failed(const struct nnt *nnt);
/** Limits of the execution; of those that the file does not have 0. */
struct nncapture_limits capture_limits(const struct nnt *nnt);
/** Who has written it, and on which device, as printable text: "" if unknown. */
void capture_origin(const struct nnt *nnt, char *text, size_t size);

#endif
