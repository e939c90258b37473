/* SPDX-License-Identifier: Apache-2.0 */
/* The process' cgroup (version 2), and its limits. */
#ifndef NNUTIL_CGROUP_H
#define NNUTIL_CGROUP_H

#include <stddef.h>
#include <stdint.h>

/**
 * The folder of the process' cgroup, below /sys/fs/cgroup. 0; -ENOENT: it is in no cgroup of
 * version 2; -ENAMETOOLONG; another errno of reading /proc. Whether the folder is visible here is
 * not checked.
 */
int nnutil_cgroup_own(char *folder, size_t size);

/**
 * The least that @value makes of the contents of @file ("cpu.max") in the process' cgroup and those
 * above it; UINT64_MAX: none has such a file.
 */
uint64_t nnutil_cgroup_least(const char *file, uint64_t (*value)(const char *text));

#endif
