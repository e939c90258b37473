// SPDX-License-Identifier: Apache-2.0
#include "fuzz_seeds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int write_file(const char *folder, const struct fuzz_seed *s)
{
	char path[4096];
	bool written;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s", folder, s->name, fuzz_target.suffix);
	f = fopen(path, "wb");
	written = f && fwrite(s->bytes, 1, s->size, f) == s->size;
	if (f && fclose(f))
		written = false;
	if (!written)
		fprintf(stderr, "%s: %s: cannot be written\n", program_invocation_short_name, path);
	return written ? 0 : 1;
}

void fuzz_free_seeds(struct fuzz_seed *seeds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(seeds[i].bytes);
	free(seeds);
}

int fuzz_write_seeds(const char *folder)
{
	struct fuzz_seed *seeds = NULL;
	size_t count = fuzz_target.seeds(&seeds);
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		ret = write_file(folder, &seeds[i]);
	fuzz_free_seeds(seeds, count);
	return ret;
}
