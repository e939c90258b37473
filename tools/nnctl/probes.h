/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small model of every NNAPI operation in every combination of data types that NNAPI allows for
 * it: what "nnctl ops" asks devices about.
 */
#ifndef NNCTL_PROBES_H
#define NNCTL_PROBES_H

#include "probe_spec.h"

struct probe {
	uint32_t opcode;
	struct probe_types types; /* column 0 is what the operation is about */
	const struct probe_row *row; /* NULL: control flow */
};

/** Rows of a table: all combinations of types that one text does for. */
struct probe_row {
	uint32_t opcode;
	const char *types; /* lists of columns, separated by spaces */
	const char *in, *out; /* probe_spec.h */
};

struct probe_table {
	const struct probe_row *rows;
	size_t num;
};
#define PROBE_TABLE(rows)                              \
	{                                              \
		rows, sizeof(rows) / sizeof((rows)[0]) \
	}

extern const struct probe_table probes_elementwise, probes_move, probes_image, probes_recurrent,
	probes_boxes;

/**
 * Call @found with every probe, in order of operation codes (the experimental DENSIFY last), until
 * it returns nonzero, which is then returned. -EINVAL: a table is wrong.
 */
int probes_each(int (*found)(void *cookie, const struct probe *probe), void *cookie);

/** The probe's model; nnmodel_free() it. NULL with why in @error. */
struct nnmodel *probe_model(const struct probe *probe, char *error, size_t error_size);

/** probes_control.c: IF and WHILE, whose type is that of what they hand on. NULL: out of memory. */
extern const char probes_control_types[];
struct nnmodel *probe_control_model(uint32_t opcode, uint32_t type);

#endif
