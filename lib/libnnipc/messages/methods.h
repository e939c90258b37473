/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods between host and worker, and what their messages carry. Marshalling of the types is
 * hal_codec.h's. "status" is enum nnhal_status as u32, "errno" 0 or a negative errno as i64; all
 * numbers of the HAL travel raw, and the vendor library judges them.
 *
 * Sockets. The control socket is the one that the worker inherits or the service accepts. HELLO,
 * NNIPC_SESSION_ENUMERATE and NNIPC_SESSION_OPEN run on it, one after the other; after the reply to
 * OPEN it carries messages without replies only: lanes, releases, notifications. All other calls
 * run on lanes (wire/lane.h), as many at a time as the host makes.
 *
 * Objects (oid) are numbers that the worker gives out, from 1, never twice. Callbacks are numbers
 * that the host gives out, from 1, never twice; each is notified once.
 */
#ifndef NNIPC_METHODS_H
#define NNIPC_METHODS_H

#include <stdint.h>

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
	 * device description (hal_codec.h), text layers of the sandbox, text layers that are missing.
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

#endif
