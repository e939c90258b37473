/* SPDX-License-Identifier: Apache-2.0 */
/* A count of references, embedded in an object that parts of it and tasks keep alive. */
#ifndef NNHAL_REF_H
#define NNHAL_REF_H

#include <stdatomic.h>

struct nnhal_ref {
	atomic_uint count;
	void (*release)(struct nnhal_ref *ref); /* the last reference was dropped */
};

static inline void nnhal_ref_init(struct nnhal_ref *ref, void (*release)(struct nnhal_ref *ref))
{
	atomic_init(&ref->count, 1);
	ref->release = release;
}

static inline void nnhal_ref_get(struct nnhal_ref *ref)
{
	atomic_fetch_add_explicit(&ref->count, 1, memory_order_relaxed);
}

static inline void nnhal_ref_put(struct nnhal_ref *ref)
{
	if (atomic_fetch_sub_explicit(&ref->count, 1, memory_order_acq_rel) == 1)
		ref->release(ref);
}

#endif
