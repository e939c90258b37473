/* SPDX-License-Identifier: Apache-2.0 */
/* Cache files: the client's descriptors. Private to libnnhal. */
#ifndef NNHAL_CACHE_FILE_H
#define NNHAL_CACHE_FILE_H

#include "cache/format.h"
#include "nnhal.h"

/** Where a preparation will be saved: own descriptors, since the client may close its own. */
struct nnhal_cache_target {
	int fd; /* -1: nowhere */
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
};
/** Never an error: nowhere, if the client asked for none or its arguments are unusable. */
void nnhal_cache_target_init(struct nnhal_cache_target *target,
			     const struct nnhal_prepare_config *config);
void nnhal_cache_target_fini(struct nnhal_cache_target *target);
/** Empty the file of an earlier preparation. False: nothing can be saved there. */
bool nnhal_cache_begin(const struct nnhal_cache_target *target);
/** Best effort: a failure leaves an empty file, which is refused later. */
void nnhal_cache_write(const struct nnhal_cache_target *target, const void *bytes, size_t size);
/**
 * The whole file in private, 64-byte aligned memory: free(). @max_program: bytes; 0: the format's
 * limit. 0 or -errno with @message.
 */
int nnhal_cache_read(int fd, uint64_t max_program, void **bytes, size_t *size, char *message);

#endif
