/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of messages share. */
#ifndef WIRE_TEST_H
#define WIRE_TEST_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "test_case.h"

/** The name of before, in test_codec.c. */
static inline uint32_t open_fds(void)
{
	return descriptors_open();
}

/** A memfd whose size says which one it is. */
static inline int numbered_fd(uint32_t number)
{
	return memfd_new(number);
}

static inline uint32_t fd_number(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint32_t)st.st_size;
}

/** Whether two descriptors are of one file. */
static inline int same_file(int a, int b)
{
	struct stat x, y;

	assert_int_equal(fstat(a, &x), 0);
	assert_int_equal(fstat(b, &y), 0);
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

#endif
