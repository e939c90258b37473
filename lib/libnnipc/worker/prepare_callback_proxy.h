/* SPDX-License-Identifier: Apache-2.0 */
/* IPreparedModelCallback where the vendor library is: the host's callback behind a message. */
#ifndef NNIPC_PREPARE_CALLBACK_PROXY_H
#define NNIPC_PREPARE_CALLBACK_PROXY_H

#include "nnhal.h"

/** nnhal_prepared_cb of all preparations. @cookie: of nnipc_callback_expect(). */
void nnipc_prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		    const char *message);
/** Notify the host's @callback of a preparation that failed. */
void nnipc_prepare_failed(uint64_t callback, enum nnhal_status status, const char *message);

#endif
