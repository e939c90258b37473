// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile .tflite files: what the importer accepts is valid NNAPI, and compiles or is refused with
 * a reason. A refusal is one line. Either takes memory and work in proportion to the file.
 *
 * "--build" takes the files of tests/import/generate.py, which come with what has to become of
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compile_model.h"
#include "fuzz_target.h"
#include "nnimport.h"
#include "tflite.h"

/*
 * What an import may take. The sanitizers' memory is no measure, and libFuzzer has limits of its
 * own.
 */
#define MEMORY_BYTES (100u << 20)
#define WORK_BASE 20000000u /* basic blocks of the importer */
#define WORK_PER_BYTE 2000u
#define SANITIZED_BYTES (100u << 10)

#if defined(__SANITIZE_ADDRESS__)
#define LIMITS_MEMORY false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMITS_MEMORY false
#endif
#endif
#ifndef LIMITS_MEMORY
#define LIMITS_MEMORY true
#endif

/* What has to become of a generated file: tests/import/broken_models.py. */
enum end { END_RIGHT, END_REFUSED, END_EITHER };

struct header {
	uint32_t size, end, name;
};

static const char *subject = "the input"; /* or the name of a generated file */
static uint64_t inputs, parsed, imported, compiled, work, most_work;
static struct rlimit usual;

#ifdef FUZZ_COUNTED
/* The importer is compiled with a call of this in each basic block. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	work++;
}
#endif

static void require(bool holds, const char *what)
{
	if (!holds)
		fprintf(stderr, "%s: ", subject);
	fuzz_require(holds, what);
}

/* Addresses beyond those in use; 0: as many as usual. */
static void limit_memory(size_t more)
{
	struct rlimit limit = usual;
	unsigned long pages = 0;
	FILE *f;

	if (!LIMITS_MEMORY)
		return;
	if (!more) {
		setrlimit(RLIMIT_AS, &usual);
		return;
	}
	f = fopen("/proc/self/statm", "re");
	if (!f || fscanf(f, "%lu", &pages) != 1 || getrlimit(RLIMIT_AS, &usual))
		abort();
	fclose(f);
	limit = usual;
	limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
	setrlimit(RLIMIT_AS, &limit);
}

static void check_message(const char *message)
{
	require(message[0] && !strchr(message, '\n'), "a refusal is not one line");
	if (LIMITS_MEMORY)
		require(!strstr(message, "out of memory"),
			"an import takes more memory than it may");
}

/* The tables of the file, without the meaning of operations. */
static void parse(const void *bytes, size_t size)
{
	char error[160] = "";
	struct tflite_model tfl;

	if (tflite_parse(bytes, size, &tfl, error, sizeof(error))) {
		check_message(error);
		return;
	}
	parsed++;
	/* tflite_scale() reads the vectors of scales */
	for (uint32_t i = 0; i < tfl.num_tensors; i++)
		for (uint32_t k = 0; k < tfl.tensors[i].num_scales && k < 64; k++) {
			tflite_scale(&tfl, &tfl.tensors[i], k);
			tflite_zero_point(&tfl, &tfl.tensors[i], k);
		}
	tflite_free(&tfl);
}

/* Whether a file becomes a program; of one that does not the reason goes to @why. */
static bool use(const uint8_t *data, size_t size, char *why, size_t why_size)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnimport result;
	/* exactly as long, so that the sanitizer sees every byte too far */
	void *bytes = malloc(size ? size : 1);
	bool right = false;

	if (!bytes)
		abort();
	memcpy(bytes, data, size);
	inputs++;
	work = 0;
	limit_memory(MEMORY_BYTES);
	parse(bytes, size);
	nnimport_read(bytes, size, &result);
	limit_memory(0);
	most_work = work > most_work ? work : most_work;
	require(work <= WORK_BASE + (uint64_t)WORK_PER_BYTE * size,
		"an import takes more work than it may");
	/* the result does not refer to them */
	memset(bytes, 0xa5, size);
	free(bytes);
	require((result.verdict == NNIMPORT_OK) == (result.model != NULL),
		"verdict and model differ");
	if (result.model) {
		imported++;
		require(result.num_origins == result.model->main.num_operations,
			"operations have no operator");
		if (nnmodel_validate(result.model, NULL, &err))
			require(false, err.text);
		right = fuzz_compile(result.model, &err);
		compiled += right;
	} else {
		check_message(result.message);
	}
	snprintf(why, why_size, "%s", result.model ? err.text : result.message);
	nnimport_free(&result);
	return right;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[256];

	use(data, size, why, sizeof(why));
	return 0;
}

