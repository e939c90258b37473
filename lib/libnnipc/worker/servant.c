// SPDX-License-Identifier: Apache-2.0
/* What servants share. */
#include "worker/nnipc_worker.h"

#include <errno.h>

int nnipc_arguments_end(const struct nnipc_reader *in, enum nnhal_status *status)
{
	int ret = nnipc_reader_end(in);

	*status = ret == -ENOMEM ? NNHAL_RESOURCE_EXHAUSTED_TRANSIENT : NNHAL_NONE;
	return ret == -ENOMEM ? 0 : ret;
}
