// SPDX-License-Identifier: Apache-2.0
#include "rt_stderr.h"

#include <fcntl.h>
#include <unistd.h>

#include "descriptors.h"
#include "rt_case.h"

static int real_stderr = -1;

void rt_listen_begin(void)
{
	int fd = open(temp_path("log"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	real_stderr = descriptors_begin_stderr(fd);
	close(fd);
}

const char *rt_listen_end(void)
{
	descriptors_end_stderr(real_stderr);
	return temp_path("log");
}

unsigned int rt_listen_count(const char *text)
{
	return lines_count(rt_listen_end(), text);
}
