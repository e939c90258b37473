// SPDX-License-Identifier: Apache-2.0
#include "hald_listen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hald_client.h"
#include "hald_log.h"
#include "nnutil_signals.h"
#include "wire/door.h"

static void serve(void *options, struct nnipc_peer *client)
{
	hald_client_serve(client, options);
}

static void say(const char *line)
{
	hald_log("%s", line);
}

int hald_listen(const struct hald_options *options)
{
	const struct nnipc_door_guard guard = {
		.max = options->max,
		.max_per_user = options->max_per_user,
		.things = "open devices",
		.serve = serve,
		.cookie = (void *)(uintptr_t)options,
		.log = say,
	};
	struct nnipc_door door;
	const int signals = nnutil_signals_ends();
	int listener;

	if (signals < 0)
		return EXIT_FAILURE;
	listener = nnipc_listen(options->listen, options->mode, options->group);
	if (listener < 0) {
		hald_log("cannot listen on %s: %s", options->listen, strerror(-listener));
		return EXIT_FAILURE;
	}
	hald_log("listens on %s for devices of %s, sandbox %s", options->listen, options->library,
		 nnipc_sandbox_mode_name(options->sandbox));
	nnipc_door_init(&door, &guard);
	nnipc_door_run(&door, listener, signals);
	unlink(options->listen);
	/* workers end with us: their wardens see to it */
	hald_log("ends");
	_exit(EXIT_SUCCESS);
}
