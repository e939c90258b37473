// SPDX-License-Identifier: Apache-2.0
#include "certify/nnctl_certify.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nnutil_clock.h"

#define MAX_OUTPUT (64u << 20)
#define NS_PER_MS 1000000

/* In the child: async-signal-safe calls only, but for putenv(): this process has one thread. */
static void __attribute__((noreturn))
program_become(char *const argv[], const char *const environment[], int output)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	for (; *environment; environment++)
		putenv((char *)*environment);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Read what there is. False: the end. Beyond MAX_OUTPUT the program may write on, unread. */
static bool output_read(int fd, struct program_end *end)
{
	char block[16384];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) > 0) {
		char *bigger;

		if (end->size + (size_t)n > MAX_OUTPUT) {
			end->cut = true;
			continue;
		}
		bigger = realloc(end->output, end->size + (size_t)n + 1);
		if (!bigger) {
			end->cut = true;
			continue;
		}
		end->output = bigger;
		memcpy(bigger + end->size, block, (size_t)n);
		end->size += (size_t)n;
		bigger[end->size] = '\0';
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Until the program itself ends: processes that it leaves may keep its output open. */
static void program_watch(pid_t pid, int pidfd, int output, unsigned int limit_s,
			  struct program_end *end)
{
	const int64_t limit_ns = nnutil_monotonic_ns() + limit_s * INT64_C(1000000000);
	struct pollfd fds[] = { { .fd = pidfd, .events = POLLIN },
				{ .fd = output, .events = POLLIN } };

	for (;;) {
		const int64_t left_ns = limit_ns - nnutil_monotonic_ns();

		if (left_ns <= 0 && !end->timed_out) {
			end->timed_out = true;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
		}
		poll(fds, 2, end->timed_out ? -1 : (int)(left_ns / NS_PER_MS) + 1);
		if (fds[1].revents && !output_read(output, end))
			fds[1].fd = -1;
		if (fds[0].revents)
			break;
	}
	output_read(output, end);
}

int program_run(char *const argv[], const char *const environment[], unsigned int limit_s,
		struct program_end *end)
{
	const int64_t start = nnutil_monotonic_ns();
	int pipes[2], pidfd, ret = 0;
	pid_t pid;

	*end = (struct program_end){ 0 };
	end->output = strdup("");
	if (!end->output)
		return -ENOMEM;
	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	pid = fork();
	if (!pid)
		program_become(argv, environment, pipes[1]);
	ret = pid < 0 ? -errno : 0;
	close(pipes[1]);
	if (!ret) {
		setpgid(pid, pid);
		pidfd = pidfd_open(pid, 0);
		if (pidfd < 0) {
			ret = -errno;
			kill(pid, SIGKILL);
		} else {
			program_watch(pid, pidfd, pipes[0], limit_s, end);
			close(pidfd);
		}
		waitpid(pid, &end->status, 0);
		/* what it left */
		kill(-pid, SIGKILL);
	}
	close(pipes[0]);
	end->seconds = (double)(nnutil_monotonic_ns() - start) / 1e9;
	return ret;
}

const char *program_end_text(const struct program_end *end, char *text, size_t size)
{
	text[0] = '\0';
	if (end->timed_out)
		snprintf(text, size, "killed after %.0f s", end->seconds);
	else if (WIFSIGNALED(end->status))
		snprintf(text, size, "ended by signal %d (%s)", WTERMSIG(end->status),
			 strsignal(WTERMSIG(end->status)));
	else if (WEXITSTATUS(end->status))
		snprintf(text, size, "exit status %d", WEXITSTATUS(end->status));
	return text;
}
