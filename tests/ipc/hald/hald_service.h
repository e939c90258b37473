/* SPDX-License-Identifier: Apache-2.0 */
/* nnaccel-hald with the worker of the tests (fake_worker.c), and its clients. */
#ifndef TEST_HALD_SERVICE_H
#define TEST_HALD_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hald {
	pid_t pid;
	int log;
	char text[65536];
	size_t length, judged; /* of @text: what has been read, what is about workers that have
				  ended */
};

/** Setup and teardown of a group of cases: the folder of the socket. */
int hald_make_folder(void **state);
int hald_remove_folder(void **state);
void hald_socket(char *path, size_t size);

/** In a child. */
void hald_exec(char **argv, int log);
/** Starts it with an option and its value, or with those of a list; waits until it listens. */
void hald_start(struct hald *h, const char *option, const char *value);
void hald_start_with(struct hald *h, const char *const *options);
/** In the child, before the service starts; NULL: nothing. */
extern void (*hald_prepare)(void);
int hald_stop(struct hald *h, int signal);

/** Reads its log until @text is in it; false: it ended before. */
bool hald_reads(struct hald *h, const char *text);
/** The next worker ends, and that as @how. */
void hald_reads_end(struct hald *h, const char *how);

/** A client that is connected and has sent nothing. */
int hald_dial(void);
/** HELLO both ways; @why: of a refusal. Returns the version; @pid: who answered. */
uint32_t hald_greet(int sock, char *why, size_t size, pid_t *pid);
/** A client that has a worker. */
int hald_served(pid_t *pid);
/** Whether one is served now; a place that becomes free does so a little later. */
bool hald_serves(void);
void hald_await_hang_up(int sock);
bool hald_runs(pid_t pid);

#endif
