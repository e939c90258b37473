// SPDX-License-Identifier: Apache-2.0
/* Files in memory, made within the limits of the process. */
#include "wire/nnipc_wire.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

int nnipc_memory_file(const char *name, uint64_t size)
{
	struct rlimit limit;
	int fd;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < size)
		return -EFBIG;
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}
