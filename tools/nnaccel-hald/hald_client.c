// SPDX-License-Identifier: Apache-2.0
#include "hald_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hald_log.h"
#include "nnutil_clock.h"
#include "wire/door.h"

/* What a worker has to end by itself. */
#define GRACE_NS (2 * NNUTIL_NS_PER_S)

void hald_client_refuse(struct nnipc_peer *client, const char *why)
{
	hald_log("client %d of user %u is refused: %s", (int)client->pid, client->user, why);
	nnipc_peer_refuse(client, why);
}

/* ---- the worker ---- */

/* Variables that vendor library and tracing read; a name that ends with * is a prefix. */
static bool passes(const char *variable)
{
	static const char *const names[] = {
		"NNACCEL_FIRMWARE=",
		"NNACCEL_THREADS=",
		"NNACCEL_CALIBRATION=",
		"NNACCEL_FENCES=",
		"NNACCEL_WORKER_FAULT=",
		"NNHAL_TEST_",
		"NNTRACE",
		"NNAPI_LOG=",
		"HOME=",
		"XDG_",
		"LANG=",
		"LC_",
		"TZ=",
		"ASAN_OPTIONS=",
		"LSAN_OPTIONS=",
		"TSAN_OPTIONS=",
		"UBSAN_OPTIONS=",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static char **worker_environment(void)
{
	size_t count = 0, used = 0;
	char **copy;

	while (environ && environ[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < count; i++)
		if (passes(environ[i]))
			copy[used++] = environ[i];
	return copy;
}

static int spawn(const struct nnipc_peer *client, const struct hald_options *o, int log,
		 struct nnipc_child *child, char *message, size_t size)
{
	const char *const argv[] = { "nnaccel-worker",
				     "--library",
				     o->library,
				     "--sandbox",
				     nnipc_sandbox_mode_name(o->sandbox),
				     o->profile[0] ? "--profile" : NULL,
				     o->profile,
				     NULL };
	char **environment = worker_environment();
	const struct nnipc_spawn_config config = {
		.program = o->worker,
		.argv = (char *const *)argv,
		.envp = environment,
		.socket = client->sock,
		.log = log,
		.mode = o->sandbox,
	};
	int error = environment ? nnipc_spawn(&config, child, message, size) : -ENOMEM;

	if (!environment)
		strncpy(message, "out of memory", size);
	free(environment);
	return error;
}

/* Until the worker has ended, or has had its time after the client went. */
static void attend(const struct nnipc_peer *client, const struct nnipc_child *child, int log,
		   struct hald_lines *lines)
{
	enum { WORKER, LOG, CLIENT, COUNT };
	struct pollfd poll_fds[COUNT] = {
		[WORKER] = { .fd = child->pidfd, .events = POLLIN },
		[LOG] = { .fd = log, .events = POLLIN },
		[CLIENT] = { .fd = client->sock, .events = 0 /* a hang-up */ },
	};
	int64_t end = INT64_MAX;

	while (!poll_fds[WORKER].revents) {
		const int64_t left = end - nnutil_monotonic_ns();
		const struct timespec ts = nnutil_timespec(left > 0 ? left : 0);

		if (left <= 0)
			return;
		if (ppoll(poll_fds, COUNT, end == INT64_MAX ? NULL : &ts, NULL) < 0)
			continue;
		if (poll_fds[LOG].revents && !hald_lines_read(lines, log))
			poll_fds[LOG].fd = -1;
		if (!poll_fds[CLIENT].revents)
			continue;
		poll_fds[CLIENT].fd = -1;
		end = nnutil_monotonic_ns() + GRACE_NS;
	}
}

void hald_client_serve(struct nnipc_peer *client, const struct hald_options *options)
{
	struct hald_lines lines = { .user = client->user };
	struct nnipc_child child;
	char message[512] = "", how[64];
	int log[2];
	int status;

	if (pipe2(log, O_CLOEXEC)) {
		hald_client_refuse(client, "the service has no descriptor left");
		return;
	}
	status = spawn(client, options, log[1], &child, message, sizeof(message));
	close(log[1]);
	if (status) {
		hald_client_refuse(client, message);
		close(log[0]);
		return;
	}
	/* a worker that left a process behind must not have us wait for the end of its log */
	fcntl(log[0], F_SETFL, O_NONBLOCK);
	lines.pid = child.pid;
	hald_log("client %d of user %u has worker %d", (int)client->pid, client->user,
		 (int)child.pid);
	attend(client, &child, log[0], &lines);
	status = nnipc_child_wait(&child, 0, how, sizeof(how));
	/* the client sees that nobody is there any more */
	close(client->sock);
	client->sock = -1;
	while (hald_lines_read(&lines, log[0]))
		;
	hald_lines_end(&lines);
	close(log[0]);
	hald_log("worker %d of user %u has ended: %s", (int)lines.pid, client->user, how);
}
