/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of users: workers of each run in a cgroup of their own, below the one that the service has
 * (Delegate=memory of its unit). Any thread.
 */
#ifndef HALD_MEMORY_H
#define HALD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * hald_memory_init() - give each user at most @percent of the memory that the service may use
 * @percent: 0: users have no limit, and no cgroup is touched
 *
 * Once, before the first client. Moves this process into the cgroup "service" below its own. Where
 * that is not possible, a line in the log has the reason, and users have no limit.
 */
void hald_memory_init(uint32_t percent);

/** Bytes of a user; 0: no limit. */
uint64_t hald_memory_limit(void);

/**
 * The user gets one more worker. Its cgroup.procs, for struct nnipc_worker_launch, close() it; 0:
 * no limit; -errno: the cgroup cannot be made. hald_memory_leave() follows unless this failed.
 */
int hald_memory_join(uid_t user);
/** A worker of the user has ended. */
void hald_memory_leave(uid_t user);

/** Whether the kernel has ended a worker of the user for its memory since the last call. */
bool hald_memory_exhausted(uid_t user);

#endif
