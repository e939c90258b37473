// SPDX-License-Identifier: Apache-2.0
#include "idl_sample.h"

#include <stdlib.h>
#include <sys/mman.h>

static uint32_t last;

uint32_t sample_number(void)
{
	last = last % 60000 + 1;
	return last;
}

void sample_restart(void)
{
	last = 0;
}

int sample_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("sample", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	return fd;
}
