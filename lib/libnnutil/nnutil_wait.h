/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a descriptor with a limit of time. Signals do not end a wait, nor make it longer. */
#ifndef NNUTIL_WAIT_H
#define NNUTIL_WAIT_H

#include <stdint.h>

/** CLOCK_MONOTONIC in @limit_ns from now; -1 if that is negative: there is no limit. */
int64_t nnutil_deadline(int64_t limit_ns);

/**
 * Wait until poll() reports something of @fd: one of @events (POLLIN...), an error or a hang-up.
 * @deadline_ns: of nnutil_deadline(). 0; -ETIME; another errno.
 */
int nnutil_wait_fd(int fd, short events, int64_t deadline_ns);

#endif
