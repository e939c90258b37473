/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open descriptors, files of memory, and sockets. The descriptors that functions return are the
 * caller's. A function that does not return an error ends the test by cmocka where it fails.
 */
#ifndef TESTS_LIB_DESCRIPTORS_H
#define TESTS_LIB_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** How many are open: a number to compare, for it counts three more. */
uint32_t descriptors_open(void);
/** Of process @pid; -1: it cannot be read. */
int descriptors_open_of(pid_t pid);

/** The same file, opened again: O_RDONLY, O_WRONLY or O_RDWR. */
int descriptors_reopen(int fd, int access);
/** All that is written to standard error from here on goes to @fd; the caller's: the one before. */
int descriptors_begin_stderr(int fd);
/** The end of that. */
void descriptors_end_stderr(int before);

/** A file of @size bytes of memory, all 0, which cannot be sealed. */
int memfd_new(uint64_t size);
/** The same that can be sealed, with seals (F_SEAL_...) on it. */
int memfd_sealed(uint64_t size, int seals);
/** Map its first @size bytes, to read and write. */
void *memfd_map(int fd, size_t size);

/** Connect to the AF_UNIX socket of a path: -errno. */
int unix_dial(const char *path, int type);
/** An AF_UNIX socket at a path, where nothing stays that was there. */
int unix_bind(const char *path, int type);
/** Send @size bytes with descriptors, at most 253 (SCM_MAX_FD): what sendmsg() returns. */
ssize_t unix_send(int sock, const void *bytes, size_t size, const int *fds, size_t count);
/** Receive at most @size bytes, and a descriptor; -1: there is none. What recvmsg() returns. */
ssize_t unix_receive(int sock, void *bytes, size_t size, int *fd);

#endif
