/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNIPC_EMPTY_ROOT_H
#define NNIPC_EMPTY_ROOT_H

/**
 * Replace the root of all processes of this mount namespace by an empty folder that cannot be
 * written to, and let go of the old one. Needs CAP_SYS_ADMIN; their working directory is "/".
 * 0 or -errno.
 */
int nnipc_make_empty_root(void);

/** Keep mounts of this namespace from the others'. 0 or -errno. */
int nnipc_keep_mounts(void);

#endif
