// SPDX-License-Identifier: Apache-2.0
/* Starting a worker: descriptors and environment; and its end, as its parent learns it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "nnutil_process.h"
#include "nnutil_log.h"
#include "sandbox/sandbox_private.h"
#include "sandbox/sandbox.h"

#define MOST_TEXT 65536u
/* For the program to call nnipc_sandbox_enter(). */
#define PATIENCE_NS (5 * NNUTIL_NS_PER_S)

static const char *const step_texts[] = {
	[NNIPC_START_CLONE] = "no process can be made",
	[NNIPC_START_CGROUP] = "it cannot be moved into its cgroup",
	[NNIPC_START_DESCRIPTORS] = "the descriptors cannot be handed over",
	[NNIPC_START_EXEC] = "the program cannot be started",
};

/* The environment with NNIPC_SPAWNED in it. */
static char **with_mark(char *const *envp)
{
	static const char mark[] = NNIPC_SPAWNED "=1";
	size_t count = 0, used = 0;
	char **copy;

	while (envp && envp[count])
		count++;
	copy = calloc(count + 2, sizeof(*copy));
	if (!copy)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (strncmp(envp[i], mark, sizeof(NNIPC_SPAWNED)))
			copy[used++] = envp[i];
	copy[used] = (char *)mark;
	return copy;
}

static int spawn_start(struct nnipc_start *s, char *const *envp)
{
	char **copy = with_mark(envp);
	sigset_t all, old;
	int cancel;

	if (!copy) {
		s->step = NNIPC_START_CLONE;
		return ENOMEM;
	}
	s->envp = copy;
	/* no handler of the host runs in the child, and no thread is cancelled half way */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	nnipc_start_run(s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_setcancelstate(cancel, NULL);
	free(copy);
	return s->error;
}

/* The worker's first word has its pid. A program that ends before is found out by its users. */
static void await_worker(struct nnipc_child *child)
{
	struct nnipc_last_words words;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct msghdr msg = {
		.msg_iov = &(struct iovec){ .iov_base = &words, .iov_len = sizeof(words) },
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	struct ucred cred;

	if (nnutil_wait_fd(child->status, POLLIN, nnutil_deadline(PATIENCE_NS)))
		return;
	if (recvmsg(child->status, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != sizeof(words) ||
	    words.word != NNIPC_WORD_WORKER)
		return;
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&cred, CMSG_DATA(c), sizeof(cred));
		child->pid = cred.pid;
		child->entered = words.layers;
		child->announced = true;
	}
}

/* Of this thread, which the worker inherits. */
static unsigned int own_filters(void)
{
	unsigned int filters = 0;
	char *text;

	if (nnutil_read_file("/proc/thread-self/status", MOST_TEXT, &text, NULL))
		return filters;
	filters = nnipc_status_filters(text);
	free(text);
	return filters < UINT_MAX ? filters : 0;
}

int nnipc_spawn(const struct nnipc_spawn_config *config, struct nnipc_child *child, char *message,
		size_t size)
{
	struct nnipc_start s = { .config = config, .null = -1, .parent = -1, .stack = MAP_FAILED };
	int sockets[2] = { -1, -1 };
	int error;

	*child = (struct nnipc_child){ .pidfd = -1, .status = -1 };
	nnutil_process_watch(NULL);
	s.null = open("/dev/null", O_RDWR | O_CLOEXEC);
	s.parent = (int)syscall(SYS_pidfd_open, getpid(), 0);
	s.stack = mmap(NULL, 2 * NNIPC_START_STACK, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (s.null < 0 || s.parent < 0 || s.stack == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) ||
	    setsockopt(sockets[0], SOL_SOCKET, SO_PASSCRED, &(int){ 1 }, sizeof(int))) {
		error = nnutil_refuse(message, size, -errno, "no worker can be started: %m");
		goto out;
	}
	nnutil_fd_keep(sockets[0]);
	s.status = sockets[1];
	error = -spawn_start(&s, config->envp);
	if (error) {
		nnutil_refuse(message, size, 0, "%s: %s: %s", config->program, step_texts[s.step],
			      strerror(-error));
		goto out;
	}
	*child = (struct nnipc_child){
		.pid = s.pid,
		.pidfd = nnutil_fd_keep(s.pidfd),
		.status = sockets[0],
		.filters = own_filters(),
	};
	sockets[0] = -1;
	close(sockets[1]);
	sockets[1] = -1;
	await_worker(child);
out:
	nnutil_fd_close(sockets[0]);
	if (sockets[1] >= 0)
		close(sockets[1]);
	if (s.stack != MAP_FAILED)
		munmap(s.stack, 2 * NNIPC_START_STACK);
	if (s.parent >= 0)
		close(s.parent);
	if (s.null >= 0)
		close(s.null);
	return error;
}

/* ---- the end of a worker ---- */

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
