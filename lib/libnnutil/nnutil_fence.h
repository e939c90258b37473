/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences: descriptors that become readable when work has ended, and say whether it succeeded.
 *
 * Two kinds. A sync_file is the kernel's; only a driver makes one, and jobs of a driver can wait
 * for it. A fence of user space is one end of a socket pair: the maker holds the other end and
 * writes one message when the work has ended. It can be polled like a sync_file. Its reader looks
 * at the message without taking it, so any number of processes may hold the fence. A maker that
 * dies hangs up without a message, and the fence ends in error: the kernel does it.
 */
#ifndef NNUTIL_FENCE_H
#define NNUTIL_FENCE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * nnutil_fence_create() - a fence of user space
 * @fence: set to the fence, close-on-exec
 * @signal: set to the maker's end, for nnutil_fence_signal(); close-on-exec
 *
 * Return: 0 or -errno.
 */
int nnutil_fence_create(int *fence, int *signal);

/**
 * nnutil_fence_signal() - the work has ended
 * @signal: of nnutil_fence_create(); is closed
 * @error: 0, or a negative errno
 */
void nnutil_fence_signal(int signal, int error);

/**
 * nnutil_fence_status() - whether a fence has signalled
 * @fd: any descriptor
 * @signalled_ns: set to the time, CLOCK_MONOTONIC; 0: not known. NULL: not wanted
 *
 * Hostile descriptors: an answer needs no trust in the maker and never blocks.
 *
 * Return: 1: signalled; 0: not yet; -EINVAL: no fence; another errno: the work failed (-EPIPE: the
 * maker of a fence of user space died).
 */
int nnutil_fence_status(int fd, int64_t *signalled_ns);

/**
 * nnutil_fence_wait() - wait until a fence signals
 * @fd: a fence, or any descriptor that stands for one: it has signalled when it is readable (an
 *	eventfd, a pipe)
 *
 * Return: 0; -EINVAL: no descriptor; another errno: the work failed, or @fd hung up.
 */
int nnutil_fence_wait(int fd);

/** Whether @fd is a sync_file, which jobs of a driver can wait for. */
bool nnutil_fence_is_sync_file(int fd);

#endif
