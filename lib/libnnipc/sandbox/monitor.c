// SPDX-License-Identifier: Apache-2.0
/*
 * The monitor waits for three things: the end of the worker, which it tells the parent; the end of
 * the parent, which ends the worker; the worker's one request, and that it lets go.
 */
#include "sandbox/sandbox_private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/*
 * Replace the root of all processes of this mount namespace by an empty folder that cannot be
 * written to, and let go of the old one. Needs CAP_SYS_ADMIN; their working directory is "/".
 * 0 or -errno.
 */
static int make_empty_root(void)
{
	/* any folder will do: the mount hides it in this namespace only */
	static const char *const places[] = { "/tmp", "/proc", "/dev", "/run" };
	const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
	int error = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && error; i++) {
		if (mount("none", places[i], "tmpfs", flags, "size=4k,nr_inodes=1,mode=0555"))
			error = -errno;
		else
			error = chdir(places[i]) ? -errno : 0;
	}
	if (error)
		return error;
	/* The old root is on top of the new one then, and goes. Roots and working directories of
	 * all processes that were at the old root are moved along by the kernel. */
	if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
		return -errno;
	return 0;
}

/*
 * The worker's only request. The bytes that it sends do not matter. False: it has let go, and the
 * monitor needs no right any more.
 */
static bool monitor_serve(int socket)
{
	const struct nnipc_last_words words = { .word = NNIPC_WORD_SHUT };
	char wish;
	int32_t answer;

	if (recv(socket, &wish, sizeof(wish), MSG_DONTWAIT) <= 0) {
		nnipc_drop_capabilities();
		send(NNIPC_STATUS_FD, &words, sizeof(words), MSG_NOSIGNAL | MSG_DONTWAIT);
		return false;
	}
	answer = make_empty_root();
	nnipc_drop_capabilities();
	send(socket, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
	return true;
}

static int32_t status_of(const siginfo_t *info)
{
	if (info->si_code != CLD_EXITED)
		return -info->si_status;
	/* the worker says so if it could not end by the signal itself */
	if (info->si_status > NNIPC_STATUS_OF_SIGNAL(0) &&
	    info->si_status <= NNIPC_STATUS_OF_SIGNAL(SIGSYS))
		return NNIPC_STATUS_OF_SIGNAL(0) - info->si_status;
	return info->si_status;
}

static _Noreturn void guard(int pidfd, int socket)
{
	struct nnipc_last_words words = { .word = NNIPC_WORD_END };
	enum { WORKER, PARENT, STATUS, WISH, COUNT };
	struct pollfd poll_fds[COUNT] = {
		[WORKER] = { .fd = pidfd, .events = POLLIN },
		[PARENT] = { .fd = NNIPC_PARENT_FD, .events = POLLIN },
		[STATUS] = { .fd = NNIPC_STATUS_FD, .events = POLLRDHUP },
		[WISH] = { .fd = socket, .events = POLLIN },
	};
	siginfo_t info = { 0 };

	for (;;) {
		if (poll(poll_fds, COUNT, -1) < 0)
			continue;
		if (poll_fds[WORKER].revents)
			break;
		if (poll_fds[PARENT].revents || poll_fds[STATUS].revents)
			syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
		if (poll_fds[PARENT].revents)
			poll_fds[PARENT].fd = -1;
		if (poll_fds[STATUS].revents)
			poll_fds[STATUS].fd = -1;
		if (poll_fds[WISH].revents && !monitor_serve(socket))
			poll_fds[WISH].fd = -1;
	}
	while (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) && errno == EINTR)
		;
	words.status = status_of(&info);
	send(NNIPC_STATUS_FD, &words, sizeof(words), MSG_NOSIGNAL | MSG_DONTWAIT);
	_exit(EXIT_SUCCESS);
}

static _Noreturn void become_monitor(pid_t worker, int socket)
{
	int pidfd = (int)syscall(SYS_pidfd_open, worker, 0);
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "nnaccel-monitor");
	/* the worker has the same user, and must not trace us */
	prctl(PR_SET_DUMPABLE, 0);
	/* the socket and the log hang up when the worker ends */
	for (int fd = 0; fd <= NNIPC_SOCKET_FD; fd++)
		close(fd);
	if (pidfd < 0) {
		kill(worker, SIGKILL);
		_exit(EXIT_FAILURE);
	}
	guard(pidfd, socket);
}

/* The kernel adds the pid: the parent has set SO_PASSCRED. */
void nnipc_monitor_announce(uint32_t layers)
{
	const struct nnipc_last_words words = { .word = NNIPC_WORD_WORKER, .layers = layers };

	send(NNIPC_STATUS_FD, &words, sizeof(words), MSG_NOSIGNAL);
	close(NNIPC_STATUS_FD);
	close(NNIPC_PARENT_FD);
}

int nnipc_monitor_fork(int *socket)
{
	int sockets[2];
	pid_t worker;
	char byte;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	worker = fork();
	if (worker < 0) {
		int error = -errno;

		close(sockets[0]);
		close(sockets[1]);
		return error;
	}
	if (worker) {
		close(sockets[0]);
		become_monitor(worker, sockets[1]);
	}
	close(sockets[1]);
	/* the monitor has one thread, so this is about the process */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* the monitor, which a pid namespace hides, has ended before that */
	if (!recv(sockets[0], &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT))
		_exit(EXIT_FAILURE);
	*socket = sockets[0];
	return 0;
}

int nnipc_monitor_empty_root(int socket)
{
	int32_t answer;
	ssize_t got;

	if (send(socket, "", 1, MSG_NOSIGNAL) != 1)
		return -errno;
	do
		got = recv(socket, &answer, sizeof(answer), 0);
	while (got < 0 && errno == EINTR);
	return got == sizeof(answer) ? answer : -EPIPE;
}
