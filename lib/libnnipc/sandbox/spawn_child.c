// SPDX-License-Identifier: Apache-2.0
/* The end of a worker, as its parent learns it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nnutil_process.h"
#include "nnutil_clock.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_private.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* Whether it has ended in @limit_ns; negative: no limit. */
static bool ended_within(const struct nnipc_child *child, int64_t limit_ns)
{
	return nnutil_wait_fd(child->pidfd, POLLIN, nnutil_deadline(limit_ns)) != -ETIME;
}

bool nnipc_child_ended(const struct nnipc_child *child)
{
	return child->pidfd < 0 || ended_within(child, 0);
}

/*
 * The monitor ends the worker, reports its status and then ends itself: it still has its direction
 * of the socket. A worker that is ending already keeps the status that it has. A program that is no
 * monitor yet is killed.
 */
void nnipc_child_kill(const struct nnipc_child *child)
{
	if (child->pidfd < 0)
		return;
	if (child->announced)
		shutdown(child->status, SHUT_WR);
	else
		syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
}

bool nnipc_child_shut(struct nnipc_child *child)
{
	struct nnipc_last_words words;
	ssize_t got;

	do {
		got = recv(child->status, &words, sizeof(words), MSG_DONTWAIT);
		if (got != sizeof(words))
			continue;
		child->announced = true;
		child->shut = child->shut || words.word == NNIPC_WORD_SHUT;
		if (words.word == NNIPC_WORD_END) {
			child->ended = true;
			child->end = words.status;
		}
	} while (got > 0 || (got < 0 && errno == EINTR));
	return child->shut;
}

/* A monitor that has reported nothing was killed, or never was one. */
static int last_status(struct nnipc_child *child)
{
	nnipc_child_shut(child);
	if (child->ended)
		return child->end;
	return child->announced ? -SIGKILL : 127;
}

static void spawn_child_tell(int status, char *how, size_t size)
{
	if (!how)
		return;
	if (status < 0)
		snprintf(how, size, "signal %d (%s)", -status, strsignal(-status));
	else
		snprintf(how, size, "exit status %d", status);
}

int nnipc_child_wait(struct nnipc_child *child, int64_t grace_ns, char *how, size_t size)
{
	int status;

	if (!ended_within(child, grace_ns)) {
		nnipc_child_kill(child);
		ended_within(child, -1);
	}
	status = last_status(child);
	/* init has done it, unless we are init, or a subreaper */
	waitid((idtype_t)P_PIDFD, (id_t)child->pidfd, &(siginfo_t){ 0 },
	       WEXITED | WNOHANG | __WALL);
	nnutil_fd_close(child->pidfd);
	nnutil_fd_close(child->status);
	child->pidfd = -1;
	child->status = -1;
	spawn_child_tell(status, how, size);
	return status;
}
