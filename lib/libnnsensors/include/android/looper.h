/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ALooper: a thread waits for many descriptors at a time, with the names and values of the NDK.
 * Functions are in libnnsensors.so.
 *
 * A looper belongs to the thread that made it with ALooper_prepare(), and only that thread polls
 * it. Any thread may add and remove descriptors, wake it, and count references. It lives until its
 * thread has ended and its last reference is released.
 *
 * A descriptor has either a callback, which the poll calls, or an ident, which the poll returns. It
 * stays the caller's, who removes it before closing it. Nothing of it is called or returned once
 * ALooper_removeFd() returned in the looper's own thread.
 *
 * fork(): a child has none of its parent's loopers: it prepares its own.
 */
#ifndef ANDROID_LOOPER_H
#define ANDROID_LOOPER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ALooper ALooper;

/** Options of ALooper_prepare(). */
enum {
	/** Descriptors without a callback may be added. */
	ALOOPER_PREPARE_ALLOW_NON_CALLBACKS = 1 << 0,
};

/** What a poll returns when it is not an ident, which are >= 0. */
enum {
	ALOOPER_POLL_WAKE = -1, /* ALooper_wake(), or a signal */
	ALOOPER_POLL_CALLBACK = -2, /* callbacks were called */
	ALOOPER_POLL_TIMEOUT = -3,
	ALOOPER_POLL_ERROR = -4, /* also: the thread has no looper */
};

/** Flags of events. ERROR, HANGUP and INVALID come unasked. */
enum {
	ALOOPER_EVENT_INPUT = 1 << 0,
	ALOOPER_EVENT_OUTPUT = 1 << 1,
	ALOOPER_EVENT_ERROR = 1 << 2,
	ALOOPER_EVENT_HANGUP = 1 << 3,
	ALOOPER_EVENT_INVALID = 1 << 4,
};

/** Returns 1 to stay, 0 to have its descriptor removed. */
typedef int (*ALooper_callbackFunc)(int fd, int events, void *data);

/** This thread's looper; NULL: it has none. */
ALooper *ALooper_forThread(void);

/** This thread's looper, made if there is none. @opts count when it is made. NULL: no memory. */
ALooper *ALooper_prepare(int opts);

void ALooper_acquire(ALooper *looper);
void ALooper_release(ALooper *looper);

/**
 * Wait until something happens to this thread's looper, at most @timeoutMillis (0: do not wait;
 * negative: no limit). An ident is returned with what belongs to it in *@outFd, *@outEvents and
 * *@outData, which may be NULL; else these become 0, 0 and NULL. Of several idents each call
 * returns one.
 */
int ALooper_pollOnce(int timeoutMillis, int *outFd, int *outEvents, void **outData);

/** The same, but goes on after callbacks: it never returns ALOOPER_POLL_CALLBACK. */
int ALooper_pollAll(int timeoutMillis, int *outFd, int *outEvents, void **outData);

/** Have the poll that runs, or the next one, return at once. */
void ALooper_wake(ALooper *looper);

/**
 * Wait for @events of a descriptor, from now on; what it was added with before is replaced.
 * @callback NULL: polls return @ident (>= 0), which the looper must allow. Returns 1, or -1:
 * refused.
 */
int ALooper_addFd(ALooper *looper, int fd, int ident, int events, ALooper_callbackFunc callback,
		  void *data);

/** Returns 1; 0: it was not there; -1: no looper. */
int ALooper_removeFd(ALooper *looper, int fd);

#ifdef __cplusplus
}
#endif

#endif
