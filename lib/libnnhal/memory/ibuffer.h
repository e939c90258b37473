/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device buffers, and how executions use them. Both locks are taken last; no method of a promise is
 * called under them but get(). Private to libnnhal.
 */
#ifndef NNHAL_IBUFFER_H
#define NNHAL_IBUFFER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/ref.h"
#include "memory/operand.h"
#include "memory/promise.h"
#include "transport/transport.h"

/** A use of a buffer, given to allocate(). */
struct nnhal_role {
	uint64_t generation; /* of the prepared model */
	uint32_t index;
	bool output;
};

/** The device buffers of a device, by token. */
struct nnhal_buffers {
	struct nnhal_transport *t;
	struct nnhal_ref *owner; /* held by each buffer */
	unsigned int process; /* that made the device */
	pthread_mutex_t lock; /* protects the members below */
	struct nnhal_buf **list; /* NULL: a free place */
	uint32_t max, sequence;
};

/** IBuffer. Its shape is complete and never changes. */
struct nnhal_buf {
	struct nnhal_buffer base;
	atomic_uint refs; /* user, bindings */
	struct nnhal_buffers *buffers;
	uint32_t token;
	struct nnhal_io io; /* complete */
	uint64_t bytes;
	struct nnhal_tmem *mem;
	struct nnhal_role *roles;
	uint32_t num_roles;
	pthread_mutex_t lock; /* protects the members below */
	uint64_t writes; /* begun so far: the last one decides */
	bool initialised;
	struct nnhal_promise *writer; /* held; NULL: no launched execution will write it */
};

/** @t and @owner outlive the table. */
void nnhal_buffers_init(struct nnhal_buffers *buffers, struct nnhal_transport *t,
			struct nnhal_ref *owner, unsigned int process);
void nnhal_buffers_fini(struct nnhal_buffers *buffers);

/** A buffer of shape @io that takes @roles over on success. */
int nnhal_buf_create(struct nnhal_buffers *buffers, const struct nnhal_io *io, uint64_t bytes,
		     struct nnhal_role *roles, uint32_t num_roles, struct nnhal_buf **buf);
/** Held; NULL: no buffer has this token. */
struct nnhal_buf *nnhal_buf_find(struct nnhal_buffers *buffers, uint32_t token);
void nnhal_buf_put(struct nnhal_buf *buf);
/** @generation: of the prepared model. */
bool nnhal_buf_has_role(const struct nnhal_buf *buf, uint64_t generation, bool output,
			uint32_t index);
/** Whether it has content, or will have content once one of @waited_for has ended. */
bool nnhal_buf_readable(struct nnhal_buf *buf, struct nnhal_promise *const *waited_for,
			uint32_t num_waited_for);
/** The launched execution that will write it; held. NULL: none. */
struct nnhal_promise *nnhal_buf_writer(struct nnhal_buf *buf);
/** A write begins: its number. @writer: promises the content; NULL: no promise. */
uint64_t nnhal_buf_begin(struct nnhal_buf *buf, struct nnhal_promise *writer);
/** That write ended. */
void nnhal_buf_end(struct nnhal_buf *buf, uint64_t write, struct nnhal_promise *writer, bool ok);

#endif
