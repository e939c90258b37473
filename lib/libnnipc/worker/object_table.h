/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor library's objects that the host knows by number. A number is given out once. The table
 * holds a reference to each object, a call that uses one holds another: a release during a call is
 * safe. Objects are destroyed on a pool of threads, because a vendor's destroy() may block.
 */
#ifndef NNIPC_OBJECT_TABLE_H
#define NNIPC_OBJECT_TABLE_H

#include <stdint.h>

/** Most objects of a worker. */
#define NNIPC_MAX_OBJECTS 65536u

/** Kinds of objects: the high byte of their methods (messages/methods.h). */
enum nnipc_object_kind {
	NNIPC_KIND_DEVICE = 1, /* has no number */
	NNIPC_KIND_PREPARED_MODEL = 2,
	NNIPC_KIND_FENCED_CALLBACK = 3,
	NNIPC_KIND_BURST = 4,
	NNIPC_KIND_EXECUTION = 5,
	NNIPC_KIND_BUFFER = 6
};

/** An object of the table. */
struct nnipc_object {
	void *object; /* the servant's; constant */
	/* private */
	enum nnipc_object_kind kind;
	uint64_t oid;
	uint32_t refs;
	void (*destroy)(void *object);
	struct nnipc_object *next;
};

/** Add @object. Its number; 0: the table is full, or no memory, and @object stays the caller's. */
uint64_t nnipc_object_add(enum nnipc_object_kind kind, void *object, void (*destroy)(void *object));
/** A reference to the object, for nnipc_object_put(); NULL: no such object of this kind. */
struct nnipc_object *nnipc_object_get(enum nnipc_object_kind kind, uint64_t oid);
void nnipc_object_put(struct nnipc_object *object);
/** The host gives its reference back. 0; -ESTALE: no such object. Never blocks on the vendor. */
int nnipc_object_release(uint64_t oid);
/** Destroy all objects in this thread and wait for those that are being destroyed. The end. */
void nnipc_objects_clear(void);

#endif
