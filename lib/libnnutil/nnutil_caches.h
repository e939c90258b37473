/* SPDX-License-Identifier: Apache-2.0 */
/* The data caches of a processor, for code that divides its work by them. */
#ifndef NNUTIL_CACHES_H
#define NNUTIL_CACHES_H

#include <stddef.h>

/** Bytes of the first and of the second level, which each core has for itself. */
struct nnutil_caches {
	size_t first, second;
};

/**
 * The caches of this machine as the C library reports them: 32 KiB and 512 KiB where it reports
 * nothing, and the next size that cores have (16 to 256 KiB, 128 KiB to 4 MiB) where it reports an
 * impossible one, as in some virtual machines. Opens no file. Any thread.
 */
struct nnutil_caches nnutil_caches(void);

#endif
