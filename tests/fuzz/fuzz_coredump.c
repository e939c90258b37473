// SPDX-License-Identifier: Apache-2.0
/* Hostile core dumps: what is accepted is printed, as text that no terminal takes amiss. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coredump/coredump.h"
#include "fuzz_target.h"

#define MAX_SIZE 4096u

static uint64_t inputs, accepted, records;

static void print(const struct coredump *dump)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	coredump_print(file, dump);
	if (fclose(file))
		abort();
	fuzz_require(size > 0, "nothing was printed");
	for (size_t i = 0; i < size; i++)
		fuzz_require(text[i] == '\n' || (text[i] >= ' ' && text[i] < 0x7f),
			     "a character that is not printable");
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct coredump dump;
	char message[160] = "";
	uint8_t *copy;

	if (size > MAX_SIZE)
		return 0;
	/* Of exactly its size, and aligned to nothing. */
	copy = malloc(size + 1);
	if (!copy)
		abort();
	memcpy(copy + 1, data, size);
	inputs++;
	if (coredump_check(copy + 1, size, &dump, message, sizeof(message))) {
		fuzz_require(message[0] != '\0', "no message");
	} else {
		accepted++;
		records += dump.sections[NNACCEL_DUMP_JOBS].count;
		print(&dump);
	}
	free(copy);
	return 0;
}

/* ---- for the driver ---- */

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	struct nnaccel_dump_header *h = (void *)data;

	for (uint32_t n = fuzz_random(random) % 4 + 1; n; n--)
		fuzz_mutate_word(data, size, random);
	if (fuzz_random(random) % 8 == 0 && size > 8)
		size -= fuzz_random(random) % 8;
	/* Most inputs get past the first checks. */
	if (fuzz_random(random) % 4 && size >= sizeof(*h)) {
		h->magic = NNACCEL_DUMP_MAGIC;
		h->version = NNACCEL_DUMP_VERSION + fuzz_random(random) % 2;
		h->size = (uint32_t)size;
		if (fuzz_random(random) % 4)
			h->header_size = sizeof(*h);
	}
	return size;
}

/* A dump with @jobs jobs, whose records are @more bytes longer than those of version 1.0. */
static void add_seed(struct fuzz_seed **list, size_t *count, const char *name, uint32_t jobs,
		     uint32_t more)
{
	const uint32_t sizes[NNACCEL_DUMP_SECTIONS] = {
		sizeof(struct nnaccel_dump_device),
		sizeof(struct nnaccel_dump_queue),
		sizeof(struct nnaccel_dump_job),
		sizeof(struct nnaccel_dump_command),
	};
	const uint32_t counts[NNACCEL_DUMP_SECTIONS] = { 1, 2, jobs, 1 };
	struct nnaccel_dump_section sections[NNACCEL_DUMP_SECTIONS];
	struct nnaccel_dump_header h = {
		.magic = NNACCEL_DUMP_MAGIC,
		.version = NNACCEL_DUMP_VERSION,
		.header_size = sizeof(h),
		.sections = NNACCEL_DUMP_SECTIONS,
		.reason = NNACCEL_DUMP_HUNG,
		.generation = 3,
		.driver = "0.2.0",
	};
	uint8_t bytes[MAX_SIZE];
	uint32_t at = sizeof(h) + sizeof(sections);

	memset(bytes, 0x55, sizeof(bytes));
	for (uint32_t i = 0; i < NNACCEL_DUMP_SECTIONS; i++) {
		sections[i] =
			(struct nnaccel_dump_section){ i + 1, at, sizes[i] + more, counts[i] };
		at += counts[i] * (sizes[i] + more);
	}
	h.size = at;
	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + sizeof(h), sections, sizeof(sections));
	fuzz_add_seed(list, count, name, bytes, at);
}

static size_t seeds(struct fuzz_seed **list)
{
	size_t count = 0;

	*list = NULL;
	add_seed(list, &count, "hung", 3, 0);
	add_seed(list, &count, "later-minor", 5, 16);
	add_seed(list, &count, "no-jobs", 0, 0);
	return count;
}

static bool seeds_accepted(size_t count)
{
	return accepted == count;
}

static bool reached(uint64_t rounds)
{
	return accepted >= rounds / 20 && records >= rounds / 20 &&
	       inputs - accepted >= rounds / 10;
}

static void report(void)
{
	printf("%llu dumps, %llu accepted, %llu jobs\n", (unsigned long long)inputs,
	       (unsigned long long)accepted, (unsigned long long)records);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".dump",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