static size_t seeds(struct fuzz_seed **list)
{
	size_t count = 0;

	*list = NULL;
	fuzz_add_folder(list, &count, FUZZ_MODELS "/shapes_int8", ".tflite");
	fuzz_add_folder(list, &count, FUZZ_MODELS "/shapes_fp32", ".tflite");
	fuzz_add_folder(list, &count, FUZZ_TFLITE_CASES "/right", ".tflite");
	return count;
}

/* Tables are small and stand before or behind the weights: most words that are 0 to 65535. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t i = 1 + fuzz_random(random) % 4; i--;) {
		size_t at = 0;
		uint32_t word = UINT32_MAX;

		for (int tries = 0; tries < 64 && word > 0xffff; tries++) {
			at = fuzz_random(random) % (size / 4) * 4;
			memcpy(&word, data + at, 4);
		}
		if (fuzz_random(random) % 8)
			fuzz_mutate_word(data + at, 4, random);
		else
			data[at + fuzz_random(random) % 4] = (uint8_t)fuzz_random(random);
	}
	return fuzz_random(random) % 64 ? size : fuzz_random(random) % size;
}

static bool seeds_accepted(size_t count)
{
	return compiled == count;
}

static bool reached(uint64_t rounds)
{
	return parsed >= rounds / 10 && parsed <= rounds / 20 * 19 && imported >= rounds / 20;
}

static bool read_whole(void *bytes, size_t size, FILE *f)
{
	return fread(bytes, 1, size, f) == size;
}

/* A generated file, which ends as its header wants. */
static void use_generated(const struct header *h, FILE *f)
{
	char name[128], why[256];
	uint8_t *bytes = malloc((size_t)h->size + 1);
	bool right;

	if (!bytes || h->name >= sizeof(name) || !read_whole(name, h->name, f) ||
	    !read_whole(bytes, h->size, f))
		abort();
	name[h->name] = '\0';
	/* large ones are for the limits; every realloc() of the address sanitizer copies */
	if (!LIMITS_MEMORY && h->size > SANITIZED_BYTES) {
		inputs++;
		free(bytes);
		return;
	}
	subject = name;
	right = use(bytes, h->size, why, sizeof(why));
	if (h->end != END_EITHER && right != (h->end == END_RIGHT)) {
		fprintf(stderr, "%s: %s%s\n", name,
			right ? "a broken file is accepted" : "a valid file is refused: ",
			right ? "" : why);
		abort();
	}
	free(bytes);
}

static int build(uint64_t rounds, uint64_t random)
{
	char command[4096 + 64];
	struct header header;
	FILE *f;

	snprintf(command, sizeof(command), "python3 '%s' %llu %llu", FUZZ_GENERATOR,
		 (unsigned long long)rounds, (unsigned long long)random);
	f = popen(command, "re");
	if (!f)
		return 1;
	while (read_whole(&header, sizeof(header), f))
		use_generated(&header, f);
	return pclose(f) || inputs < rounds || compiled < rounds / 2;
}

static void report(void)
{
	printf("%llu inputs, %llu read, %llu translated, %llu compiled; at most %llu blocks of work\n",
	       (unsigned long long)inputs, (unsigned long long)parsed, (unsigned long long)imported,
	       (unsigned long long)compiled, (unsigned long long)most_work);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".tflite",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
	.build = build,
};
