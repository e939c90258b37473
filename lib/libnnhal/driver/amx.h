/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNHAL_AMX_H
#define NNHAL_AMX_H

#include <stdbool.h>

/** Whether programs of devices that are opened now may use AMX. */
bool nnhal_amx_wanted(void);

#endif
