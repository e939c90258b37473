/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory that cross to the peer. Private to the room. */
#ifndef NNIPC_MEMORY_FILE_H
#define NNIPC_MEMORY_FILE_H

#include <stdint.h>

/**
 * An empty file in memory, close-on-exec, that can be sealed; the caller's. It may grow to @size:
 * beyond RLIMIT_FSIZE it would raise SIGXFSZ, which ends the client. -errno; -EFBIG: beyond it.
 */
int nnipc_memory_file(const char *name, uint64_t size);

#endif
