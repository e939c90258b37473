/* SPDX-License-Identifier: Apache-2.0 */
/* IBurst: a thread that takes requests out of a ring. */
#ifndef NNIPC_BURST_SERVANT_H
#define NNIPC_BURST_SERVANT_H

#include "nnhal.h"

/** Most bursts at a time, each with its thread. */
#define NNIPC_MAX_BURSTS 256u

/** Descriptors of the host for a burst. */
struct nnipc_burst_ends {
	int sock, requests, results;
};
void nnipc_burst_ends_close(struct nnipc_burst_ends *ends);

/**
 * nnipc_burst_configure() - make a burst and serve it
 * @model: the vendor's
 * @ends: the socket becomes the burst's if it is made
 * @status: set to the result of the call
 * @oid: set to the burst's number with NONE, else to 0
 *
 * Return: 0; -EBADMSG: the descriptors are no socket and rings.
 */
int nnipc_burst_configure(struct nnhal_prepared_model *model, struct nnipc_burst_ends *ends,
			  enum nnhal_status *status, uint64_t *oid);

#endif
