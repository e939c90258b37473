/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small model of every NNAPI operation in every combination of data types that NNAPI allows for
 * it: what "nnctl ops" asks devices about.
 */
#ifndef NNCTL_PROBES_H
#define NNCTL_PROBES_H

#include "probes/rows.h"
#include "probes/spec.h"

struct probe {
	uint32_t opcode;
	struct probe_types types; /* column 0 is what the operation is about */
	const struct probe_row *row; /* NULL: control flow */
};

/**
 * Call @found with every probe, in order of operation codes (the experimental DENSIFY last), until
 * it returns nonzero, which is then returned. -EINVAL: a table is wrong.
 */
int probes_each(int (*found)(void *cookie, const struct probe *probe), void *cookie);

/** The probe's model; nnmodel_free() it. NULL with why in @error. */
struct nnmodel *probe_model(const struct probe *probe, char *error, size_t error_size);

#endif
