// SPDX-License-Identifier: Apache-2.0
/* nnaccel-hald: its command line, its socket, and its start. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hald.h"
#include "nnutil_library.h"
#include "nnutil_process.h"
#include "nnutil_text.h"
#include "wire/nnipc_wire.h"

#define USAGE                                                                                    \
	"usage: nnaccel-hald [--listen SOCKET] [--max-per-user N] [--max N] "                    \
	"[--user-memory PERCENT]\n"                                                              \
	"                    [--mode MODE] [--group GROUP]\n"                                    \
	"                    [--library LIBRARY] [--sandbox off|learn|default|strict]\n"         \
	"Serves devices of a vendor library to other processes, each client by a worker of its " \
	"own:\nwith --listen on a socket that it makes, else on the one that systemd passes.\n"

#define MOST_CLIENTS 65536u

/* Relative to the folder of this program: installed, then in the build tree. */
static const char *const workers[] = { HALD_LIBDIR "/nnaccel/nnaccel-worker",
				       "../../lib/libnnipc/worker/nnaccel-worker", NULL };
static const char *const libraries[] = { HALD_LIBDIR "/nnhal/libnnhal-nnaccel.so",
					 "../../lib/libnnhal/libnnhal.so.2", NULL };
static const char *const profiles[] = { HALD_LIBDIR "/nnaccel/profiles",
					"../../lib/libnnipc/sandbox/profiles", NULL };

/* The environment's @variable, else the first of @places that there is; "": none. */
static void options_find(const char *variable, const char *const *places, char *path)
{
	const char *given = secure_getenv(variable);

	if (given && strlen(given) < PATH_MAX)
		strcpy(path, given);
	else if (!nnutil_library_beside(places, path, PATH_MAX))
		path[0] = '\0';
}

static int options_wrong(const char *option, const char *value)
{
	fprintf(stderr, "nnaccel-hald: --%s: invalid value \"%s\"\n", option, value);
	return -EINVAL;
}

static int take_number(const char *option, const char *text, uint32_t max, uint32_t *value)
{
	uint64_t number;

	if (nnutil_parse_u64(text, 10, 1, max, &number))
		return options_wrong(option, text);
	*value = (uint32_t)number;
	return 0;
}

static int take_library(const char *text, char *library)
{
	if (text[0] != '/' || strlen(text) >= PATH_MAX) {
		fprintf(stderr, "nnaccel-hald: --library %s: the whole path is needed\n", text);
		return -EINVAL;
	}
	strcpy(library, text);
	return 0;
}

static int options_take(struct hald_options *o, const struct option *option, const char *value)
{
	switch (option->val) {
	case 'L':
		o->listen = value;
		return 0;
	case 'l':
		return take_library(value, o->library);
	case 'u':
		return take_number(option->name, value, MOST_CLIENTS, &o->max_per_user);
	case 'n':
		return take_number(option->name, value, MOST_CLIENTS, &o->max);
	case 'M':
		return take_number(option->name, value, 100, &o->user_memory);
	case 's':
		return nnipc_sandbox_mode_parse(value, &o->sandbox)
			       ? options_wrong(option->name, value)
			       : 0;
	case 'm':
		return nnipc_listen_mode(value, &o->mode) ? options_wrong(option->name, value) : 0;
	default:
		return nnipc_listen_group(value, &o->group) ? options_wrong(option->name, value)
							    : 0;
	}
}

static int options_check(const struct hald_options *o)
{
	const char *missing = NULL;

	if (!o->worker[0] || access(o->worker, X_OK))
		missing = "nnaccel-worker; set NNACCEL_WORKER";
	else if (!o->library[0] || access(o->library, R_OK))
		missing = "vendor library; give --library";
	if (!missing)
		return 0;
	fprintf(stderr, "nnaccel-hald: there is no %s\n", missing);
	return -EINVAL;
}

/* 0; 1: the help was printed (--help); -EINVAL: the reason is on standard error. */
static int hald_options(int argc, char **argv, struct hald_options *o)
{
	static const struct option options[] = {
		{ "listen", required_argument, NULL, 'L' },
		{ "library", required_argument, NULL, 'l' },
		{ "max-per-user", required_argument, NULL, 'u' },
		{ "max", required_argument, NULL, 'n' },
		{ "user-memory", required_argument, NULL, 'M' },
		{ "sandbox", required_argument, NULL, 's' },
		{ "mode", required_argument, NULL, 'm' },
		{ "group", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *mode = secure_getenv("NNACCEL_WORKER_SANDBOX");
	int option, which = 0;

	*o = (struct hald_options){
		.max_per_user = 16,
		.max = 64,
		.sandbox = NNIPC_SANDBOX_DEFAULT,
		.mode = 0660,
		.group = (gid_t)-1,
	};
	if (mode && nnipc_sandbox_mode_parse(mode, &o->sandbox))
		return options_wrong("sandbox", mode);
	options_find("NNACCEL_WORKER", workers, o->worker);
	options_find("NNACCEL_WORKER_LIBRARY", libraries, o->library);
	options_find("NNACCEL_WORKER_PROFILES", profiles, o->profiles);
	while ((option = getopt_long(argc, argv, "", options, &which)) != -1) {
		if (option == 'h') {
			fputs(USAGE, stdout);
			return 1;
		}
		if (option == '?' || options_take(o, &options[which], optarg))
			return -EINVAL;
	}
	if (optind != argc) {
		fputs(USAGE, stderr);
		return -EINVAL;
	}
	return options_check(o);
}

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

/* Until SIGTERM or SIGINT. The exit status. */
static int hald_listen(const struct hald_options *options)
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

int main(int argc, char **argv)
{
	struct hald_options options;
	int ret = hald_options(argc, argv, &options);

	if (ret)
		return ret < 0 ? 2 : EXIT_SUCCESS;
	signal(SIGPIPE, SIG_IGN);
	return hald_listen(&options);
}
