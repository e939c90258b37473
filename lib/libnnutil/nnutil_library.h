/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries that are loaded at run time. */
#ifndef NNUTIL_LIBRARY_H
#define NNUTIL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * One thread at a time loads a library, also around fork(): a child finds either all of it or
 * nothing. Recursive, because the constructors of a library might fork.
 */
void nnutil_library_lock(void);
void nnutil_library_unlock(void);

/**
 * Find a file beside the library, or the program, that this code is a part of. @places: paths
 * relative to its folder, or absolute ones, ended by NULL. The first one that can be read is
 * written to @path. False: none.
 */
bool nnutil_library_beside(const char *const *places, char *path, size_t size);

/**
 * The address of @symbol of a loaded library. NULL: the library itself does not define it; dlsym()
 * would search the libraries that it needs as well.
 */
void *nnutil_library_own(void *handle, const char *symbol);

#endif
