/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that serve lanes, one each. */
#ifndef NNIPC_LANES_H
#define NNIPC_LANES_H

#include "nnhal.h"

/** Serve the lane @sock, which this takes over. Too many, or no socket, ends the worker. */
void nnipc_lane_start(int sock, struct nnhal_device *device);
/** Hang up all lanes and wait until their threads have left. */
void nnipc_lanes_end(void);

#endif
