// SPDX-License-Identifier: Apache-2.0
#include "rt_stderr.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "rt_case.h"

static int real_stderr = -1;

void rt_listen_begin(void)
{
	int fd = open(rt_path("log"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	fflush(stderr);
	real_stderr = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

const char *rt_listen_end(void)
{
	fflush(stderr);
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	return rt_path("log");
}

unsigned int rt_listen_count(const char *text)
{
	return rt_count_lines(rt_listen_end(), text);
}
