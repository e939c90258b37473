/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A prepared model as a file: header, signature of the model, program. Little-endian. One file
 * holds all of it: a program carries its constants, and one digest covers everything. Private to
 * libnnhal; Documentation/caching.rst describes it.
 *
 * Layout, checked exactly: the header, the signature right behind it, zeroes up to a multiple of
 * 64, the program up to the end of the file. The digest covers every byte but its own: SHA-256 over
 * the header and the sums of the rest (digest.c).
 */
#ifndef NNHAL_CACHE_FORMAT_H
#define NNHAL_CACHE_FORMAT_H

#include <stdint.h>

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

#endif
