/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the process' cgroups (version 2). */
#ifndef NNUTIL_CGROUP_H
#define NNUTIL_CGROUP_H

#include <stdint.h>

/**
 * The least that @value makes of the contents of @file ("cpu.max") in the process' cgroup and those
 * above it; UINT64_MAX: none has such a file.
 */
uint64_t nnutil_cgroup_least(const char *file, uint64_t (*value)(const char *text));

#endif
