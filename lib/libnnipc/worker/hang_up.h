/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the host, seen whatever the other threads do. */
#ifndef NNIPC_HANG_UP_H
#define NNIPC_HANG_UP_H

/**
 * From now on, a hang-up of @sock ends the process in half a second, with exit status 0, unless it
 * has ended by itself. 0 or -errno.
 */
int nnipc_hang_up_watch(int sock);

#endif
