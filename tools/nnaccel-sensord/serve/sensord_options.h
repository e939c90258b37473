/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of nnaccel-sensord. */
#ifndef SENSORD_OPTIONS_H
#define SENSORD_OPTIONS_H

#include "serve/sensord_config.h"

struct sensord_options {
	const char *listen; /* path of the socket; NULL: systemd passes one */
	mode_t mode; /* of the socket */
	gid_t group; /* of the socket; (gid_t)-1: as it is */
	struct sensord_config config; /* of the file, and what the command line says beyond it */
};

/** 0; 1: the help was printed (--help); -EINVAL: the reason is on standard error. */
int sensord_options(int argc, char **argv, struct sensord_options *options);

#endif
