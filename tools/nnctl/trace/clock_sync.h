/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of cards against the host's. */
#ifndef NNCTL_CLOCK_SYNC_H
#define NNCTL_CLOCK_SYNC_H

/**
 * Read the clock of every card some times, so that the driver's tracepoint has readings in the
 * trace.
 */
void trace_clocks_read(void);

#endif
