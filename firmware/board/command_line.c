// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "nnutil_text.h"
#include "board.h"

/** Options of one program, at most. */
#define MAX_OPTIONS 32u

static int command_line_take(const struct board_option *o, const char *argument)
{
	if (o->flag)
		*o->flag = true;
	else if (o->text)
		*o->text = argument;
	else if (o->number)
		return nnutil_parse_u64(argument, 0, 0, o->max, o->number);
	else if (o->fault)
		return fault_parse(argument, o->fault);
	else
		return o->parse(o->priv, argument);
	return 0;
}

int board_parse_options(const char *program, int argc, char **argv,
			const struct board_option *options, size_t count)
{
	struct option longs[MAX_OPTIONS + 1] = { 0 };
	int index = 0, c;

	if (count > MAX_OPTIONS)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		longs[i].name = options[i].name;
		longs[i].has_arg = options[i].flag ? no_argument : required_argument;
	}
	while ((c = getopt_long(argc, argv, "", longs, &index)) != -1) {
		if (c)
			return -EINVAL;
		if (command_line_take(&options[index], optarg)) {
			fprintf(stderr, "%s: --%s: bad value \"%s\"\n", program,
				options[index].name, optarg);
			return -EINVAL;
		}
	}
	return optind == argc ? 0 : -EINVAL;
}
