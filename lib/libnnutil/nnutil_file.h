/* SPDX-License-Identifier: Apache-2.0 */
/* Files and descriptors: whole reads and writes, memory, sockets. */
#ifndef NNUTIL_FILE_H
#define NNUTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/*
 * nnutil_io.c: whole reads and writes. A short read or write and EINTR are continued. All return 0
 * or -errno. Any thread.
 */

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

/* Memory: its pages, and what another process or thread can change at any time. */

/**
 * Read @x, a scalar in shared memory, exactly once: what is checked is what is used. The compiler
 * may read a plain variable a second time.
 */
#define NNUTIL_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

/**
 * The seals of a memfd in tmpfs; -1: @fd is none. One of hugetlbfs is none either: there may be no
 * page when it is touched. Hostile descriptors: what is sealed against shrinking can be mapped.
 */
int nnutil_memfd_seals(int fd);
/**
 * Make the pages at @from, which is the start of one, at once: to fault them in one by one, as they
 * are written, takes longer than writing. false: they come when they are written.
 */
bool nnutil_make_pages(void *from, size_t size);
/** Whether @fd is a dma-buf, whose size is fixed. */
bool nnutil_is_dmabuf(int fd);

/* What a descriptor of another process is, if it is a socket. */

/** Whether @fd is a socket whose @option of SOL_SOCKET, a number, is @value: SO_TYPE... */
static inline bool nnutil_socket_is(int fd, int option, int value)
{
	int is = -1;
	socklen_t size = sizeof(is);

	return !getsockopt(fd, SOL_SOCKET, option, &is, &size) && is == value;
}

#endif
