/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilation caching. cache.c knows the bytes, cache_file.c the descriptors, prepare_cached.c
 * IDevice::prepareModelFromCache. Private to libnnhal.
 */
#ifndef NNHAL_CACHE_H
#define NNHAL_CACHE_H

#include "cache/format.h"
#include "hal.h"

#define NNHAL_NUM_MODEL_CACHE 1u
#define NNHAL_NUM_DATA_CACHE 0u

/* ---- cache.c ---- */

/** What an entry is bound to. */
struct nnhal_cache_key {
	uint32_t contract_version, fw_version, opset_version;
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
	uint8_t opset[NNHAL_CACHE_DIGEST]; /* with the builds of its operations */
	uint64_t build; /* of this library */
	uint64_t max_program; /* bytes; 0: the format's limit */
};
/** Changes with the sources of what makes programs. */
uint64_t nnhal_build(void);
/** Asks the device. 0 or -errno. */
int nnhal_cache_key_init(struct nnhal_cache_key *key, struct nnhal_dev *dev,
			 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);

/** *@bytes: free(). 0; -EOPNOTSUPP, -EFBIG (such a model is not cached); -errno. */
int nnhal_cache_encode(const struct nnhal_cache_key *key, const struct nnmodel *model,
		       const void *program, size_t program_size, uint32_t priority, void **bytes,
		       size_t *size);

struct nnhal_cache_entry {
	struct nnmodel *model; /* the signature; nnmodel_free() */
	const void *program; /* in the bytes that were decoded */
	size_t program_size;
	uint32_t priority;
};
/**
 * Verify and parse @bytes: hostile, but private to the caller, and 64-byte aligned. 0; -ENOMEM;
 * -EKEYREJECTED: damaged; -ESTALE: bound to something else; -EINVAL: whole, but wrong. @message
 * says why.
 */
int nnhal_cache_decode(const struct nnhal_cache_key *key, const void *bytes, size_t size,
		       struct nnhal_cache_entry *entry, char *message);
/* ---- cache_digest.c ---- */

/** The digest of a file's bytes, at least a header, as it should be. */
void nnhal_cache_digest(const void *file, size_t size, uint8_t digest[NNHAL_CACHE_DIGEST]);

/* ---- cache_file.c ---- */

/** Where a preparation will be saved: descriptors of our own, since the client's may be closed. */
struct nnhal_cache_target {
	int fd; /* -1: nowhere */
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
};
/** Nowhere, when the client asked for none or its arguments are of no use: never an error. */
void nnhal_cache_target_init(struct nnhal_cache_target *target,
			     const struct nnhal_prepare_config *config);
void nnhal_cache_target_fini(struct nnhal_cache_target *target);
/** Best effort: what fails leaves an empty file, which is refused later. */
void nnhal_cache_save(struct nnhal_dev *dev, const struct nnhal_cache_target *target,
		      const struct nnmodel *model, const struct nnhal_lowered *lowered,
		      uint32_t priority);
/** The whole file in private, 64-byte aligned memory: free(). 0 or -errno with @message. */
int nnhal_cache_read(int fd, uint64_t max_program, void **bytes, size_t *size, char *message);

/* ---- prepare_cached.c ---- */

enum nnhal_status nnhal_prepare_from_cache(struct nnhal_dev *dev, int64_t deadline_ns,
					   const int *model_cache, uint32_t num_model_cache,
					   const int *data_cache, uint32_t num_data_cache,
					   const uint8_t *token, nnhal_prepared_cb callback,
					   void *cookie);

#endif
