// SPDX-License-Identifier: Apache-2.0
#include "base/long_options.h"

#include <string.h>

#include "base/message.h"

bool is_allowed(const char *allowed, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = allowed; (p = strstr(p, name)); p += n)
		if ((p == allowed || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
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
			return usage("unknown option %s, or its value is missing",
				     argv[optind - 1]);
		if (!is_allowed(allowed, options[index].name))
			return usage("--%s is not an option of this command", options[index].name);
		if (take(cookie, &options[index]))
			return USAGE_ERROR;
	}
	return 0;
}
