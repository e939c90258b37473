/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of nnaccel-hald, and where its parts are. */
#ifndef HALD_OPTIONS_H
#define HALD_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/sandbox.h"

struct hald_options {
	const char *listen; /* path of the socket; NULL: systemd's */
	char worker[PATH_MAX]; /* nnaccel-worker */
	char library[PATH_MAX]; /* the vendor library */
	char profiles[PATH_MAX]; /* folder of the sandbox's; "": none */
	uint32_t max_per_user, max;
	uint32_t user_memory; /* of a user, percent of the service's; 0: no limit */
	enum nnipc_sandbox_mode sandbox;
	mode_t mode; /* of the socket */
	gid_t group; /* of the socket; (gid_t)-1: as it is */
};

/** 0; 1: the help was printed (--help); -EINVAL: the reason is on standard error. */
int hald_options(int argc, char **argv, struct hald_options *o);

#endif
