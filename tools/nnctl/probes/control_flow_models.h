/* SPDX-License-Identifier: Apache-2.0 */
/* Models of IF and WHILE over a tensor of a type. */
#ifndef NNCTL_CONTROL_FLOW_MODELS_H
#define NNCTL_CONTROL_FLOW_MODELS_H

#include "nnmodel.h"

/** Lists of columns as in a probe_row. */
extern const char probes_control_flow_types[];

/** The caller frees it with nnmodel_free(). NULL: out of memory. */
struct nnmodel *probe_control_flow_model(uint32_t opcode, uint32_t type);

#endif
