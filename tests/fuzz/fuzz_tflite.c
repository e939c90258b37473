// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile .tflite files: what the reader accepts is translated, and what is translated is valid
 * NNAPI. A refusal has a reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "import.h"
#include "parse_file.h"

static uint64_t inputs, parsed, imported;

static void import(struct tflite_model *tfl)
{
	struct nnimport result;

	tflite_import(tfl, &result);
	if ((result.verdict == NNIMPORT_OK) != (result.model != NULL) ||
	    (result.verdict != NNIMPORT_OK && !result.message[0]))
		abort();
	if (!result.model)
		return;
	imported++;
	if (nnmodel_validate(result.model, NULL, NULL))
		abort();
	nnimport_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[160] = "";
	struct tflite_model tfl;
	/* exactly as long, so that the sanitizer sees every byte too far */
	void *bytes = malloc(size ? size : 1);

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	inputs++;
	if (!tflite_parse(bytes, size, &tfl, error, sizeof(error))) {
		parsed++;
		/* the vectors of scales are read as they are asked for */
		for (uint32_t i = 0; i < tfl.num_tensors; i++)
			for (uint32_t k = 0; k < tfl.tensors[i].num_scales && k < 64; k++) {
				tflite_scale(&tfl, &tfl.tensors[i], k);
				tflite_zero_point(&tfl, &tfl.tensors[i], k);
			}
		import(&tfl);
		tflite_free(&tfl);
	} else if (!error[0]) {
		abort();
	}
	free(bytes);
	return 0;
}

static size_t seeds(struct fuzz_seed **list)
{
	size_t count = 0;

	*list = NULL;
	fuzz_add_folder(list, &count, FUZZ_MODELS "/shapes_int8", ".tflite");
	fuzz_add_folder(list, &count, FUZZ_MODELS "/shapes_fp32", ".tflite");
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
	return imported == count;
}

static bool reached(uint64_t rounds)
{
	return parsed >= rounds / 10 && parsed <= rounds / 20 * 19 && imported >= rounds / 20;
}

static void report(void)
{
	printf("%llu inputs, %llu read, %llu translated\n", (unsigned long long)inputs,
	       (unsigned long long)parsed, (unsigned long long)imported);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".tflite",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
