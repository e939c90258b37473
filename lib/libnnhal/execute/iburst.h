/* SPDX-License-Identifier: Apache-2.0 */
/* IBurst. Private to libnnhal. */
#ifndef NNHAL_IBURST_H
#define NNHAL_IBURST_H

#include "nnhal.h"

/** IPreparedModel::configureExecutionBurst. */
enum nnhal_status nnhal_configure_burst(struct nnhal_prepared_model *model,
					struct nnhal_burst **burst);

#endif
