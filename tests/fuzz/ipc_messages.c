// SPDX-License-Identifier: Apache-2.0
/* Messages as inputs: run, seeds, mutations. */
#include "ipc_messages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "lowest_fd.h"
#include "messages/nnipc_messages.h"

#define HEAD 5u /* method, number of descriptors */
#define MAX_FDS 16u

static uint64_t inputs, unknown, malformed, accepted;

static const struct ipc_layout *layout_of(uint32_t method)
{
	for (size_t i = 0; i < ipc_num_layouts; i++)
		if (ipc_layouts[i].method == method)
			return &ipc_layouts[i];
	return NULL;
}

/* Read bytes with so many descriptors, and write what was read. */
static bool copy_message(const struct ipc_layout *layout, const void *data, size_t size,
			 uint32_t num_fds, struct nnipc_writer *w)
{
	int fds[MAX_FDS];
	struct nnipc_reader r;
	bool good;

	for (uint32_t i = 0; i < num_fds; i++)
		fds[i] = fcntl(sample_fd(), F_DUPFD_CLOEXEC, 0);
	nnipc_reader_init(&r, data, size, fds, num_fds);
	for (uint32_t i = 0; i < IPC_VALUES && layout->values[i] != V_END; i++)
		value_kinds[layout->values[i]].copy(&r, w);
	good = !nnipc_reader_end(&r);
	for (uint32_t i = 0; i < num_fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return good;
}

static void require(bool holds, const char *what, uint32_t method)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", nnipc_method_name(method), what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nnipc_writer once = { 0 }, twice = { 0 };
	const struct ipc_layout *layout;
	int lowest = lowest_fd();
	uint32_t method;

	inputs++;
	if (size < HEAD)
		return 0;
	memcpy(&method, data, sizeof(method));
	layout = layout_of(method);
	if (!layout) {
		unknown++;
		return 0;
	}
	if (!copy_message(layout, data + HEAD, size - HEAD, data[4] % (MAX_FDS + 1), &once)) {
		malformed++;
	} else {
		accepted++;
		require(copy_message(layout, once.data, once.size, once.num_fds, &twice),
			"what was accepted is refused when it comes again", method);
		require(twice.size == once.size && twice.num_fds == once.num_fds &&
				(!once.size || !memcmp(twice.data, once.data, once.size)),
			"what was accepted changes when it is written and read", method);
	}
	nnipc_writer_fini(&once);
	nnipc_writer_fini(&twice);
	require(lowest_fd() == lowest, "a descriptor is left", method);
	return 0;
}

/* ---- for the driver ---- */

/* Each method with each sample of its values. */
static size_t seeds(struct fuzz_seed **list)
{
	size_t total = 0;

	*list = NULL;
	for (size_t i = 0; i < ipc_num_layouts; i++) {
		const struct ipc_layout *layout = &ipc_layouts[i];

		for (uint32_t sample = 0; sample < VALUE_SAMPLES; sample++) {
			struct nnipc_writer w = { 0 };
			char name[48];

			nnipc_put_u32(&w, layout->method);
			nnipc_put_u8(&w, 0);
			for (uint32_t v = 0; v < IPC_VALUES && layout->values[v] != V_END; v++)
				value_kinds[layout->values[v]].put(&w, sample);
			w.data[4] = (uint8_t)w.num_fds;
			/* a message without values has one sample */
			if (w.size > HEAD || !sample) {
				snprintf(name, sizeof(name), "%03x-%u", layout->method, sample);
				fuzz_add_seed(list, &total, name, w.data, w.size);
			}
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
		data[0] = (uint8_t)(fuzz_random(random) % 16);
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
	printf("%llu messages: %llu accepted, %llu malformed, %llu of no method\n",
	       (unsigned long long)inputs, (unsigned long long)accepted,
	       (unsigned long long)malformed, (unsigned long long)unknown);
}

const struct fuzz_target fuzz_target = {
	.suffix = ipc_suffix,
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
