// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

/* Seals of what cannot change any more: nothing is left to protect. */
#define CONSTANT (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static bool is_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* The same file, another description of it. -1 with errno. */
static int open_again(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC | O_NOCTTY);
}

/* @access: that of @fd. */
static void put_again(struct nnipc_writer *w, int fd, int access, bool write)
{
	const int again = open_again(fd, write ? O_RDWR : O_RDONLY);

	if (again >= 0)
		nnipc_put_fd_owned(w, again);
	else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		w->error = w->error ? w->error : -errno;
	else if (write || access == O_RDONLY)
		nnipc_put_fd(w, fd);
	else
		w->error = w->error ? w->error : -EACCES;
}

void nnipc_put_lent_fd(struct nnipc_writer *w, int fd, bool write)
{
	const int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL), access = flags & O_ACCMODE;
	int seals;

	/* what cannot be mapped so is the other side's to refuse */
	if (flags < 0 || flags & O_PATH || access == O_WRONLY || (write && access == O_RDONLY)) {
		nnipc_put_fd(w, fd);
		return;
	}
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0) {
		if (is_file(fd))
			put_again(w, fd, access, write);
		else
			nnipc_put_fd(w, fd);
		return;
	}
	if (!write && access != O_RDONLY && (seals & CONSTANT) != CONSTANT) {
		put_again(w, fd, access, false);
		return;
	}
	if (write && !(seals & (F_SEAL_SHRINK | F_SEAL_SEAL)))
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
	nnipc_put_fd(w, fd);
}
