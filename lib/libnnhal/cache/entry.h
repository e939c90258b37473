/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the compilation cache as bytes. Private to libnnhal. */
#ifndef NNHAL_CACHE_ENTRY_H
#define NNHAL_CACHE_ENTRY_H

#include "cache/cache_file.h"
#include "cache/format.h"
#include "device/hal_device.h"

/** The values that an entry is valid for. */
struct nnhal_cache_key {
	uint32_t contract_version, fw_version, opset_version;
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
	uint8_t opset[NNHAL_CACHE_DIGEST]; /* with the builds of its operations */
	uint64_t build; /* of this library */
	uint64_t max_program; /* bytes; 0: the format's limit */
};
/** Asks the device. 0 or -errno. */
int nnhal_cache_key_init(struct nnhal_cache_key *key, struct nnhal_dev *dev,
			 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);

/** @file: with @program itself. 0; -EOPNOTSUPP, -EFBIG (such a model is not cached); -errno. */
int nnhal_cache_encode(const struct nnhal_cache_key *key, const struct nnmodel *model,
		       const void *program, size_t program_size, uint32_t priority,
		       struct nnhal_cache_bytes *file);

struct nnhal_cache_entry {
	struct nnmodel *model; /* the signature; nnmodel_free() */
	const void *program; /* in the bytes that were decoded */
	size_t program_size;
	uint32_t priority;
};
/**
 * Verify and parse @bytes: hostile, but private to the caller, and 64-byte aligned. @digest: of
 * these bytes, if they are at least a header. 0; -ENOMEM; -EKEYREJECTED: damaged; -ESTALE: bound to
 * something else; -EINVAL: undamaged, but malformed. @message says why.
 */
int nnhal_cache_decode(const struct nnhal_cache_key *key, const void *bytes, size_t size,
		       const uint8_t digest[NNHAL_CACHE_DIGEST], struct nnhal_cache_entry *entry,
		       char *message);

/** Write a prepared model to @target. Best effort. */
void nnhal_cache_save(struct nnhal_dev *dev, const struct nnhal_cache_target *target,
		      const struct nnmodel *model, const void *program, size_t program_size,
		      uint32_t priority);

#endif
