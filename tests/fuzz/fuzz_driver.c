// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the fuzz target without libFuzzer:
 *
 *   fuzz_program FOLDER...           each file of the folders
 *   fuzz_program --mutate N [SEED]   the seeds, then N mutations of them, the same ones every time
 *   fuzz_program --build N [SEED]    N attempts at random programs, the same ones every time
 *   fuzz_program --seeds FOLDER      write the seeds, as a corpus
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_files.h"
#include "fuzz_program.h"
#include "nnprog_format.h"
#include "program_random.h"
#include "program_seeds.h"

static int write_seeds(const char *folder)
{
	size_t count;
	struct program_seed *seeds = program_seeds(&count);
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		ret = fuzz_write(folder, seeds[i].name, ".nnprog", seeds[i].bytes, seeds[i].size);
	program_seeds_free(seeds, count);
	return ret;
}

/** Change a word or a byte somewhere; mostly where the structures are, seldom in constants. */
static void mutate(uint8_t *data, size_t size, uint64_t *seed)
{
	static const uint32_t values[] = { 0,	       1,	2,	    3,		4,
					   5,	       7,	8,	    16,		64,
					   255,	       256,	0x7fffffff, 0x80000000, 0xfffffffe,
					   0xffffffff, 0x10000, 0x3f800000, 0x7f800000 };
	const struct nnprog_header *h = (const void *)data;
	const struct nnprog_section *s = &h->sections[fuzz_random(seed) % NNPROG_SECTION_COUNT];
	size_t from = s->offset, len = (size_t)s->count * s->stride, at;
	uint32_t word;

	/* the table itself may have been hit already */
	if (fuzz_random(seed) % 16 == 0 || from >= size || !len || len > size - from)
		from = 0, len = size;
	at = from + fuzz_random(seed) % len;
	if (size - (at & ~(size_t)3) < 4)
		return;
	memcpy(&word, data + (at & ~(size_t)3), 4);
	switch (fuzz_random(seed) % 6) {
	case 0:
		data[at] ^= (uint8_t)(1u << fuzz_random(seed) % 8);
		return;
	case 1:
		data[at] = (uint8_t)fuzz_random(seed);
		return;
	case 2:
		word = values[fuzz_random(seed) % (sizeof(values) / sizeof(values[0]))];
		break;
	case 3:
		word += fuzz_random(seed) % 9 - 4;
		break;
	case 4:
		word = fuzz_random(seed) % 16;
		break;
	default:
		memcpy(&word, data + (fuzz_random(seed) % (size / 4)) * 4, 4);
		break;
	}
	memcpy(data + (at & ~(size_t)3), &word, 4);
}

static int mutate_seeds(uint64_t rounds, uint64_t seed)
{
	size_t count;
	struct program_seed *seeds = program_seeds(&count);
	uint64_t verified;

	for (size_t i = 0; i < count; i++)
		LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
	verified = fuzz_counts.verified;
	for (uint64_t n = 0; n < rounds; n++) {
		const struct program_seed *from = &seeds[n % count];
		void *copy = NULL;

		/* aligned as the structures that mutate() looks at */
		if (posix_memalign(&copy, NNPROG_ALIGN, from->size))
			return fuzz_die("out of memory", from->name);
		memcpy(copy, from->bytes, from->size);
		for (uint32_t i = 1 + fuzz_random(&seed) % 3; i--;)
			mutate(copy, from->size, &seed);
		LLVMFuzzerTestOneInput(copy, from->size);
		free(copy);
	}
	program_seeds_free(seeds, count);
	if (verified != count)
		return fuzz_die("a seed does not verify", "seeds");
	/* a target that refuses everything tests nothing */
	if (rounds >= 1000 && (fuzz_counts.verified < count + rounds / 50 ||
			       fuzz_counts.verified > count + rounds / 10 * 9 ||
			       !fuzz_counts.statuses[NNACCEL_STATUS_OK]))
		return fuzz_die("mutations do not reach what they should", "mutate");
	return 0;
}

static int build_random(uint64_t rounds, uint64_t seed)
{
	uint64_t built = 0;

	for (uint64_t n = 0; n < rounds; n++) {
		size_t size = 0;
		void *bytes = n % 3 ? program_random(&seed, &size)
				    : program_random_control(&seed, &size);

		if (!bytes)
			continue;
		built++;
		LLVMFuzzerTestOneInput(bytes, size);
		free(bytes);
	}
	if (fuzz_counts.verified != built)
		return fuzz_die("what the builder made does not verify", "build");
	if (rounds >= 1000 && (built < rounds / 50 || !fuzz_counts.statuses[NNACCEL_STATUS_OK] ||
			       !fuzz_counts.statuses[NNACCEL_STATUS_LOOP_TIMEOUT]))
		return fuzz_die("too few programs could be built", "build");
	return 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	if (argc == 3 && !strcmp(argv[1], "--seeds"))
		return write_seeds(argv[2]);
	if (argc < 2)
		return fuzz_die("--mutate N [SEED], --build N [SEED], --seeds FOLDER, or folders",
				"usage");
	if (!strcmp(argv[1], "--mutate") && argc >= 3)
		ret = mutate_seeds(strtoull(argv[2], NULL, 0),
				   argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	else if (!strcmp(argv[1], "--build") && argc >= 3)
		ret = build_random(strtoull(argv[2], NULL, 0),
				   argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	else
		for (int i = 1; i < argc && !ret; i++)
			ret = fuzz_replay(argv[i]);
	fuzz_stop();
	printf("%llu inputs, %llu verified; runs by status:",
	       (unsigned long long)fuzz_counts.inputs, (unsigned long long)fuzz_counts.verified);
	for (uint32_t i = 0; i < NNACCEL_STATUS_FIRMWARE_COUNT; i++)
		printf(" %llu", (unsigned long long)fuzz_counts.statuses[i]);
	printf("\n");
	return ret;
}
