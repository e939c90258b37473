// SPDX-License-Identifier: Apache-2.0
/* The process of a worker. */
#include "host/nnipc_host.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/nnipc_launch.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "nnutil_process.h"
#include "wire/nnipc_wire.h"

/* The program; "" with a message: there is none. */
static int find_program(char *path, char *message, size_t size)
{
	const char *given = nnipc_settings()->worker;

	if (given)
		snprintf(path, PATH_MAX, "%s", given);
	else if (!nnipc_place_of_worker(path, PATH_MAX))
		return nnutil_refuse(message, size, -ENOENT,
				     "no nnaccel-worker beside libnnipc: install it, or set "
				     "NNACCEL_WORKER");
	if (access(path, X_OK))
		return nnutil_refuse(message, size, -errno, "cannot start %s: %s", path,
				     strerror(errno));
	return 0;
}

static int worker_process_spawn(struct nnipc_worker_process *w, const struct nnipc_target *target,
				int sock, int log, char *message, size_t size)
{
	char program[PATH_MAX];
	const struct nnipc_worker_launch launch = {
		.program = program,
		.library = target->path,
		.profiles = nnipc_settings()->profiles,
		.mode = nnipc_settings()->sandbox,
		.socket = sock,
		.log = log,
	};
	int ret = find_program(program, message, size);

	return ret ? ret : nnipc_worker_launch(&launch, &w->child, message, size);
}

static void worker_process_print(const struct nnipc_log_pipe *log, const char *line)
{
	nnutil_log(NNUTIL_LOG_ERROR, "worker %d: %s", log->pid, line);
}

int nnipc_worker_process_start(struct nnipc_worker_process *w, const struct nnipc_target *target,
			       int *sock, char *message, size_t size)
{
	int ends[2], log, ret;

	*w = (struct nnipc_worker_process){ .log.fd = -1 };
	ret = nnipc_socket_pair(ends);
	if (ret)
		return nnutil_refuse(message, size, ret, "no socket for a worker: %s",
				     strerror(-ret));
	/* children of fork() close both: else they would hide the hang-up of either side */
	nnutil_fd_keep(ends[0]);
	nnutil_fd_keep(ends[1]);
	ret = nnipc_log_pipe_open(&w->log, worker_process_print, &log);
	if (ret) {
		nnutil_refuse(message, size, ret, "no pipe for a worker: %s", strerror(-ret));
		goto out_sockets;
	}
	ret = worker_process_spawn(w, target, ends[1], log, message, size);
	nnutil_fd_close(log);
	if (ret) {
		nnipc_log_pipe_close(&w->log);
		goto out_sockets;
	}
	w->log.pid = w->child.pid;
	nnutil_fd_close(ends[1]);
	*sock = ends[0];
	return 0;

out_sockets:
	nnutil_fd_close(ends[0]);
	nnutil_fd_close(ends[1]);
	return ret;
}

int nnipc_worker_process_end(struct nnipc_worker_process *w, int64_t grace_ns, bool *late,
			     char *how, size_t size)
{
	const int64_t until = nnutil_monotonic_ns() + grace_ns;
	int status;

	*late = false;
	while (!*late && !nnipc_child_ended(&w->child)) {
		const int64_t now = nnutil_monotonic_ns(), left = until > now ? until - now : 0;
		const int64_t rest = nnipc_log_pipe_rest(&w->log, now);
		const struct timespec time = nnutil_timespec(rest && rest < left ? rest : left);
		struct pollfd fds[] = { { .fd = w->child.pidfd, .events = POLLIN },
					{ .fd = rest ? -1 : w->log.fd, .events = POLLIN } };

		*late = ppoll(fds, 2, &time, NULL) == 0 && (!rest || rest >= left);
		if (fds[1].revents && !nnipc_log_pipe_read(&w->log))
			nnipc_log_pipe_close(&w->log);
	}
	/* kills it if it has not ended; else the kill has no effect */
	status = nnipc_child_wait(&w->child, 0, how, size);
	w->child.pid = 0;
	nnipc_log_pipe_close(&w->log);
	return status;
}
