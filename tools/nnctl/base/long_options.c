// SPDX-License-Identifier: Apache-2.0
/* Long options that several commands share, and a suggestion for a name that is mistyped. */
#include "base/nnctl_base.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t name_distance(const char *a, const char *b)
{
	const size_t na = strlen(a), nb = strlen(b);
	size_t rows[3][NEAREST_MAX] = { 0 };
	size_t *now = rows[0], *before = rows[1], *older = rows[2];

	if (na >= NEAREST_MAX || nb >= NEAREST_MAX)
		return NEAREST_MAX;
	for (size_t j = 0; j <= nb; j++)
		now[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *free_row = older;

		older = before;
		before = now;
		now = free_row;
		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = least(before[j - 1] + (a[i - 1] != b[j - 1]),
				       least(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], older[j - 2] + 1);
		}
	}
	return now[nb];
}

size_t name_distance_limit(const char *word)
{
	return strlen(word) < 5 ? 1 : 2;
}

bool is_allowed(const char *allowed, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = allowed; (p = strstr(p, name)); p += n)
		if ((p == allowed || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

/* @word: as it was given, perhaps with a value. */
static int unknown_option(const char *word, const struct option *options, const char *allowed)
{
	char name[NEAREST_MAX];
	const char *near = NULL;
	size_t best, distance;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	best = name_distance_limit(name) + 1;
	for (; options->name; options++) {
		distance = is_allowed(allowed, options->name) && !strncmp(name, "--", 2)
				   ? name_distance(name + 2, options->name)
				   : NEAREST_MAX;
		/* the same name: its value is missing */
		if (distance && distance < best) {
			best = distance;
			near = options->name;
		}
	}
	return near ? usage("unknown option %s; is it --%s?", word, near)
		    : usage("unknown option %s, or its value is missing", word);
}

int take_long_options(int argc, char **argv, const struct option *options, const char *allowed,
		      int (*take)(void *cookie, const struct option *option), void *cookie)
{
	int option, index;

	/* anew, whatever was parsed before */
	optind = 0;
	opterr = 0;
	while (index = -1, (option = getopt_long(argc, argv, "", options, &index)) != -1) {
		if (option == '?' || index < 0)
			return unknown_option(argv[optind - 1], options, allowed);
		if (!is_allowed(allowed, options[index].name))
			return usage("--%s is not an option of this command", options[index].name);
		if (take(cookie, &options[index]))
			return USAGE_ERROR;
	}
	return 0;
}
