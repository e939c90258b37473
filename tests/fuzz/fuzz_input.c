// SPDX-License-Identifier: Apache-2.0
/* What targets share with and without libFuzzer: promises, texts, numbers, seeds, words. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "nnutil_file.h"

void fuzz_require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

char *fuzz_copy_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

uint32_t fuzz_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

void fuzz_add_seed(struct fuzz_seed **seeds, size_t *count, const char *name, const void *bytes,
		   size_t size)
{
	struct fuzz_seed *s;

	*seeds = realloc(*seeds, (*count + 1) * sizeof(**seeds));
	if (!*seeds)
		abort();
	s = &(*seeds)[(*count)++];
	*s = (struct fuzz_seed){ .bytes = malloc(size + 1), .size = size };
	if (!s->bytes)
		abort();
	memcpy(s->bytes, bytes, size);
	snprintf(s->name, sizeof(s->name), "%s", name);
}

void fuzz_add_folder(struct fuzz_seed **seeds, size_t *count, const char *folder,
		     const char *suffix)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		size_t len = strlen(entries[i]->d_name), size;
		char path[4096], *bytes;

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		if (len > strlen(suffix) &&
		    !strcmp(entries[i]->d_name + len - strlen(suffix), suffix) &&
		    !nnutil_read_file(path, FUZZ_MAX, &bytes, &size)) {
			fuzz_add_seed(seeds, count, entries[i]->d_name, bytes, size);
			free(bytes);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

void fuzz_mutate_word(uint8_t *data, size_t size, uint64_t *random)
{
	static const uint32_t values[] = {
		0,	    1,		2,	    3,		4,	    5,	       6,   8,
		11,	    14,		15,	    16,		64,	    255,       256, 0x10000,
		0x3f000000, 0x7f800000, 0x7fc00000, 0x7fffffff, 0x80000000, 0xffffffff
	};
	size_t at;
	uint32_t word;

	if (size < 4)
		return;
	at = fuzz_random(random) % size;
	if (fuzz_random(random) % 8)
		at &= ~(size_t)3;
	if (at + 4 > size)
		return;
	memcpy(&word, data + at, 4);
	switch (fuzz_random(random) % 5) {
	case 0:
		word ^= 1u << fuzz_random(random) % 32;
		break;
	case 1:
		word = values[fuzz_random(random) % (sizeof(values) / sizeof(values[0]))];
		break;
	case 2:
		word += fuzz_random(random) % 9 - 4;
		break;
	case 3:
		word = fuzz_random(random) % 16;
		break;
	default:
		memcpy(&word, data + (fuzz_random(random) % (size / 4)) * 4, 4);
	}
	memcpy(data + at, &word, 4);
}
