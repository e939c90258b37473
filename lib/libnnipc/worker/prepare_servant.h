/* SPDX-License-Identifier: Apache-2.0 */
/* IDevice: preparations. */
#ifndef NNIPC_PREPARE_SERVANT_H
#define NNIPC_PREPARE_SERVANT_H

#include "wire/marshal.h"

int nnipc_prepare_model(void *device, struct nnipc_reader *in, struct nnipc_writer *out);
int nnipc_prepare_model_from_cache(void *device, struct nnipc_reader *in, struct nnipc_writer *out);

#endif
