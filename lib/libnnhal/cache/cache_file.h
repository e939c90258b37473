/* SPDX-License-Identifier: Apache-2.0 */
/* Cache files: the client's descriptors. Private to libnnhal. */
#ifndef NNHAL_CACHE_FILE_H
#define NNHAL_CACHE_FILE_H

#include "cache/format.h"
#include "device/program_memory.h"
#include "nnhal.h"

/** Where a preparation will be saved: own descriptors, since the client may close its own. */
struct nnhal_cache_target {
	int fd; /* -1: nowhere */
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
};
/** Never an error: fd is -1 if the client wants no cache or its arguments are unusable. */
void nnhal_cache_target_init(struct nnhal_cache_target *target,
			     const struct nnhal_prepare_config *config);
void nnhal_cache_target_fini(struct nnhal_cache_target *target);
/** Empty the file of an earlier preparation. False: nothing can be saved there. */
bool nnhal_cache_begin(const struct nnhal_cache_target *target);
/** An entry in two parts, of which the second is the prepared model's. */
struct nnhal_cache_bytes {
	void *head; /* free() */
	const void *program;
	size_t head_size, program_size;
};
/** Best effort: a failure leaves an empty file, which is refused later. */
void nnhal_cache_write(const struct nnhal_cache_target *target,
		       const struct nnhal_cache_bytes *file);
/**
 * The whole file in private memory: nnhal_program_free(), and the digest of its bytes.
 * @max_program: bytes; 0: the format's limit. 0 or -errno with @message.
 */
int nnhal_cache_read(struct nnhal_dev *dev, int fd, uint64_t max_program,
		     struct nnhal_program *file, uint8_t digest[NNHAL_CACHE_DIGEST], char *message);

#endif
