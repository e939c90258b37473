/* SPDX-License-Identifier: Apache-2.0 */
/* IPreparedModel. Private to libnnhal. */
#ifndef NNHAL_IPREPARED_MODEL_H
#define NNHAL_IPREPARED_MODEL_H

#include "nnhal.h"

extern const struct nnhal_prepared_model_ops nnhal_pm_ops;

#endif
