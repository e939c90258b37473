// SPDX-License-Identifier: Apache-2.0
/*
 * Models as bytes from a hostile writer: what is read must be written as the same bytes again,
 * survive a copy and the validator, and, if that takes it, the compiler. For libFuzzer:
 * LLVMFuzzerTestOneInput(). Here:
 *
 *   fuzz_model FOLDER...           each file of the folders
 *   fuzz_model --mutate N [SEED]   the seeds, then N mutations of them, the same ones every time
 *   fuzz_model --seeds FOLDER      write the seeds, as a corpus
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lower.h"
#include "fuzz_files.h"
#include "model_seeds.h"
#include "nnprog.h"

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

static struct nnhal_opset whole_opset(void)
{
	struct nnhal_opset opset = { .version = NNPROG_OPSET_VERSION };

	for (uint32_t i = 1; i < NNPROG_OP_COUNT; i++) {
		opset.ops[i].present = true;
		opset.ops[i].types = UINT32_MAX;
		opset.ops[i].max_rank = NNPROG_MAX_RANK;
	}
	return opset;
}

/* What prepareModel does with a valid model: a program that its own verifier takes, or a reason. */
static void compile(const struct nnmodel *m)
{
	const struct nnhal_opset opset = whole_opset();
	bool *supported = calloc((size_t)m->main.num_operations + 1, sizeof(*supported));
	struct nnhal_lowered out = { NULL, 0 };
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnprog_error why;
	struct nnprog prog;
	int ret;

	if (!supported || nnhal_lower_supported(m, &opset, supported, NULL))
		abort();
	free(supported);
	ret = nnhal_lower_model(m, &opset, &out, &err);
	if (ret) {
		if (!err.text[0] || out.bytes)
			abort();
		return;
	}
	lowered++;
	if (nnprog_verify(out.bytes, out.size, &prog, &why)) {
		fprintf(stderr, "fuzz_model: compiled, but %s\n", why.text);
		abort();
	}
	free(out.bytes);
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
	/* whether its constants are where it says is judged without the validator as well */
	if (!nnmodel_map_pools(m, &maps))
		nnmodel_unmap_pools(maps);
	if (nnmodel_validate(m, NULL, &err)) {
		if (!err.text[0])
			abort();
		return;
	}
	valid++;
	compile(m);
}

/* A pool of some bytes; one file for all of them, for the speed. */
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

/* ---- without libFuzzer ---- */

static int write_seeds(const char *folder)
{
	struct model_seed *seeds;
	size_t count = model_seeds(&seeds);
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		ret = fuzz_write(folder, seeds[i].name, ".nnmodel", seeds[i].bytes, seeds[i].size);
	model_seeds_free(seeds, count);
	return ret;
}

/* Everything is words but for names, values and what extensions have. */
static void mutate(uint8_t *bytes, size_t size, uint64_t *seed)
{
	static const uint32_t values[] = {
		0,	    1,		2,	    3,		4,	    5,	       6,   8,
		11,	    14,		15,	    16,		64,	    255,       256, 0x10000,
		0x3f000000, 0x7f800000, 0x7fc00000, 0x7fffffff, 0x80000000, 0xffffffff
	};
	size_t at = fuzz_random(seed) % size;
	uint32_t word;

	if (fuzz_random(seed) % 8)
		at &= ~(size_t)3;
	if (at + 4 > size)
		return;
	memcpy(&word, bytes + at, 4);
	switch (fuzz_random(seed) % 5) {
	case 0:
		word ^= 1u << fuzz_random(seed) % 32;
		break;
	case 1:
		word = values[fuzz_random(seed) % (sizeof(values) / sizeof(values[0]))];
		break;
	case 2:
		word += fuzz_random(seed) % 9 - 4;
		break;
	case 3:
		word = fuzz_random(seed) % 16;
		break;
	default:
		memcpy(&word, bytes + (fuzz_random(seed) % (size / 4)) * 4, 4);
	}
	memcpy(bytes + at, &word, 4);
}

static int mutate_seeds(uint64_t rounds, uint64_t random)
{
	struct model_seed *seeds;
	size_t count = model_seeds(&seeds);

	for (size_t i = 0; i < count; i++)
		LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
	if (accepted != count || valid != count)
		return fuzz_die("a good model is refused", "seeds");
	for (uint64_t n = 0; n < rounds; n++) {
		const struct model_seed *s = &seeds[n % count];
		uint8_t *copy = malloc(s->size);
		size_t size = s->size;

		if (!copy)
			return 1;
		memcpy(copy, s->bytes, size);
		for (uint32_t i = 1 + fuzz_random(&random) % 3; i--;)
			mutate(copy, size, &random);
		if (fuzz_random(&random) % 32 == 0)
			size = fuzz_random(&random) % size;
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	model_seeds_free(seeds, count);
	/* a target that refuses everything early tests nothing */
	if (rounds >= 1000 && (accepted < rounds / 10 || accepted > rounds / 10 * 9 ||
			       valid < rounds / 50 || lowered < rounds / 100))
		return fuzz_die("mutations do not reach what they should", "mutate");
	return 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	if (argc == 3 && !strcmp(argv[1], "--seeds"))
		return write_seeds(argv[2]);
	if (argc < 2)
		return fuzz_die("--mutate N [SEED], --seeds FOLDER, or folders", "usage");
	if (!strcmp(argv[1], "--mutate") && argc >= 3)
		ret = mutate_seeds(strtoull(argv[2], NULL, 0),
				   argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	else
		for (int i = 1; i < argc && !ret; i++)
			ret = fuzz_replay(argv[i]);
	printf("%llu inputs, %llu read, %llu valid, %llu compiled\n", (unsigned long long)inputs,
	       (unsigned long long)accepted, (unsigned long long)valid,
	       (unsigned long long)lowered);
	return ret;
}
