/* SPDX-License-Identifier: Apache-2.0 */
/* Large constants that are in the program as the pages of the file that has them. */
#ifndef NNHAL_LOWER_SHARE_H
#define NNHAL_LOWER_SHARE_H

#include "lowering.h"

/** Before l->builder is finished. @client: outlives @l. */
void lower_share_constants(struct lower *l, const struct nnhal_lower_client *client);

#endif
