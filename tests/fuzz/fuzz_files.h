/* SPDX-License-Identifier: Apache-2.0 */
/* What drivers of fuzz targets share: a corpus, and numbers that are the same every time. */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Every file of a folder into the target, its first MiB. 0, or 1 after a complaint. */
int fuzz_replay(const char *folder);
/** Write one file of a corpus: @folder/@name@suffix. 0, or 1 after a complaint. */
int fuzz_write(const char *folder, const char *name, const char *suffix, const void *bytes,
	       size_t size);
/** The next number of the sequence that @seed stands in. */
uint32_t fuzz_random(uint64_t *seed);
/** Complain about @name; 1. */
int fuzz_die(const char *what, const char *name);

#endif
