/* SPDX-License-Identifier: Apache-2.0 */
/* The values and methods of nnhal.h as messages: libnnhal/hal.idl, and what it leaves to
 * hand-written code. */
#ifndef NNIPC_MESSAGES_H
#define NNIPC_MESSAGES_H

#include <stdint.h>

#include "nnhal.h"
#include "wire/nnipc_wire.h"

/** Most specifications of devices that are enumerated, and the longest of them. */
#define NNIPC_MAX_SPECS 256u
#define NNIPC_MAX_SPEC 4096u
/** Most slots of a burst. */
#define NNIPC_BURST_SLOTS 1024u
/** Capacity of each ring of a burst. */
#define NNIPC_BURST_RING 65536u
/** Most lanes of a connection; a host that needs more waits. */
#define NNIPC_MAX_LANES 256u

/*
 * Writers take values of any size that the client's struct has been brought to this library's form
 * (libnnhal/values/structs.c). Readers take hostile bytes: counts are bounded, nothing is allocated
 * for what is not there; what a number means is left to the vendor library.
 *
 * nnipc_get_NAME() of a struct leaves an empty value if the reader failed. That of a message may
 * leave a part: nnipc_NAME_free() in every case, where there is one. Structs that a message points
 * to, but those that may be absent, are the caller's: the pointers are set before the call.
 */

/* ---- hal_codec.c ---- */

static inline void nnipc_put_status(struct nnipc_writer *w, enum nnhal_status status)
{
	nnipc_put_u32(w, (uint32_t)status);
}
/** A number that is no status is malformed, and read as GENERAL_FAILURE. */
enum nnhal_status nnipc_get_status(struct nnipc_reader *r);

static inline void nnipc_put_errno(struct nnipc_writer *w, int error)
{
	nnipc_put_i64(w, error);
}
/** 0 or a negative errno; another number is malformed, and read as 0. */
int nnipc_get_errno(struct nnipc_reader *r);

/**
 * nnmodel_serialize_places() and the descriptors of the pools. NULL is sent as such; so is a model
 * whose size is invalid.
 */
void nnipc_put_model(struct nnipc_writer *w, const struct nnmodel *model);
/** nnmodel_free() it; NULL: malformed, or the host sent NULL. */
struct nnmodel *nnipc_get_model(struct nnipc_reader *r);

/**
 * A request. @slots: NULL, or one number per pool: pools of memory are sent as that slot, without
 * a descriptor.
 */
void nnipc_put_request(struct nnipc_writer *w, const struct nnhal_request *request,
		       const uint32_t *slots);

/** The storage of a request of a message. */
struct nnipc_request {
	struct nnhal_request request;
	/* one per pool; UINT32_MAX: the pool is no slot. NULL without pools */
	uint32_t *slots;
	struct nnhal_request_pool *pools;
};
/**
 * The request in @own, or NULL: malformed, or the host sent NULL. Descriptors of pools are the
 * request's. A pool in a slot has descriptor -1.
 */
const struct nnhal_request *nnipc_get_request(struct nnipc_reader *r, struct nnipc_request *own);
/** Closes the descriptors of pools that are not slots. */
void nnipc_request_free(struct nnipc_request *own);

/* ---- device_description.c ---- */

struct nnipc_extension {
	char *name;
	const struct nnhal_extension_type *types;
	uint32_t num_types;
};

struct nnipc_extensions {
	enum nnhal_status status;
	const struct nnipc_extension *list;
	uint32_t count;
};

/** What a device is: constant while it is open. */
struct nnipc_description {
	char *name, *version;
	uint32_t type, feature_level;
	enum nnhal_status capabilities_status, cache_files_status;
	struct nnhal_capabilities capabilities;
	uint32_t num_model_cache, num_data_cache;
	struct nnipc_extensions extensions;
};
/**
 * Ask @dev for all of it. Values that it does not answer keep their status and stay empty. 0, or
 * -ENOMEM; -EINVAL: the device has no name or version; nothing is to be freed then.
 */
int nnipc_describe(struct nnhal_device *dev, struct nnipc_description *d);
/** Only the extensions, into a list without elements. 0 or -ENOMEM. */
int nnipc_describe_extensions(struct nnhal_device *dev, struct nnipc_extensions *extensions);
/** NULL: equal; else the name of the first property that differs, "capabilities" and its like. */
const char *nnipc_description_differs(const struct nnipc_description *a,
				      const struct nnipc_description *b);

/** Layers of a worker's sandbox by name, separated by spaces. */
struct nnipc_layers {
	char present[128], missing[128];
};

#include "messages/hal_idl.h"

#endif
