/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of nnhal.h as messages. */
#ifndef NNIPC_MESSAGES_H
#define NNIPC_MESSAGES_H

#include <stdint.h>

#include "nnhal.h"
#include "wire/nnipc_wire.h"

/*
 * methods.c: the methods between host and worker, and what their messages carry. Marshalling of the
 * types is below. "status" is enum nnhal_status as u32, "errno" 0 or a negative errno as
 * i64; all numbers of the HAL travel raw, and the vendor library judges them.
 *
 * Sockets. The control socket is the one that the worker inherits or the service accepts. HELLO,
 * NNIPC_SESSION_ENUMERATE and NNIPC_SESSION_OPEN run on it, one after the other; after the reply to
 * OPEN it carries messages without replies only: lanes, releases, notifications. All other calls
 * run on lanes (wire/lane.c), as many at a time as the host makes.
 *
 * Objects (oid) are numbers that the worker gives out, from 1, never twice. Callbacks are numbers
 * that the host gives out, from 1, never twice; each is notified once.
 */

/* clang-format off */
enum nnipc_method {
	/*
	 * HELLO (kind, method 0). Host: u32 least version, u32 greatest version, u32 page size.
	 * Worker: u32 version, u32 page size, text build of the worker, text name of the vendor
	 * driver; or, if it refuses, version 0 and a text why.
	 */

	/* -> errno, text message, u32 count, texts: specifications that can be opened now. */
	NNIPC_SESSION_ENUMERATE = 0x001,
	/*
	 * text specification (absent: the vendor's default). -> errno, text message; with errno 0
	 * device description (nnipc_put_description()), text layers of the sandbox, text layers that are missing.
	 * After it the worker opens nothing any more. Once in a connection.
	 */
	NNIPC_SESSION_OPEN = 0x002,
	/* one-way, host to worker: descriptor of a new lane's socket */
	NNIPC_SESSION_LANE = 0x003,

	/* IDevice; no oid. In the order of struct nnhal_device_ops. */

	/* -> status, capabilities */
	NNIPC_DEVICE_GET_CAPABILITIES = 0x101,
	/* -> status, u32 model files, u32 data files */
	NNIPC_DEVICE_GET_NUMBER_OF_CACHE_FILES = 0x102,
	/*
	 * bool reasons wanted, model. -> status, nnmodel_error, u32 count, bool supported of each
	 * operation; if wanted, a text of each (absent: supported)
	 */
	NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS = 0x103,
	/* u64 callback, prepare config, model. -> status */
	NNIPC_DEVICE_PREPARE_MODEL = 0x104,
	/* -> u32 enum nnhal_device_status */
	NNIPC_DEVICE_GET_STATUS = 0x105,
	/* -> status, extensions */
	NNIPC_DEVICE_GET_SUPPORTED_EXTENSIONS = 0x106,
	/* u64 callback, i64 deadline, descriptors of model files, of data files, token. -> status */
	NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE = 0x107,
	/*
	 * bool desc present, buffer desc, u32 count and u64 oids of prepared models (0: a foreign
	 * object), input roles, output roles. -> status, u64 oid, u32 token
	 */
	NNIPC_DEVICE_ALLOCATE = 0x108,
	/* u64 size. -> errno, descriptor */
	NNIPC_DEVICE_CREATE_MEMORY = 0x109,
	/* -> errno, info */
	NNIPC_DEVICE_GET_INFO = 0x10a,
	/* -> errno, counters */
	NNIPC_DEVICE_GET_COUNTERS = 0x10b,

	/* IPreparedModel; oid of a prepared model */

	/* u64 callback, request, execution config, i64 deadline. -> status */
	NNIPC_PREPARED_EXECUTE = 0x201,
	/* request, execution config, i64 deadline. -> status, result */
	NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY = 0x202,
	/*
	 * request, descriptors of in-fences, execution config, i64 deadline, i64 duration.
	 * -> status, descriptor of the fence or none, u64 oid of the fenced callback or 0
	 */
	NNIPC_PREPARED_EXECUTE_FENCED = 0x203,
	/* descriptors: socket, ring of requests, ring of results. -> status, u64 oid */
	NNIPC_PREPARED_CONFIGURE_BURST = 0x204,
	/* request, execution config. -> status, u64 oid */
	NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION = 0x205,

