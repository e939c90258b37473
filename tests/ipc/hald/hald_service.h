/* SPDX-License-Identifier: Apache-2.0 */
/* nnaccel-hald with the worker of the tests (fake_worker.c), and its clients. */
#ifndef TEST_HALD_SERVICE_H
#define TEST_HALD_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lines.h"

struct hald {
	pid_t pid;
	struct lines log;
};

/** The path of its socket, in temp_folder(). */
const char *hald_socket(void);
/** The service with arguments of the caller's. */
struct child_program hald_program(const char *const *argv);
/** Starts it with an option and its value, or with those of a list; waits until it listens. */
void hald_start(struct hald *h, const char *option, const char *value);
void hald_start_with(struct hald *h, const char *const *options);
/** In the child, before the service starts; NULL: nothing. */
extern void (*hald_prepare)(void);
int hald_stop(struct hald *h, int signal);

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
