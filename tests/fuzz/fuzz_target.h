/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target offers to fuzz_driver.c and to libFuzzer. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The longest input. */
#define FUZZ_MAX (1u << 20)

/** The target. It aborts when the code under test breaks a promise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_seed {
	char name[48];
	void *bytes; /* malloc'ed */
	size_t size;
};

/** How the driver makes inputs and judges the results. */
struct fuzz_target {
	const char *suffix; /* of files of the corpus, ".nnmodel" */
	/** Valid inputs, into a malloc'ed list: how many. */
	size_t (*seeds)(struct fuzz_seed **seeds);
	/**
	 * Change the @size bytes at @data, which have room for FUZZ_MAX, and return the new size.
	 * @random is the state of fuzz_random().
	 */
	size_t (*mutate)(uint8_t *data, size_t size, uint64_t *random);
	/** After the seeds: whether all were accepted. May be NULL. */
	bool (*seeds_accepted)(size_t count);
	/**
	 * After @rounds mutations: whether they reached the code under test. A target that refuses
	 * everything, or accepts everything, tests nothing.
	 */
	bool (*reached)(uint64_t rounds);
	/** Print the counts of this process as one line. */
	void (*report)(void);
	/** "--build N": @rounds inputs from a generator of the target. May be NULL. */
	int (*build)(uint64_t rounds, uint64_t random);
	/** At the end; may be NULL. */
	void (*stop)(void);
};

/** Defined by each target. */
extern const struct fuzz_target fuzz_target;

/** Say @what was promised and is not so, and abort. */
void fuzz_require(bool holds, const char *what);
/** The input as a text of exactly its size, so that the sanitizer sees every byte too far. */
char *fuzz_copy_text(const uint8_t *data, size_t size);
/** The next number of the sequence that *@seed stands in. */
uint32_t fuzz_random(uint64_t *seed);
/** Append @size bytes as a seed called @name to *@seeds, of which there are *@count. */
void fuzz_add_seed(struct fuzz_seed **seeds, size_t *count, const char *name, const void *bytes,
		   size_t size);
/** Append every file of @folder whose name ends in @suffix. */
void fuzz_add_folder(struct fuzz_seed **seeds, size_t *count, const char *folder,
		     const char *suffix);
/** Replace one of the 32-bit words of @data, mostly by a number that is a limit somewhere. */
void fuzz_mutate_word(uint8_t *data, size_t size, uint64_t *random);

#endif
