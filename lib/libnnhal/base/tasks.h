/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of the library's worker threads. Private to libnnhal. */
#ifndef NNHAL_TASKS_H
#define NNHAL_TASKS_H

/** Run @work(@cookie) on a worker thread. 0 or -errno (it does not run then). */
int nnhal_run_async(void (*work)(void *cookie), void *cookie);

#endif
