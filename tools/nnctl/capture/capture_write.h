/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture: a model, the values of its inputs, and those of the outputs that a device computed, in
 * one file. The format is that of the conformance files (conformance/nnt.h), with one example.
 */
#ifndef NNCTL_CAPTURE_WRITE_H
#define NNCTL_CAPTURE_WRITE_H

#include <stddef.h>

#include "nnmodel.h"

struct capture_value {
	const char *name; /* of the tensor; may be NULL */
	const void *data;
	size_t size;
};

struct capture {
	const char *name; /* of the model */
	const char *origin; /* program and device that computed the outputs */
	const struct nnmodel *model;
	const struct capture_value *inputs; /* of each input of the model */
	const struct capture_value *outputs; /* the same; NULL: the execution failed */
};

/**
 * The bytes of a file, malloc'ed; sets @size. NULL after a complaint: the format has no names for
 * types and operations of extensions.
 */
void *capture_bytes(const struct capture *c, size_t *size);

/** Write it to @path, which is complete or does not change. 0, or -1 after a complaint. */
int capture_write(const struct capture *c, const char *path);

#endif
