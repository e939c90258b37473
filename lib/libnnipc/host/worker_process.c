// SPDX-License-Identifier: Apache-2.0
/* The process of a worker. */
#include "host/worker_process.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/places.h"
#include "host/worker_environment.h"
#include "nnutil_clock.h"
#include "nnutil_process.h"
#include "nnutil_refuse.h"
#include "wire/frame.h"

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

/* What the vendor library may do beyond the common rules; false: there is no such file. */
static bool find_profile(const struct nnipc_target *target, char *path)
{
	const char *folder = nnipc_settings()->profiles;
	const char *name = strrchr(target->path, '/');
	int n;

	if (!folder)
		return false;
	n = snprintf(path, PATH_MAX, "%s/%s.conf", folder, name ? name + 1 : target->path);
	return n > 0 && n < PATH_MAX && !access(path, R_OK);
}

static int spawn(struct nnipc_worker_process *w, const struct nnipc_target *target, int sock,
		 int log, char *message, size_t size)
{
	const enum nnipc_sandbox_mode mode = nnipc_settings()->sandbox;
	char program[PATH_MAX], profile[PATH_MAX];
	char **envp = nnipc_worker_environment();
	const char *argv[] = { "nnaccel-worker",
			       "--library",
			       target->path,
			       "--sandbox",
			       nnipc_sandbox_mode_name(mode),
			       NULL,
			       NULL,
			       NULL };
	const struct nnipc_spawn_config config = {
		.program = program,
		.argv = (char *const *)argv,
		.envp = envp,
		.socket = sock,
		.log = log,
		.mode = mode,
	};
	int ret;

	if (!envp)
		return nnutil_refuse(message, size, -ENOMEM, "out of memory");
	ret = find_program(program, message, size);
	if (!ret && find_profile(target, profile)) {
		argv[5] = "--profile";
		argv[6] = profile;
	}
	if (!ret)
		ret = nnipc_spawn(&config, &w->child, message, size);
	free(envp);
	return ret;
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
	ret = nnipc_log_pipe_open(&w->log, &log);
	if (ret) {
		nnutil_refuse(message, size, ret, "no pipe for a worker: %s", strerror(-ret));
		goto out_sockets;
	}
	ret = spawn(w, target, ends[1], log, message, size);
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
		struct pollfd fds[] = { { .fd = w->child.pidfd, .events = POLLIN },
					{ .fd = w->log.fd, .events = POLLIN } };
		const int64_t left = until - nnutil_monotonic_ns();
		const struct timespec time = nnutil_timespec(left > 0 ? left : 0);

		*late = ppoll(fds, 2, &time, NULL) == 0 || left <= 0;
		if (fds[1].revents && !nnipc_log_pipe_read(&w->log))
			nnipc_log_pipe_close(&w->log);
	}
	/* kills it if it has not ended; else the kill meets nobody */
	status = nnipc_child_wait(&w->child, 0, how, size);
	w->child.pid = 0;
	nnipc_log_pipe_close(&w->log);
	return status;
}
