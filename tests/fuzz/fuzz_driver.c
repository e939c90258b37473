// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a fuzz target without libFuzzer:
 *
 *   fuzz_X FOLDER...              each file of the folders, and each of these files
 *   fuzz_X --mutate N [SEED]      the seeds, then N mutations of them, the same ones every time
 *   fuzz_X --build N [SEED]       N inputs of the target's generator, the same ones every time
 *   fuzz_X --seeds FOLDER         write the seeds, as a corpus
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_seeds.h"
#include "fuzz_target.h"
#include "nnutil_file.h"
#include "nnutil_text.h"

static int die(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, name, what);
	return 1;
}

static int replay_file(const char *path)
{
	char *bytes;
	size_t size;
	int ret = nnutil_read_file(path, FUZZ_MAX, &bytes, &size);

	if (ret)
		return die(strerror(-ret), path);
	LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
	free(bytes);
	return 0;
}

static int replay(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	char file[4096];
	int ret = 0;

	if (!dir && errno == ENOTDIR)
		return replay_file(path);
	if (!dir)
		return die(strerror(errno), path);
	while (!ret && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || e->d_type == DT_DIR)
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		ret = replay_file(file);
	}
	closedir(dir);
	return ret;
}

/* In an allocation of exactly that size, so that the address sanitizer sees a read behind it. */
static bool run_exact(const uint8_t *data, size_t size)
{
	void *exact = NULL;

	if (posix_memalign(&exact, 64, size))
		return false;
	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return true;
}

static int mutate_seeds(uint64_t rounds, uint64_t random)
{
	struct fuzz_seed *seeds = NULL;
	size_t count = fuzz_target.seeds(&seeds);
	uint8_t *copy = aligned_alloc(64, FUZZ_MAX);
	bool accepted;

	if (!copy || !count)
		return die("no seeds, or out of memory", "--mutate");
	for (size_t i = 0; i < count; i++)
		LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
	accepted = !fuzz_target.seeds_accepted || fuzz_target.seeds_accepted(count);
	for (uint64_t n = 0; n < rounds && accepted; n++) {
		const struct fuzz_seed *s = &seeds[n % count];

		memcpy(copy, s->bytes, s->size);
		accepted = run_exact(copy, fuzz_target.mutate(copy, s->size, &random));
	}
	free(copy);
	fuzz_free_seeds(seeds, count);
	if (!accepted)
		return die("a seed is refused", "--mutate");
	if (rounds >= 1000 && !fuzz_target.reached(rounds))
		return die("mutations do not reach the code under test", "--mutate");
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t rounds = 0, random = 1;
	int ret = 0;

	if (argc == 3 && !strcmp(argv[1], "--seeds"))
		return fuzz_write_seeds(argv[2]);
	if (argc >= 3 && argv[1][0] == '-' &&
	    (nnutil_parse_u64(argv[2], 0, 1, UINT32_MAX, &rounds) ||
	     (argc > 3 && nnutil_parse_u64(argv[3], 0, 0, UINT64_MAX, &random))))
		return die("not a number", argv[2]);
	if (rounds && !strcmp(argv[1], "--mutate"))
		ret = mutate_seeds(rounds, random);
	else if (rounds && !strcmp(argv[1], "--build") && fuzz_target.build)
		ret = fuzz_target.build(rounds, random);
	else if (argc > 1 && argv[1][0] != '-')
		for (int i = 1; i < argc && !ret; i++)
			ret = replay(argv[i]);
	else
		return die("--mutate N [SEED], --build N [SEED], --seeds FOLDER, or folders",
			   "usage");
	fuzz_target.report();
	if (fuzz_target.stop)
		fuzz_target.stop();
	return ret;
}
