/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may do beyond others, and how much it may take. */
#ifndef NNIPC_PRIVILEGES_H
#define NNIPC_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/** This thread has no capability any more, and gets none from those it makes. 0 or -errno. */
int nnipc_drop_capabilities(void);
/** This thread has @capability at most. 0 or -errno. */
int nnipc_keep_capability(unsigned int capability);

/**
 * Limits of resources. @own_user: the process is in a user namespace of its own, so that the
 * processes of the user can be counted. 0 or -errno.
 */
int nnipc_set_limits(bool own_user);
/** Whether another process of this user has them. */
bool nnipc_limits_hold(pid_t process);

#endif
