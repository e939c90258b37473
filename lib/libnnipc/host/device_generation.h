/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A proxied device: what stays while its workers come and go. Private to lib/libnnipc/host.
 */
#ifndef NNIPC_DEVICE_GENERATION_H
#define NNIPC_DEVICE_GENERATION_H

#include <pthread.h>

#include "host/connection.h"
#include "host/supervisor.h"
#include "nnhal.h"
#include "nnutil_process.h"
#include "values/nnhal_values.h"

struct nnipc_device {
	struct nnhal_device base;
	/* constant */
	unsigned int process; /* that made it */
	struct nnipc_supervisor *supervisor;
	struct nnipc_description description; /* of the first worker; the others have the same */

	pthread_mutex_t lock; /* protects what follows; no other lock is taken under it */
	pthread_cond_t started; /* @starting is over */
	struct nnipc_connection *c; /* the last generation, a reference; dead or not */
	bool starting; /* a thread starts another one, without the lock */
	bool out_of_service; /* for good */
	struct nnhal_device_info info; /* the vendor's last; size 0: none yet */
};

static inline bool nnipc_device_inherited(const struct nnipc_device *dev)
{
	return nnutil_process_inherited(dev->process);
}

/** A device of the first generation @c, whose reference it takes with 0. 0 or -ENOMEM. */
int nnipc_device_new(const struct nnhal_device_ops *ops, struct nnipc_supervisor *supervisor,
		     struct nnipc_connection *c, struct nnipc_device **dev);
void nnipc_device_free(struct nnipc_device *dev);

/** The last generation, with a reference. Not of inherited devices. */
struct nnipc_connection *nnipc_device_last(struct nnipc_device *dev);

/**
 * nnipc_device_generation() - a generation that lives, if need be a new one
 * @dev: not an inherited one
 * @c: set to it, with a reference
 * @message: on an error, why; NNHAL_MESSAGE bytes
 *
 * Return: 0; an error of nnipc_supervisor_start(): there is none now.
 */
int nnipc_device_generation(struct nnipc_device *dev, struct nnipc_connection **c, char *message);

#endif
