/* SPDX-License-Identifier: Apache-2.0 */
/* Options that several commands share. */
#ifndef NNCTL_OPTIONS_H
#define NNCTL_OPTIONS_H

#include "session/input.h"

#define MAX_INPUTS 64

struct options {
	const char *model; /* the argument that is not an option, or NULL */
	const char *device; /* NULL: default */
	const char *devices; /* names separated by commas; NULL: all */
	const char *inputs[MAX_INPUTS];
	uint32_t num_inputs;
	const char *labels, *output, *filter, *keep, *op, *report;
	struct input_options pictures;
	int64_t top, repeat, runs, jobs, every;
	bool json, by_op, runtime, scalar_inputs, show, dry_run, ops, once, csv, random_weights;
	const char *root; /* of top and metrics: where proc and sys are; "": here */
	double interval; /* of top: seconds */
	int64_t steps; /* of compare and replay: integers */
	double tolerance; /* of compare and replay: floats */
};

/** Parse; @allowed names the command's long options, space separated. 0, or USAGE_ERROR. */
int options_parse(struct options *o, int argc, char **argv, const char *allowed);

/** session_open(), or session_open_runtime() with --runtime or --devices. */
int options_open(const struct options *o, struct session *s);

/**
 * Load one file per input of the model; of a capture without files, keep its values. 0, or -1 after
 * a complaint.
 */
int options_load_inputs(const struct options *o, struct session *s);
/** The same, but without files numbers that are the same in each run. */
int options_fill_inputs(const struct options *o, struct session *s);

#endif
