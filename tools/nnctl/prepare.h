/* SPDX-License-Identifier: Apache-2.0 */
/* IDevice::prepareModel as a call that waits. */
#ifndef NNCTL_PREPARE_H
#define NNCTL_PREPARE_H

#include "nnhal.h"

/** Prepare with default preference and priority. *@prepared is set on NONE; else @message says why.
 * With
 * @show, progress is shown. */
enum nnhal_status prepare_and_wait(struct nnhal_device *dev, const struct nnmodel *model, bool show,
				   struct nnhal_prepared_model **prepared, char *message,
				   size_t size);

#endif
