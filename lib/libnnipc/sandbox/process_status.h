/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a "status" file of /proc. */
#ifndef NNIPC_PROCESS_STATUS_H
#define NNIPC_PROCESS_STATUS_H

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NNIPC_SECCOMP_FILTER 2 /* of the line "Seccomp" */

/** The number on the line @name; UINT64_MAX: there is no such line. */
static inline uint64_t nnipc_status_number(const char *text, const char *name, int base)
{
	const size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += line != text;
		if (!strncmp(line, name, length) && line[length] == ':')
			return strtoull(line + length + 1, NULL, base);
	}
	return UINT64_MAX;
}

/** How many filters a thread has; UINT_MAX: the kernel does not count them (before 5.9). */
static inline unsigned int nnipc_status_filters(const char *text)
{
	const uint64_t count = nnipc_status_number(text, "Seccomp_filters", 10);

	return count < UINT_MAX ? (unsigned int)count : UINT_MAX;
}

#endif
