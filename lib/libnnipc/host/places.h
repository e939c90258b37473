/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the files of a worker are: beside this library, as installed or as in the build tree.
 * Private to lib/libnnipc/host.
 */
#ifndef NNIPC_PLACES_H
#define NNIPC_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/** A file that this library needs. Each writes an absolute path; false: it is in none of them. */
bool nnipc_place_of_worker(char *path, size_t size);
bool nnipc_place_of_vendor(char *path, size_t size);
bool nnipc_place_of_profiles(char *path, size_t size);

#endif
