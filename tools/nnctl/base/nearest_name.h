/* SPDX-License-Identifier: Apache-2.0 */
/* A suggestion for a name that is mistyped. */
#ifndef NNCTL_NEAREST_NAME_H
#define NNCTL_NEAREST_NAME_H

#include <stddef.h>

/** Names from this length on are near to none. */
#define NEAREST_MAX 32

/**
 * Edits that make @b of @a: letters that are inserted, removed, replaced, or two that are swapped.
 * NEAREST_MAX: one of them is too long.
 */
size_t name_distance(const char *a, const char *b);

/** The distance up to which @word counts as a mistyped name. */
size_t name_distance_limit(const char *word);

#endif
