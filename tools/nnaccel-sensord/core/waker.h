/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wake the readers of queues, one for each user. A wake-up runs what the client has
 * put behind its descriptor, in the thread that sends it: a poll() that lists the descriptor 20,000
 * times makes one send() take milliseconds. So no thread of a device sends to a client: it leaves
 * the wake-up to an ordinary thread, which works for this user alone.
 */
#ifndef SENSORD_WAKER_H
#define SENSORD_WAKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct waker;

/** struct wake_up - what is sent: a datagram of 8 bytes to @fd. Zeros and a descriptor */
struct wake_up {
	struct wake_up *next;
	atomic_bool waits;
	int fd;
};

/** The user's waker, shared and counted. 0; -ENOMEM, -EAGAIN: no thread. */
int waker_get(uid_t user, struct waker **waker);
void waker_put(struct waker *waker);

/** Send it now, on this thread. A socket that is full has wake-ups that are not read. */
void wake_up_send(struct wake_up *wake_up);
/** Have it sent, once if it still waits. Any thread; never waits, and runs nothing of a client. */
void waker_add(struct waker *waker, struct wake_up *wake_up);
/** Send what waits. After the return the waker has nothing that was added before. */
void waker_flush(struct waker *waker);

#endif
