/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_LOWEST_FD_H
#define FUZZ_LOWEST_FD_H

#include <fcntl.h>
#include <unistd.h>

#include "idl_sample.h"

/** A number that grows when a descriptor is left open. */
static inline int lowest_fd(void)
{
	int fd = fcntl(sample_fd(), F_DUPFD_CLOEXEC, 0);

	close(fd);
	return fd;
}

#endif
