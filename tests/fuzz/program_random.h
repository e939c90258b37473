/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROGRAM_RANDOM_H
#define PROGRAM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/** A random valid program of a few operations, malloc'ed; NULL: the builder refused the attempt. */
void *program_random(uint64_t *seed, size_t *size);
/** The same, of subgraphs in IF and WHILE. */
void *program_random_control(uint64_t *seed, size_t *size);

#endif
