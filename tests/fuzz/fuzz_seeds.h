/* SPDX-License-Identifier: Apache-2.0 */
/* The seeds of a target as files. */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include "fuzz_target.h"

/** Write the seeds of the target into an existing folder. Exit status: 0, or 1 after a message. */
int fuzz_write_seeds(const char *folder);
void fuzz_free_seeds(struct fuzz_seed *seeds, size_t count);

#endif
