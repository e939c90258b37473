/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole reads and writes. A short read or write and EINTR are continued. All return 0 or -errno.
 * Any thread.
 */
#ifndef NNUTIL_IO_H
#define NNUTIL_IO_H

#include <stddef.h>
#include <sys/types.h>

/** Read exactly @size bytes. -ENODATA: the file ends before. */
int nnutil_read_all(int fd, void *data, size_t size);
int nnutil_write_all(int fd, const void *data, size_t size);
/** The same at @offset, and the file's position stays. */
int nnutil_pread_all(int fd, void *data, size_t size, off_t offset);
int nnutil_pwrite_all(int fd, const void *data, size_t size, off_t offset);

/**
 * Read from @fd to the end of the file into a new buffer with a NUL behind it. -EFBIG: more than
 * @max bytes. *@data is the caller's to free(); *@size does not count the NUL and may be NULL.
 */
int nnutil_read_to_end(int fd, size_t max, char **data, size_t *size);
/** The same of the file @path. */
int nnutil_read_file(const char *path, size_t max, char **data, size_t *size);

#endif