	/* IFencedExecutionCallback. -> status, timing launched, timing fenced */
	NNIPC_FENCED_GET_EXECUTION_INFO = 0x301,

	/*
	 * IBurst. EXECUTE and RELEASE_MEMORY are packets of the burst's rings: u32 method, u64
	 * serial, then as below; the answer has the same method and serial. A request that is too
	 * large for the ring is a call on a lane with the oid of the burst and pools with
	 * descriptors (no slots). Memory arrives before the packet that uses it, on the burst's
	 * socket.
	 *
	 * EXECUTE: u32 number of NNIPC_BURST_MEMORY messages that precede it (0 on a lane), request
	 * (in a ring: with slots), u32 count and i64 memory tokens, execution config, i64 deadline.
	 * -> status, result
	 */
	NNIPC_BURST_EXECUTE = 0x401,
	/* i64 token, u32 slot that is free from now on or UINT32_MAX. -> status */
	NNIPC_BURST_RELEASE_MEMORY = 0x402,
	/* one-way, on the burst's socket: u32 slot, memory. Replaces what the slot had. */
	NNIPC_BURST_MEMORY = 0x403,

	/* IExecution; oid of a reusable execution. Arguments as IPreparedModel's, without request */
	NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY = 0x501,
	NNIPC_EXECUTION_EXECUTE_FENCED = 0x502,

	/* IBuffer. memory. -> status */
	NNIPC_BUFFER_COPY_TO = 0x601,
	/* memory, u32 count and u32 dimensions. -> status */
	NNIPC_BUFFER_COPY_FROM = 0x602,
	/*
	 * Before the release, because that may be overtaken by calls on lanes: from the reply on
	 * the token is invalid. -> status
	 */
	NNIPC_BUFFER_DESTROY = 0x603,

	/* Worker to host, one-way, on the control socket; oid is the number of the callback. */

	/* status, text message, u64 oid of the prepared model or 0 */
	NNIPC_NOTIFY_PREPARED = 0x701,
	/* status, result */
	NNIPC_NOTIFY_EXECUTED = 0x702
};
/* clang-format on */

/** Most specifications of devices that are enumerated, and the longest of them. */
#define NNIPC_MAX_SPECS 256u
#define NNIPC_MAX_SPEC 4096u
/** Most slots of a burst. */
#define NNIPC_BURST_SLOTS 1024u
/** Capacity of each ring of a burst. */
#define NNIPC_BURST_RING 65536u
/** Most lanes of a connection; a host that needs more waits. */
#define NNIPC_MAX_LANES 256u

/**
 * "IPreparedModel::execute" and its like, for messages and logs; "method 0x999" is unknown, and
 * valid until this thread asks for the next one.
 */
const char *nnipc_method_name(uint32_t method);

/*
 * The values of nnhal.h as bytes. Writers take values of any size that the client's struct has been
 * brought to this library's form (libnnhal/values/structs.c). Readers take hostile bytes: counts
 * are bounded, nothing is allocated for what is not there; what a number means is left to the
 * vendor library. A getter whose reader failed returns an empty value that its free function takes.
 *
 * A list is its length, whether elements follow, and these: a length with a NULL list, which a
 * vendor library refuses, reaches it as such. An empty list arrives as NULL.
 */

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
/**
 * False: the host sent NULL, or malformed; *memory has descriptor -1. memory->fd is the caller's.
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

/*
 * hal_codec_lists.c: lists of a client: a length and a pointer, which may be NULL although the
 * length is not 0. That is the vendor library's to refuse, so both travel.
 */

/** The length, and whether elements follow. */
void nnipc_put_list(struct nnipc_writer *w, const void *list, uint32_t count);
/**
 * True: elements follow, *@count of them, which take at least @least bytes each. False: none;
 * *@count is any number, 0 if malformed.
 */
bool nnipc_get_list(struct nnipc_reader *r, size_t least, uint32_t *count);
/**
 * @count zeroed elements for nnipc_get_list(); NULL: none, or the reader failed and *@count is 0.
 */
void *nnipc_list_alloc(struct nnipc_reader *r, uint32_t *count, size_t size);

void nnipc_put_numbers(struct nnipc_writer *w, const uint32_t *numbers, uint32_t count);
/** malloc'ed; NULL: none, absent, or malformed. */
uint32_t *nnipc_get_numbers(struct nnipc_reader *r, uint32_t *count);

#endif
