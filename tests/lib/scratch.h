/* SPDX-License-Identifier: Apache-2.0 */
/* Where tests make their files: the folder of the run (nn_scratch of scripts/lib.sh), so that a
 * killed test leaves nothing. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sockets are in these folders, and a socket's path has at most 107 characters. */
#define SCRATCH_LONGEST 40

/* Writes "$TMPDIR/NAME" to path and returns it; "/tmp/NAME" without TMPDIR, or where it is too
 * long. */
static inline char *scratch_path(char *path, size_t size, const char *name)
{
	const char *folder = getenv("TMPDIR");

	if (!folder || folder[0] != '/' || strlen(folder) > SCRATCH_LONGEST ||
	    strlen(folder) + strlen(name) + 2 > size)
		folder = "/tmp";
	snprintf(path, size, "%s/%s", folder, name);
	return path;
}

#endif
