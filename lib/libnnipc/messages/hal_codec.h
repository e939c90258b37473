/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of nnhal.h as bytes. Writers take values of any size that the client's struct has
 * been brought to this library's form (libnnhal/values/structs.c). Readers take hostile bytes:
 * counts are bounded, nothing is allocated for what is not there; what a number means is left to
 * the vendor library. A getter whose reader failed returns an empty value that its free function
 * takes.
 *
 * A list is its length, whether elements follow, and these: a length with a NULL list, which a
 * vendor library refuses, reaches it as such. An empty list arrives as NULL.
 */
#ifndef NNIPC_HAL_CODEC_H
#define NNIPC_HAL_CODEC_H

#include "nnhal.h"
#include "wire/marshal.h"

static inline void nnipc_put_status(struct nnipc_writer *w, enum nnhal_status status)
{
	nnipc_put_u32(w, (uint32_t)status);
}
/** A number that is no status is malformed, and read as GENERAL_FAILURE. */
enum nnhal_status nnipc_get_status(struct nnipc_reader *r);

/** 0 or a negative errno; another number is malformed, and read as 0. */
int nnipc_get_errno(struct nnipc_reader *r);

/* ---- models ---- */

/**
 * nnmodel_serialize_places() and the descriptors of the pools. NULL is sent as such; so is a model
 * whose size is invalid.
 */
void nnipc_put_model(struct nnipc_writer *w, const struct nnmodel *model);
/** nnmodel_free() it; NULL: malformed, or the host sent NULL. */
struct nnmodel *nnipc_get_model(struct nnipc_reader *r);

void nnipc_put_model_error(struct nnipc_writer *w, const struct nnmodel_error *err);
void nnipc_get_model_error(struct nnipc_reader *r, struct nnmodel_error *err);

/* ---- memory and requests ---- */

/** Presence, prot, offset, size, descriptor. NULL is sent as such. */
void nnipc_put_memory(struct nnipc_writer *w, const struct nnhal_memory *memory);
/** False: the host sent NULL, or malformed; *memory has descriptor -1. memory->fd is the caller's.
 */
bool nnipc_get_memory(struct nnipc_reader *r, struct nnhal_memory *memory);

/**
 * A request. @slots: NULL, or one number per pool: pools of memory are sent as that slot, without
 * a descriptor.
 */
void nnipc_put_request(struct nnipc_writer *w, const struct nnhal_request *request,
		       const uint32_t *slots);

/** A request of a message, with all that it refers to. */
struct nnipc_request {
	struct nnhal_request request;
	/* one per pool; UINT32_MAX: the pool is no slot. NULL without pools */
	uint32_t *slots;
	bool present; /* false: the host sent NULL */
	struct nnhal_request_argument *arguments; /* inputs, then outputs */
	struct nnhal_request_pool *pools;
};
/** Descriptors of pools are the request's. A pool in a slot has descriptor -1. */
void nnipc_get_request(struct nnipc_reader *r, struct nnipc_request *request);
/** Closes the descriptors of pools that are not slots. */
void nnipc_request_free(struct nnipc_request *request);

/* ---- configurations ---- */

/** NULL is sent as such. */
void nnipc_put_execution_config(struct nnipc_writer *w, const struct nnhal_execution_config *c);
/** nnipc_execution_config_free() it. Of size 0: malformed, or the host sent NULL. */
struct nnhal_execution_config nnipc_get_execution_config(struct nnipc_reader *r);
void nnipc_execution_config_free(struct nnhal_execution_config *config);

/**
 * With the descriptors of the cache files: their number is kept exactly, missing ones are -1. NULL
 * is sent as such.
 */
void nnipc_put_prepare_config(struct nnipc_writer *w, const struct nnhal_prepare_config *config);
/**
 * The descriptors are the config's; nnipc_prepare_config_free() closes them. Of size 0: malformed,
 * or the host sent NULL.
 */
struct nnhal_prepare_config nnipc_get_prepare_config(struct nnipc_reader *r);
void nnipc_prepare_config_free(struct nnhal_prepare_config *config);

/** A list of descriptors, -1 included. NULL with a length is sent as such. */
void nnipc_put_fds(struct nnipc_writer *w, const int *fds, uint32_t count);
/** malloc'ed; NULL if empty or absent; nnipc_fds_free() closes them. */
int *nnipc_get_fds(struct nnipc_reader *r, uint32_t *count);
void nnipc_fds_free(int *fds, uint32_t count);

/* ---- results ---- */

/** @result of this library's size. */
void nnipc_put_result(struct nnipc_writer *w, const struct nnhal_execution_result *result);
/** Into an initialised result of this library's size; the shapes are malloc'ed, as nnhal.h says. */
void nnipc_get_result(struct nnipc_reader *r, struct nnhal_execution_result *result);

void nnipc_put_timing(struct nnipc_writer *w, struct nnhal_timing timing);
struct nnhal_timing nnipc_get_timing(struct nnipc_reader *r);

/* ---- devices ---- */

void nnipc_put_capabilities(struct nnipc_writer *w, const struct nnhal_capabilities *caps);
void nnipc_get_capabilities(struct nnipc_reader *r, struct nnhal_capabilities *caps);
void nnipc_put_info(struct nnipc_writer *w, const struct nnhal_device_info *info);
void nnipc_get_info(struct nnipc_reader *r, struct nnhal_device_info *info);
void nnipc_put_counters(struct nnipc_writer *w, const struct nnhal_counters *counters);
void nnipc_get_counters(struct nnipc_reader *r, struct nnhal_counters *counters);
void nnipc_put_buffer_desc(struct nnipc_writer *w, const struct nnhal_buffer_desc *desc);
/** desc->dims is malloc'ed; NULL with a rank if the host sent it so. */
void nnipc_get_buffer_desc(struct nnipc_reader *r, struct nnhal_buffer_desc *desc);
void nnipc_put_roles(struct nnipc_writer *w, const struct nnhal_buffer_role *roles, uint32_t count);
/** malloc'ed; NULL if empty or absent. */
struct nnhal_buffer_role *nnipc_get_roles(struct nnipc_reader *r, uint32_t *count);

struct nnipc_extension {
	char *name;
	struct nnhal_extension_type *types;
	uint32_t num_types;
};

/** What a device is: constant while it is open. */
struct nnipc_description {
	char *name, *version;
	uint32_t type, feature_level;
	enum nnhal_status capabilities_status, cache_files_status, extensions_status;
	struct nnhal_capabilities capabilities;
	uint32_t num_model_cache, num_data_cache;
	struct nnipc_extension *extensions;
	uint32_t num_extensions;
};
/**
 * Ask @dev for all of it. Values that it does not answer keep their status and stay empty. 0, or
 * -ENOMEM; -EINVAL: the device has no name or version; nothing is to be freed then.
 */
int nnipc_describe(struct nnhal_device *dev, struct nnipc_description *d);
/** Only the extensions, into a description that has none. 0 or -ENOMEM. */
int nnipc_describe_extensions(struct nnhal_device *dev, struct nnipc_description *d);
/** Their status, number and contents, as in a description. */
void nnipc_put_extensions(struct nnipc_writer *w, const struct nnipc_description *d);
void nnipc_put_description(struct nnipc_writer *w, const struct nnipc_description *d);
void nnipc_get_description(struct nnipc_reader *r, struct nnipc_description *d);
void nnipc_description_free(struct nnipc_description *d);
/** NULL: equal; else the name of the first property that differs, "capabilities" and its like. */
const char *nnipc_description_differs(const struct nnipc_description *a,
				      const struct nnipc_description *b);

#endif
