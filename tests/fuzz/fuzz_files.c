// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "fuzz_files.h"

#define MAX_FILE (1u << 20)

int fuzz_die(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, name, what);
	return 1;
}

static int replay_file(const char *path)
{
	static uint8_t data[MAX_FILE];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f)
		return fuzz_die("cannot be read", path);
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	return 0;
}

int fuzz_replay(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char path[4096];
	int ret = 0;

	if (!dir)
		return fuzz_die("cannot be read", folder);
	while (!ret && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		ret = replay_file(path);
	}
	closedir(dir);
	return ret;
}

int fuzz_write(const char *folder, const char *name, const char *suffix, const void *bytes,
	       size_t size)
{
	char path[4096];
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, size, f) != size)
		ret = fuzz_die("cannot be written", path);
	if (f && fclose(f))
		ret = fuzz_die("cannot be written", path);
	return ret;
}

uint32_t fuzz_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}
