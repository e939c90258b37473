// SPDX-License-Identifier: Apache-2.0
/* What a worker prints. */
#include "launch/nnipc_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_process.h"
#include "nnutil_text.h"

/* Lines that may come at once, and per second later on. */
#define BURST 100u
#define PER_SECOND 20
/* Bytes of one round: the thread has other things to do. */
#define ROUND 65536u
/*
 * After a round of which something is not printed: a worker that writes without end waits for its
 * reader, and not the reader for it.
 */
#define REST_NS (10 * NNUTIL_NS_PER_MS)

int nnipc_log_pipe_open(struct nnipc_log_pipe *log,
			void (*print)(const struct nnipc_log_pipe *log, const char *line), int *end)
{
	int fds[2];

	*log = (struct nnipc_log_pipe){ .print = print, .fd = -1 };
	nnutil_log_rate_init(&log->rate, BURST, PER_SECOND, nnutil_monotonic_ns());
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	/* the worker's end blocks: it is the worker's standard output */
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK)) {
		const int error = -errno;

		close(fds[0]);
		close(fds[1]);
		return error;
	}
	log->fd = nnutil_fd_keep(fds[0]);
	*end = nnutil_fd_keep(fds[1]);
	return 0;
}

static bool may_print(struct nnipc_log_pipe *log)
{
	unsigned int dropped;
	char text[64];

	if (!nnutil_log_rate_take(&log->rate, nnutil_monotonic_ns(), &dropped))
		return false;
	if (dropped) {
		snprintf(text, sizeof(text), "%u lines left out: they came too fast", dropped);
		log->print(log, text);
	}
	return true;
}

/* False: nothing of it is printed. */
static bool end_line(struct nnipc_log_pipe *log)
{
	const char *text = log->line;

	log->line[log->length] = '\0';
	log->length = 0;
	nnutil_text_clean(log->line);
	if (!*text)
		return false;
	/* its log lines are of the level that NNAPI_LOG asks for already */
	if (!strncmp(text, "nnapi: ", 7))
		text += 7;
	strcpy(log->last, text);
	if (!may_print(log))
		return false;
	log->print(log, text);
	return true;
}

/* False: not all of it is printed, or kept for the end of its line. */
static bool log_pipe_add(struct nnipc_log_pipe *log, const char *bytes, size_t count)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		const char c = bytes[i];

		if (c == '\n')
			all = end_line(log) && all;
		else if (log->length < sizeof(log->line) - 1)
			log->line[log->length++] = c ? c : '?';
		else
			all = false;
	}
	return all;
}

bool nnipc_log_pipe_read(struct nnipc_log_pipe *log)
{
	char bytes[4096];
	bool all = true;

	for (size_t done = 0; log->fd >= 0 && done < ROUND;) {
		ssize_t n = read(log->fd, bytes, sizeof(bytes));

		if (n > 0) {
			all = log_pipe_add(log, bytes, (size_t)n) && all;
			done += (size_t)n;
			if (!all || done >= ROUND)
				log->rest_until_ns = nnutil_monotonic_ns() + REST_NS;
		} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			return false;
		} else if (errno == EAGAIN) {
			return true;
		}
	}
	return log->fd >= 0;
}

int64_t nnipc_log_pipe_rest(const struct nnipc_log_pipe *log, int64_t now_ns)
{
	return log->fd >= 0 && log->rest_until_ns > now_ns ? log->rest_until_ns - now_ns : 0;
}

void nnipc_log_pipe_close(struct nnipc_log_pipe *log)
{
	if (log->fd < 0)
		return;
	/* another process may hold the other end and write for ever: one round */
	nnipc_log_pipe_read(log);
	if (log->length)
		end_line(log);
	nnutil_fd_close(log->fd);
	log->fd = -1;
}
