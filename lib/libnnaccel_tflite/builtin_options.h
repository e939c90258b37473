/* SPDX-License-Identifier: Apache-2.0 */
/* From the options of a builtin operator in memory to those of libnnimport. */
#ifndef BUILTIN_OPTIONS_H
#define BUILTIN_OPTIONS_H

#include "nnimport_graph.h"

/* How a member becomes the value of a field of the schema. */
enum builtin_kind {
	BUILTIN_INT, /* an int; in the schema of 4 bytes */
	BUILTIN_CODE, /* an enumeration with the schema's numbers, where it is a byte */
	BUILTIN_BOOL,
	BUILTIN_FLOAT,
	BUILTIN_FROM_1, /* the same, but it begins at 1 where the schema's begins at 0 */
};

/** A field of the schema, and where it is in memory. */
struct builtin_option {
	int opcode; /* BuiltinOperator */
	uint32_t field;
	size_t offset;
	enum builtin_kind kind;
	int version; /* of the operator: an older one may have a shorter struct */
};

extern const struct builtin_option builtin_options[];
extern const size_t builtin_options_count;

/** Fields of an operator at most. */
#define BUILTIN_MAX_OPTIONS 8

/**
 * The options of an operator from @data (its builtin_data; NULL: none) to @options, of
 * BUILTIN_MAX_OPTIONS. How many.
 */
uint32_t builtin_options_read(int opcode, int version, const void *data,
			      struct nnimport_graph_option *options);

#endif
