// SPDX-License-Identifier: Apache-2.0
/* nnaccel-sensord: its command line, and its start. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/sensord_serve.h"
#include "nnutil_log.h"
#include "wire/nnipc_wire.h"

#define USAGE                                                                                        \
	"usage: nnaccel-sensord [--listen SOCKET] [--mode MODE] [--group GROUP] [--config FILE]\n"   \
	"                       [--virtual FILE]... [--no-iio] [--no-fusion]\n"                      \
	"                       [--log off|error|warning|info|debug]\n"                              \
	"Serves the machine's sensors to other processes: with --listen on a socket that it makes, " \
	"else on\nthe one that systemd passes.\n"

static int options_wrong(const char *option, const char *value)
{
	fprintf(stderr, "nnaccel-sensord: --%s: invalid value \"%s\"\n", option, value);
	return -EINVAL;
}

/* Options that override the file, wherever --config stands among them. */
struct overrides {
	const char *config;
	bool no_iio, no_fusion;
};

static int options_take(struct sensord_options *o, struct overrides *over,
			const struct option *option, const char *value)
{
	switch (option->val) {
	case 'L':
		o->listen = value;
		return 0;
	case 'c':
		over->config = value;
		return 0;
	case 'v':
		return sensord_config_add_virtual(&o->config, value);
	case 'I':
		over->no_iio = true;
		return 0;
	case 'F':
		over->no_fusion = true;
		return 0;
	case 'm':
		return nnipc_listen_mode(value, &o->mode) ? options_wrong(option->name, value) : 0;
	case 'g':
		return nnipc_listen_group(value, &o->group) ? options_wrong(option->name, value)
							    : 0;
	default:
		return nnutil_log_program("nnaccel-sensord", value)
			       ? options_wrong(option->name, value)
			       : 0;
	}
}

/* The default file need not be there. */
static int read_config(struct sensord_config *config, const char *path)
{
	char message[512];
	const int ret = sensord_config_read(config, path ? path : SENSORD_CONFIG_DEFAULT, message,
					    sizeof(message));

	if (!ret || (!path && ret == -ENOENT))
		return 0;
	fprintf(stderr, "nnaccel-sensord: %s\n", message);
	return ret;
}

/* 0; 1: the help was printed (--help); -EINVAL: the reason is on standard error. */
static int sensord_options(int argc, char **argv, struct sensord_options *o)
{
	static const struct option options[] = {
		{ "listen", required_argument, NULL, 'L' },
		{ "config", required_argument, NULL, 'c' },
		{ "virtual", required_argument, NULL, 'v' },
		{ "no-iio", no_argument, NULL, 'I' },
		{ "no-fusion", no_argument, NULL, 'F' },
		{ "mode", required_argument, NULL, 'm' },
		{ "group", required_argument, NULL, 'g' },
		{ "log", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct overrides over = { 0 };
	int option, which = 0;

	*o = (struct sensord_options){ .mode = 0660, .group = (gid_t)-1 };
	sensord_config_init(&o->config);
	nnutil_log_program("nnaccel-sensord", "info");
	while ((option = getopt_long(argc, argv, "", options, &which)) != -1) {
		if (option == 'h') {
			fputs(USAGE, stdout);
			return 1;
		}
		if (option == '?' || options_take(o, &over, &options[which], optarg))
			return -EINVAL;
	}
	if (optind != argc) {
		fputs(USAGE, stderr);
		return -EINVAL;
	}
	if (read_config(&o->config, over.config))
		return -EINVAL;
	o->config.iio = o->config.iio && !over.no_iio;
	o->config.fusion = o->config.fusion && !over.no_fusion;
	return 0;
}

int main(int argc, char **argv)
{
	struct sensord_options options;
	int ret = sensord_options(argc, argv, &options);

	signal(SIGPIPE, SIG_IGN);
	if (!ret)
		ret = sensord_service(&options);
	else
		ret = ret < 0 ? 2 : EXIT_SUCCESS;
	sensord_config_fini(&options.config);
	return ret;
}
