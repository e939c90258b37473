/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landlock: what a process may do with files, and whom it reaches. A domain is a thread's; threads
 * that it makes have it, too. A right that the kernel's version does not know is left to the other
 * layers.
 */
#ifndef NNIPC_LANDLOCK_DOMAIN_H
#define NNIPC_LANDLOCK_DOMAIN_H

#include <stddef.h>

#include "sandbox/sandbox.h"

/**
 * nnipc_landlock_enter() - open what is there in some places, and nothing else
 * @places: absolute paths; one that does not exist is left out
 * @count: of @places
 *
 * The process has one thread. No file is made, renamed, removed or executed, no port used; no
 * signal, no tracing and no abstract socket goes outside.
 *
 * Return: 0; -EOPNOTSUPP: the kernel has no Landlock; another errno.
 */
int nnipc_landlock_enter(const struct nnipc_place *places, size_t count);

/** All threads: nothing can be opened either. 0 or -errno. */
int nnipc_landlock_close(void);

#endif
