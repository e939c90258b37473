/* SPDX-License-Identifier: Apache-2.0 */
/* Valid programs that the fuzzer starts from: each operation at least once, static and dynamic. */
#ifndef PROGRAM_SEEDS_H
#define PROGRAM_SEEDS_H

#include <stddef.h>

struct program_seed {
	const char *name;
	void *bytes; /* 64-byte aligned; free() */
	size_t size;
};

/** All seeds; *@count of them. Exits when one cannot be built. */
struct program_seed *program_seeds(size_t *count);
void program_seeds_free(struct program_seed *seeds, size_t count);

#endif
