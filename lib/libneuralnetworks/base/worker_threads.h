/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for asynchronous work. */
#ifndef NNR_WORKER_THREADS_H
#define NNR_WORKER_THREADS_H

/**
 * Run @work(@cookie) on a worker thread. It never waits for other work to end: work may last as
 * long as a device computes, and may wait for events of other work. Log lines of the work name the
 * API call that gave it. 0, -EAGAIN, -ENOMEM.
 */
int nnr_thread_run(void (*work)(void *cookie), void *cookie);

#endif
