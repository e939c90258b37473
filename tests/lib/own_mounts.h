/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that a test pretends: a child with mounts of its own, where it covers /dev and /sys. */
#ifndef NN_TEST_OWN_MOUNTS_H
#define NN_TEST_OWN_MOUNTS_H

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

#include "child.h"
#include "skip.h"

/* Exit statuses of a child that cannot have them; no line of a test is this one. */
enum { OWN_MOUNTS_REFUSED = 250, OWN_MOUNTS_IN_CHROOT };

/** In the child: cover /dev and /sys by empty folders. 0, or the exit status. */
static inline int own_mounts(void)
{
	if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)))
		return OWN_MOUNTS_REFUSED;
	/* what is mounted below would be seen outside */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return errno == EINVAL ? OWN_MOUNTS_IN_CHROOT : OWN_MOUNTS_REFUSED;
	if (mount("dev", "/dev", "tmpfs", 0, NULL) || mount("sys", "/sys", "tmpfs", 0, NULL))
		return OWN_MOUNTS_REFUSED;
	return 0;
}

/** Run @body, which begins with own_mounts(), in a child, and expect that it returns 0. */
static inline void expect_with_own_mounts(int (*body)(void))
{
	const int status = child_wait(child_start(NULL, body));

	if (status == OWN_MOUNTS_IN_CHROOT || status == OWN_MOUNTS_REFUSED)
		skip_host("a process may not have mounts of its own here");
	child_expect(status);
}

#endif
