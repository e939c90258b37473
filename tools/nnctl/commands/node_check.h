/* SPDX-License-Identifier: Apache-2.0 */
/* What "nnctl doctor" finds out about the nodes in /dev/accel. */
#ifndef NNCTL_NODE_CHECK_H
#define NNCTL_NODE_CHECK_H

#include <stdbool.h>

/**
 * node_check() - a line for each node: whether it can be opened, and if not, the remedy
 * @bound: cards that the driver is bound to
 */
void node_check(unsigned int bound);
/** Whether there is any node. */
bool node_check_any(void);

#endif
