// SPDX-License-Identifier: Apache-2.0
/*
 * In the order of dependence: sensors, the socket, clients; back in the opposite order. A client
 * whose call hangs in hardware does not hold up the end for longer than GRACE_NS.
 */
#include "serve/sensord_serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/sensord_core.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "nnutil_process.h"
#include "wire/nnipc_wire.h"

#define GRACE_NS (5 * NNUTIL_NS_PER_S)

/* ---- the socket ---- */

static int open_listener(const struct sensord_options *options)
{
	const char *where = options->listen ? options->listen : "systemd's socket";
	const int sock = options->listen
				 ? nnipc_listen(options->listen, options->mode, options->group)
				 : nnipc_listen_passed();

	if (sock == -ENOENT && !options->listen)
		nnutil_log(NNUTIL_LOG_ERROR, "no --listen, and systemd has passed no socket");
	else if (sock < 0)
		nnutil_log(NNUTIL_LOG_ERROR, "cannot listen on %s: %s", where, strerror(-sock));
	else
		nnutil_log(NNUTIL_LOG_INFO, "listens on %s", where);
	return sock;
}

/* ---- the service ---- */

static void write_line(const char *line)
{
	nnutil_log(NNUTIL_LOG_INFO, "%s", line);
}

static struct nnipc_budget budget;
static struct nnipc_user_log user_log = NNIPC_USER_LOG_INIT(write_line);

static void serve(void *config, struct nnipc_peer *peer)
{
	client_connection_serve(config, &budget, &user_log, peer);
}

/* Each queue of each client takes two descriptors. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* False: a client is still served, and uses what this thread has. */
static bool run(const struct sensord_options *options, int signals, int *status)
{
	static struct nnipc_door door;
	static struct nnipc_door_guard guard;
	const int listener = open_listener(options);
	bool empty;

	guard = (struct nnipc_door_guard){
		.max = options->config.limits.connections,
		.max_per_user = options->config.limits.connections_per_user,
		.things = "connections",
		.serve = serve,
		.cookie = (void *)(uintptr_t)&options->config,
		.log = &user_log,
	};
	*status = EXIT_FAILURE;
	if (listener < 0)
		return true;
	client_budget_init(&budget, &options->config.limits);
	nnipc_door_init(&door, &guard);
	nnipc_door_run(&door, listener, signals);
	if (options->listen)
		unlink(options->listen);
	close(listener);
	empty = nnipc_door_close(&door, GRACE_NS);
	if (empty)
		*status = EXIT_SUCCESS;
	return empty;
}

int sensord_service(const struct sensord_options *options)
{
	const int signals = nnutil_signals_ends();
	int status = EXIT_FAILURE;

	raise_descriptor_limit();
	channel_fault_prepare();
	if (signals < 0 || backends_start(&options->config))
		return EXIT_FAILURE;
	if (!run(options, signals, &status)) {
		nnutil_log(NNUTIL_LOG_ERROR, "ends, though calls of clients hang");
		_exit(EXIT_FAILURE);
	}
	backends_stop();
	if (status == EXIT_SUCCESS)
		nnutil_log(NNUTIL_LOG_INFO, "ends");
	close(signals);
	return status;
}
