/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subordinate users. A user with a line in subuid(5) runs processes as any of some 65536 users,
 * which are the same person: limits per user count the owner of the range. Ranges that are made
 * elsewhere (systemd-nspawn, homed) are not known.
 */
#ifndef NNIPC_SUBORDINATES_H
#define NNIPC_SUBORDINATES_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct nnipc_subordinate_range;

/** struct nnipc_subordinates - the ranges of a file; zeros and a path. One thread at a time */
struct nnipc_subordinates {
	const char *path;
	struct stat seen; /* the file that was read */
	struct nnipc_subordinate_range *ranges;
	size_t count;
};

/**
 * The owner of the range that @user is in; @user: it is in none, or the file cannot be read. The
 * file is read when it has changed. A line that is none, or whose owner does not exist, is passed
 * over.
 */
uid_t nnipc_subordinates_owner(struct nnipc_subordinates *s, uid_t user);
void nnipc_subordinates_fini(struct nnipc_subordinates *s);

#endif
