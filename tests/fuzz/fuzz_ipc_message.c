// SPDX-License-Identifier: Apache-2.0
/*
 * A hostile process's message, or a part of one: u32 row of lib/idl, u8 number of descriptors,
 * bytes. A message that is accepted is written and read again: it must be the same then. Whatever
 * happens, no descriptor is left.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "lowest_fd.h"
#include "samples.h"

#define HEAD 5u /* row, number of descriptors */
#define MAX_FDS 16u

static uint64_t inputs, unknown, malformed, accepted;

/* Read bytes with so many descriptors, and write what was read. */
static bool copy_message(const struct sample_row *row, const void *data, size_t size,
			 uint32_t num_fds, struct nnipc_writer *w)
{
	int fds[MAX_FDS];
	struct nnipc_reader r;
	bool good;

	for (uint32_t i = 0; i < num_fds; i++)
		fds[i] = fcntl(sample_fd(), F_DUPFD_CLOEXEC, 0);
	nnipc_reader_init(&r, data, size, fds, num_fds);
	row->copy(&r, w);
	good = !nnipc_reader_end(&r);
	for (uint32_t i = 0; i < num_fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return good;
}

static void require(bool holds, const char *what, const struct sample_row *row)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", row->name, what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nnipc_writer once = { 0 }, twice = { 0 };
	const struct sample_row *row;
	int lowest = lowest_fd();
	uint32_t number;

	inputs++;
	if (size < HEAD)
		return 0;
	memcpy(&number, data, sizeof(number));
	if (number >= nnipc_num_sample_rows) {
		unknown++;
		return 0;
	}
	row = &nnipc_sample_rows[number];
	if (!copy_message(row, data + HEAD, size - HEAD, data[4] % (MAX_FDS + 1), &once)) {
		malformed++;
	} else {
		accepted++;
		require(copy_message(row, once.data, once.size, once.num_fds, &twice),
			"bytes that were accepted are refused when they come again", row);
		require(twice.size == once.size && twice.num_fds == once.num_fds &&
				(!once.size || !memcmp(twice.data, once.data, once.size)),
			"bytes that were accepted change when they are written and read", row);
	}
	nnipc_writer_fini(&once);
	nnipc_writer_fini(&twice);
	require(lowest_fd() == lowest, "a descriptor is left", row);
	return 0;
}

/* ---- for the driver ---- */

/* Each row with each sample. */
static size_t seeds(struct fuzz_seed **list)
{
	size_t total = 0;

	*list = NULL;
	for (uint32_t i = 0; i < nnipc_num_sample_rows; i++) {
		for (uint32_t sample = 0; sample < IDL_SAMPLES; sample++) {
			struct nnipc_writer w = { 0 };
			char name[80];

			nnipc_put_u32(&w, i);
			nnipc_put_u8(&w, 0);
			nnipc_sample_rows[i].put(&w, sample);
			w.data[4] = (uint8_t)w.num_fds;
			snprintf(name, sizeof(name), "%u-%s-%u", i, nnipc_sample_rows[i].name,
				 sample);
			fuzz_add_seed(list, &total, name, w.data, w.size);
			nnipc_writer_fini(&w);
		}
	}
	return total;
}

static size_t mutate_once(uint8_t *data, size_t size, uint64_t *random)
{
	size_t at = HEAD + fuzz_random(random) % (size - HEAD + 1);

	switch (fuzz_random(random) % 8) {
	case 0:
		return at;
	case 1: /* a byte more */
		if (size == FUZZ_MAX)
			return size;
		memmove(data + at + 1, data + at, size - at);
		data[at] = (uint8_t)fuzz_random(random);
		return size + 1;
	case 2: /* a byte less */
		if (at == size)
			return size;
		memmove(data + at, data + at + 1, size - at - 1);
		return size - 1;
	case 3:
		data[4] = (uint8_t)(data[4] + fuzz_random(random) % 3 - 1);
		return size;
	case 4:
		if (at < size)
			data[at] ^= (uint8_t)(1u << fuzz_random(random) % 8);
		return size;
	default:
		fuzz_mutate_word(data + HEAD, size - HEAD, random);
		return size;
	}
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	if (fuzz_random(random) % 32 == 0)
		data[0] = (uint8_t)(fuzz_random(random) % (nnipc_num_sample_rows + 1));
	for (uint32_t k = 1 + fuzz_random(random) % 3; k; k--)
		size = mutate_once(data, size, random);
	return size;
}

static bool seeds_accepted(size_t count)
{
	return accepted == count;
}

static bool reached(uint64_t rounds)
{
	return accepted >= rounds / 10 && malformed >= rounds / 4;
}

static void report(void)
{
	printf("%llu messages: %llu accepted, %llu malformed, %llu of no row\n",
	       (unsigned long long)inputs, (unsigned long long)accepted,
	       (unsigned long long)malformed, (unsigned long long)unknown);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".message",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
