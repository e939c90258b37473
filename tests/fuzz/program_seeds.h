/* SPDX-License-Identifier: Apache-2.0 */
/* Valid programs to begin from: each operation at least once, static and dynamic. */
#ifndef PROGRAM_SEEDS_H
#define PROGRAM_SEEDS_H

#include "fuzz_target.h"

/** Exits when one cannot be built. */
size_t program_seeds(struct fuzz_seed **seeds);

#endif
