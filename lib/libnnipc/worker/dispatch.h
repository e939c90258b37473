/* SPDX-License-Identifier: Apache-2.0 */
/* From the number of a method to the servant. */
#ifndef NNIPC_DISPATCH_H
#define NNIPC_DISPATCH_H

#include "wire/lane.h"

/** nnipc_handler of the lanes. @device: the vendor's device. Any number of threads. */
int nnipc_dispatch(void *device, const struct nnipc_header *header, struct nnipc_reader *in,
		   struct nnipc_writer *out);

#endif
