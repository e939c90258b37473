/* SPDX-License-Identifier: Apache-2.0 */
/* nnaccel-worker as a process: how it is started, and its log. */
#ifndef NNIPC_LAUNCH_H
#define NNIPC_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nnutil_log.h"
#include "sandbox/sandbox.h"

/*
 * log_pipe.c: what a worker prints, as log lines of this process. Hostile: lines are cut, made
 * printable, and limited in number, and its reader rests. One thread at a time.
 */

struct nnipc_log_pipe {
	/* Prints a line of the worker, or how many are left out. */
	void (*print)(const struct nnipc_log_pipe *log, const char *line);
	/* the opener's, for print() */
	int32_t pid;
	uid_t user, payer;
	int fd; /* the reading end, non-blocking, to be polled; -1: none */
	char last[240]; /* the last complete line; "": none */
	/* private */
	char line[240]; /* the line that is not complete */
	size_t length;
	struct nnutil_log_rate rate;
	int64_t rest_until_ns;
};

/** Makes the pipe; *@end becomes the worker's end, blocking. Both close-on-exec. 0 or -errno. */
int nnipc_log_pipe_open(struct nnipc_log_pipe *log,
			void (*print)(const struct nnipc_log_pipe *log, const char *line),
			int *end);
/** Read what is there, a bounded amount. False: there is nothing more, for ever. */
bool nnipc_log_pipe_read(struct nnipc_log_pipe *log);
/**
 * For how long from @now_ns (CLOCK_MONOTONIC) on the pipe is not polled: a worker that writes what
 * is not printed does not keep the reader busy. 0: it is polled. Nothing is lost: the worker waits.
 */
int64_t nnipc_log_pipe_rest(const struct nnipc_log_pipe *log, int64_t now_ns);
/** Nothing more comes: read the rest, print what is left, close. */
void nnipc_log_pipe_close(struct nnipc_log_pipe *log);

/*
 * worker_launch.c: starting nnaccel-worker: its command line, its environment, the profile of its
 * sandbox.
 */

struct nnipc_worker_launch {
	const char *program; /* absolute path of nnaccel-worker */
	const char *library; /* absolute path of the vendor library */
	const char *profiles; /* folder of profiles; NULL: none */
	enum nnipc_sandbox_mode mode;
	int socket, log, cgroup; /* as those of struct nnipc_spawn_config */
	uint64_t memory; /* bytes that it may use; 0: as many as this process */
};

/** As nnipc_spawn(). A vendor library without a profile may do what every worker may. */
int nnipc_worker_launch(const struct nnipc_worker_launch *launch, struct nnipc_child *child,
			char *message, size_t size);

#endif
