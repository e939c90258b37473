// SPDX-License-Identifier: Apache-2.0
/*
 * Models as bytes from a hostile writer: what is read must be written as the same bytes again,
 * survive a copy and the validator, and, if the validator accepts it, the compiler.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compile_model.h"
#include "fuzz_target.h"
#include "model_seeds.h"

#define POOL_BYTES 4096u

static uint64_t inputs, accepted, valid, lowered;

/* ---- the target ---- */

struct expected {
	const uint8_t *at;
	size_t left;
};

static int compare(void *cookie, const void *data, size_t size)
{
	struct expected *e = cookie;

	if (size > e->left || memcmp(data, e->at, size))
		abort();
	e->at += size;
	e->left -= size;
	return 0;
}

static void same_bytes(const struct nnmodel *m, bool places, const uint8_t *data, size_t size)
{
	struct expected e = { data, size };
	int ret = places ? nnmodel_serialize_places(m, compare, &e)
			 : nnmodel_serialize(m, compare, &e);

	if (ret || e.left)
		abort();
}

static void use(const struct nnmodel *m, bool places, const uint8_t *data, size_t size)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnmodel *copy = nnmodel_clone(m);
	struct nnmodel_maps *maps;

	accepted++;
	same_bytes(m, places, data, size);
	if (!copy)
		abort();
	same_bytes(copy, places, data, size);
	nnmodel_free(copy);
	/* mapping checks the places of constants itself, without the validator */
	if (!nnmodel_map_pools(m, &maps))
		nnmodel_unmap_pools(maps);
	if (nnmodel_validate(m, NULL, &err)) {
		if (!err.text[0])
			abort();
		return;
	}
	valid++;
	lowered += fuzz_compile(m, &err);
}

/* A pool. All pools are the same file, for speed. */
static int pool_fd(void)
{
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (fd < 0 || ftruncate(fd, POOL_BYTES) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
			abort();
	}
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool places = size && data[0] & 2;
	/* exactly as long, so that the sanitizer sees every byte too far */
	uint8_t *bytes = malloc(size ? size : 1);
	int fds[MODEL_SEED_POOLS];

	if (!bytes)
		return 0;
	if (size)
		memcpy(bytes, data, size);
	inputs++;
	for (uint32_t num = 0; num <= (places ? MODEL_SEED_POOLS : 0); num++) {
		struct nnmodel *m = NULL;
		int ret;

		for (uint32_t i = 0; i < num; i++)
			fds[i] = pool_fd();
		ret = nnmodel_parse(bytes, size, fds, num, &m);
		if ((ret == 0) != (m != NULL))
			abort();
		if (m)
			use(m, places, bytes, size);
		else
			for (uint32_t i = 0; i < num; i++)
				close(fds[i]);
		nnmodel_free(m);
	}
	free(bytes);
	return 0;
}

/* ---- for the driver ---- */

/* Most of a model is words: all but names, values and data of extensions. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t i = 1 + fuzz_random(random) % 3; i--;)
		fuzz_mutate_word(data, size, random);
	return fuzz_random(random) % 32 ? size : fuzz_random(random) % size;
}

static bool seeds_accepted(size_t count)
{
	return accepted == count && valid == count;
}

static bool reached(uint64_t rounds)
{
	return accepted >= rounds / 10 && accepted <= rounds / 10 * 9 && valid >= rounds / 50 &&
	       lowered >= rounds / 100;
}

static void report(void)
{
	printf("%llu inputs, %llu read, %llu valid, %llu compiled\n", (unsigned long long)inputs,
	       (unsigned long long)accepted, (unsigned long long)valid,
	       (unsigned long long)lowered);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".nnmodel",
	.seeds = model_seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
