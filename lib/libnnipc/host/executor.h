/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that call the client's callbacks. As many as there are callbacks at a time: one that
 * blocks, calls the driver or destroys its objects stops no other. Private to lib/libnnipc/host.
 */
#ifndef NNIPC_EXECUTOR_H
#define NNIPC_EXECUTOR_H

/** Run @work(@cookie) on one of the threads. 0; -ENOMEM, -EAGAIN: not now, try again. */
int nnipc_executor_run(void (*work)(void *cookie), void *cookie);

#endif
