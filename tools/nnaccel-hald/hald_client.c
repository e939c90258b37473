// SPDX-License-Identifier: Apache-2.0
#include "hald.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "launch/nnipc_launch.h"
#include "nnutil_clock.h"
#include "nnutil_process.h"
#include "wire/nnipc_wire.h"

/* What a worker has to end by itself. */
#define GRACE_NS (2 * NNUTIL_NS_PER_S)
/* From HELLO to an open device: a client waits for 30 s. */
#define OPEN_NS (60 * NNUTIL_NS_PER_S)

void hald_client_refuse(struct nnipc_peer *client, const char *why)
{
	nnipc_user_log(&hald_user_log, client->payer, "client %d of user %u is refused: %s",
		       (int)client->pid, client->user, why);
	nnipc_peer_refuse(client, why);
}

/* ---- the worker ---- */

/* False: it is to end. Its client hears of it from the log alone. */
static bool suffices(const struct nnipc_peer *client, const struct nnipc_child *child,
		     enum nnipc_sandbox_mode mode)
{
	char why[192] = "";
	uint32_t layers;
	int ret;

	if (mode == NNIPC_SANDBOX_OFF || mode == NNIPC_SANDBOX_LEARN)
		return true;
	ret = nnipc_child_layers(child, &layers, why, sizeof(why));
	if (!ret)
		ret = nnipc_layers_suffice(mode, layers, why, sizeof(why));
	if (ret && ret != -ESRCH)
		nnipc_user_log(&hald_user_log, client->payer, "worker %d of user %u is ended: %s",
			       (int)child->pid, client->user, why);
	layers = ret ? 0 : nnipc_layers_news(layers);
	nnipc_layers_text(layers, why, sizeof(why));
	if (layers)
		hald_log("this machine does not allow these layers of a worker's sandbox: %s", why);
	return !ret;
}

/*
 * Until the worker has ended, or has had its time after the client went, or to open a device, or
 * its sandbox does not hold.
 */
static void attend(const struct nnipc_peer *client, struct nnipc_child *child,
		   struct nnipc_log_pipe *log, enum nnipc_sandbox_mode mode)
{
	enum { WORKER, LOG, CLIENT, SHUT, COUNT };
	struct pollfd poll_fds[COUNT] = {
		[WORKER] = { .fd = child->pidfd, .events = POLLIN },
		[LOG] = { .fd = log->fd, .events = POLLIN },
		[CLIENT] = { .fd = client->sock, .events = 0 /* a hang-up */ },
		[SHUT] = { .fd = child->status, .events = POLLIN },
	};
	int64_t end = nnutil_monotonic_ns() + OPEN_NS;

	while (!poll_fds[WORKER].revents) {
		const int64_t now = nnutil_monotonic_ns(), left = end - now;
		const int64_t rest = nnipc_log_pipe_rest(log, now);
		const bool waits = rest || end != INT64_MAX;
		const struct timespec ts = nnutil_timespec(left <= 0		 ? 0
							   : rest && rest < left ? rest
										 : left);

		if (left <= 0 && poll_fds[SHUT].fd >= 0 && poll_fds[CLIENT].fd >= 0)
			nnipc_user_log(
				&hald_user_log, client->payer,
				"worker %d of user %u is ended: no device was opened in time",
				(int)child->pid, client->user);
		if (left <= 0)
			return;
		poll_fds[LOG].fd = rest ? -1 : log->fd;
		if (ppoll(poll_fds, COUNT, waits ? &ts : NULL, NULL) < 0)
			continue;
		if (poll_fds[SHUT].revents && nnipc_child_shut(child)) {
			if (!suffices(client, child, mode))
				return;
			poll_fds[SHUT].fd = -1;
			end = poll_fds[CLIENT].fd >= 0 ? INT64_MAX : end;
		}
		if (poll_fds[LOG].revents && !nnipc_log_pipe_read(log))
			nnipc_log_pipe_close(log);
		if (!poll_fds[CLIENT].revents)
			continue;
		poll_fds[CLIENT].fd = -1;
		end = nnutil_monotonic_ns() + GRACE_NS;
	}
}

/* In its user's cgroup. Otherwise the client is refused; returns -errno. */
static int client_start(struct nnipc_peer *client, const struct hald_options *options, int log,
			struct nnipc_child *child)
{
	struct nnipc_worker_launch launch = {
		.program = options->worker,
		.library = options->library,
		.profiles = options->profiles[0] ? options->profiles : NULL,
		.mode = options->sandbox,
		.socket = client->sock,
		.log = log,
		.cgroup = hald_memory_join(client->payer),
		.memory = hald_memory_limit(),
	};
	char message[512] = "";
	int ret;

	if (launch.cgroup < 0) {
		hald_client_refuse(client, "the service cannot make a cgroup for its user");
		return launch.cgroup;
	}
	ret = nnipc_worker_launch(&launch, child, message, sizeof(message));
	if (launch.cgroup)
		close(launch.cgroup);
	if (ret) {
		hald_client_refuse(client, message);
		hald_memory_leave(client->payer);
	}
	return ret;
}

void hald_client_serve(struct nnipc_peer *client, const struct hald_options *options)
{
	struct nnipc_log_pipe log;
	struct nnipc_child child;
	char how[64];
	int status, fd;

	if (nnipc_log_pipe_open(&log, hald_log_worker, &fd)) {
		hald_client_refuse(client, "the service has no descriptor left");
		return;
	}
	status = client_start(client, options, fd, &child);
	nnutil_fd_close(fd);
	if (status) {
		nnipc_log_pipe_close(&log);
		return;
	}
	log.pid = child.pid;
	log.user = client->user;
	log.payer = client->payer;
	nnipc_user_log(&hald_user_log, client->payer, "client %d of user %u has worker %d",
		       (int)client->pid, client->user, (int)child.pid);
	attend(client, &child, &log, options->sandbox);
	status = nnipc_child_wait(&child, 0, how, sizeof(how));
	/* the client sees the hang-up */
	close(client->sock);
	client->sock = -1;
	nnipc_log_pipe_close(&log);
	nnipc_user_log(&hald_user_log, client->payer, "worker %d of user %u has ended: %s%s",
		       (int)log.pid, client->user, how,
		       hald_memory_exhausted(client->payer) ? ": the memory of its user is used up"
							    : "");
	hald_memory_leave(client->payer);
}
