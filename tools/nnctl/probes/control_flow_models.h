/* SPDX-License-Identifier: Apache-2.0 */
/* IF and WHILE, whose type is that of the tensor that they hand on. */
#ifndef NNCTL_CONTROL_FLOW_MODELS_H
#define NNCTL_CONTROL_FLOW_MODELS_H

#include "nnmodel.h"

/** Lists of columns as in a probe_row. */
extern const char probes_control_flow_types[];

/** The caller frees it with nnmodel_free(). NULL: out of memory. */
struct nnmodel *probe_control_flow_model(uint32_t opcode, uint32_t type);

#endif
