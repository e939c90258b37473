/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNIPC_EVERY_THREAD_H
#define NNIPC_EVERY_THREAD_H

/**
 * nnipc_on_every_thread() - call a function once in each thread of the process, in this one last
 * @fn: only system calls; 0 or -errno. Threads inherit what it does from those that make them
 * @cookie: for @fn
 *
 * For attributes of threads that the kernel cannot set for a whole process. The other threads are
 * interrupted by a signal that libc keeps to itself, so that no program blocks it; libc uses it in
 * setuid() and its like, which must not run at the same time. One caller at a time; /proc is
 * needed.
 *
 * Return: 0; the first error of @fn; -ETIME: a thread did not come; -EAGAIN: threads are made
 * without an end; another errno.
 */
int nnipc_on_every_thread(int (*fn)(void *cookie), void *cookie);

#endif
