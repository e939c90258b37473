/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture: a model, the values of its inputs, and those of the outputs that a device computed, in
 * one file. The format is that of the conformance files (nnt.h), with one example. nnctl replay
 * runs it again. Any thread.
 */
#ifndef NNCAPTURE_H
#define NNCAPTURE_H

#include <stddef.h>

#include "nnmodel.h"

struct nncapture_value {
	const char *name; /* of the tensor; may be NULL */
	const void *data;
	size_t size;
};

/** Of the execution, in ns. 0: it had none of its own. */
struct nncapture_limits {
	uint64_t loop_timeout_ns; /* of each WHILE */
	uint64_t timeout_ns; /* left when it began */
};

struct nncapture {
	const char *name; /* of the model */
	const char *origin; /* program and device that computed the outputs */
	const struct nnmodel *model;
	const struct nncapture_value *inputs; /* of each input of the model */
	const struct nncapture_value *outputs; /* the same; NULL: the execution failed */
	struct nncapture_limits limits;
};

/** Why there is no capture: a sentence in English. */
struct nncapture_error {
	char text[160];
};

/**
 * The bytes of a file, malloc'ed; sets @size. NULL with the reason in @error: the format has no
 * names for types and operations of extensions.
 */
void *nncapture_bytes(const struct nncapture *c, size_t *size, struct nncapture_error *error);

/**
 * Write it to @path, which is complete or does not change. Weights and inputs may be confidential:
 * only the user can read the file. 0, or -1 with the reason in @error.
 */
int nncapture_write(const struct nncapture *c, const char *path, struct nncapture_error *error);

#endif
