// SPDX-License-Identifier: Apache-2.0
#include "hald.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_process.h"
#include "wire/nnipc_wire.h"

static void listen_serve(void *options, struct nnipc_peer *client)
{
	hald_client_serve(client, options);
}

static int open_listener(const struct hald_options *options)
{
	const char *where = options->listen ? options->listen : "systemd's socket";
	const int sock = options->listen
				 ? nnipc_listen(options->listen, options->mode, options->group)
				 : nnipc_listen_passed();

	if (sock == -ENOENT && !options->listen)
		hald_log("no --listen, and systemd has passed no socket");
	else if (sock < 0)
		hald_log("cannot listen on %s: %s", where, strerror(-sock));
	else
		hald_log("listens on %s for devices of %s, sandbox %s", where, options->library,
			 nnipc_sandbox_mode_name(options->sandbox));
	return sock;
}

int hald_listen(const struct hald_options *options)
{
	const struct nnipc_door_guard guard = {
		.max = options->max,
		.max_per_user = options->max_per_user,
		.things = "open devices",
		.serve = listen_serve,
		.cookie = (void *)(uintptr_t)options,
		.log = &hald_user_log,
	};
	struct nnipc_door door;
	const int signals = nnutil_signals_ends();
	const int listener = signals < 0 ? signals : open_listener(options);

	if (listener < 0)
		return EXIT_FAILURE;
	hald_memory_init(options->user_memory);
	nnipc_door_init(&door, &guard);
	nnipc_door_run(&door, listener, signals);
	if (options->listen)
		unlink(options->listen);
	/* workers end with us: their monitors see to it */
	hald_log("ends");
	_exit(EXIT_SUCCESS);
}
