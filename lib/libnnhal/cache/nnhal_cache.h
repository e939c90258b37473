/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation caching: the entries and their files. */
#ifndef NNHAL_CACHE_H
#define NNHAL_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "device/nnhal_device.h"
#include "nnhal.h"

/*
 * A prepared model as a file: header, signature of the model, program. Little-endian. One file
 * holds all of it: a program carries its constants, and one digest covers everything.
 * Documentation/caching.rst describes it.
 *
 * Layout, checked exactly: the header, the signature right behind it, zeroes up to a multiple of
 * 64, the program up to the end of the file. The digest covers every byte but its own: SHA-256 over
 * the header and the sums of the rest (digest.c).
 */

/** Files of an entry: IDevice::getNumberOfCacheFilesNeeded. */
#define NNHAL_NUM_MODEL_CACHE 1u
#define NNHAL_NUM_DATA_CACHE 0u

#define NNHAL_CACHE_MAGIC 0x41434e4eu /* "NNCA" */
/** Raised whenever this header, the signature's bytes or the meaning of either changes. */
#define NNHAL_CACHE_VERSION 3u
#define NNHAL_CACHE_ALIGN 64u
#define NNHAL_CACHE_DIGEST 32u /* SHA-256 */
/** Most bytes of a signature: models with a larger one are not cached. */
#define NNHAL_CACHE_MAX_SIGNATURE (16ull << 20)

struct nnhal_cache_header {
	uint32_t magic;
	uint32_t format_version;
	uint32_t header_size; /* sizeof(struct nnhal_cache_header) */
	uint32_t contract_version; /* of the device, as in its registers */
	uint32_t fw_version;
	uint32_t opset_version;
	uint32_t program_version; /* NNPROG_VERSION */
	uint32_t priority; /* enum nnhal_priority of the preparation */
	uint64_t file_size;
	uint64_t signature_size;
	uint64_t program_offset;
	uint64_t program_size;
	uint8_t token[32];
	uint8_t model[NNHAL_CACHE_DIGEST]; /* of nnmodel_serialize() */
	uint8_t opset[NNHAL_CACHE_DIGEST]; /* of the operation set of the device */
	uint8_t digest[NNHAL_CACHE_DIGEST]; /* of the file, with zeroes here */
	uint64_t build; /* of this library: of lowering, planning and writing */
	uint8_t reserved[56]; /* 0 */
};
_Static_assert(sizeof(struct nnhal_cache_header) == 256, "cache header");

/* cache_file.c: cache files: the client's descriptors. */

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

/* digest.c: the digest of a cache file. */

/** The digest that a file of these bytes must carry. @size: at least a header. */
void nnhal_cache_digest(const void *file, size_t size, uint8_t digest[NNHAL_CACHE_DIGEST]);

/** The same in parts: the bytes after the header are summed, in order, the header comes last. */
struct nnhal_cache_sum {
	uint64_t lane[8];
	uint8_t rest[64];
	uint64_t size;
};
void nnhal_cache_sum_begin(struct nnhal_cache_sum *sum);
/** @size: a multiple of 64, but for the last part. */
void nnhal_cache_sum_add(struct nnhal_cache_sum *sum, const void *bytes, size_t size);
void nnhal_cache_sum_end(struct nnhal_cache_sum *sum, const struct nnhal_cache_header *header,
			 uint8_t digest[NNHAL_CACHE_DIGEST]);

/* entry.c: entries of the compilation cache as bytes. */

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
