// SPDX-License-Identifier: Apache-2.0
/* A root without anything in it. */
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

int nnipc_keep_mounts(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ? -errno : 0;
}

int nnipc_make_empty_root(void)
{
	/* any folder will do: the mount hides it in this namespace only */
	static const char *const places[] = { "/tmp", "/proc", "/dev", "/run" };
	const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
	int error = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && error; i++) {
		if (mount("none", places[i], "tmpfs", flags, "size=4k,nr_inodes=1,mode=0555"))
			error = -errno;
		else
			error = chdir(places[i]) ? -errno : 0;
	}
	if (error)
		return error;
	/* The old root is on top of the new one then, and goes. Roots and working directories of
	 * all processes that were at the old root are moved along by the kernel. */
	if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
		return -errno;
	return 0;
}
