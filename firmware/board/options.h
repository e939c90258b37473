/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of slot and card: a table of options, one parser. */
#ifndef NNBOARD_OPTIONS_H
#define NNBOARD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault_spec.h"

/** An option; the target that is set says what its argument is. */
struct board_option {
	const char *name; /* without -- */
	bool *flag; /* takes no argument */
	const char **text;
	uint64_t *number; /* at most max */
	uint64_t max;
	struct fault_spec *fault;
	int (*parse)(void *priv, const char *text); /* any other argument; 0 or -EINVAL */
	void *priv;
};

/**
 * Parse the command line of @program, which has options only. 0, or -EINVAL after a message about
 * the option that is wrong.
 */
int board_parse_options(const char *program, int argc, char **argv,
			const struct board_option *options, size_t count);

#endif
