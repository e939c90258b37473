/* SPDX-License-Identifier: Apache-2.0 */
/* The service's configuration: of its file and of its command line. */
#ifndef SENSORD_CONFIG_H
#define SENSORD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "serve/permissions.h"

#define SENSORD_CONFIG_DEFAULT "/etc/nnaccel/sensord.conf"

/** struct sensord_limits - what clients can have at a time */
struct sensord_limits {
	uint32_t connections, connections_per_user;
	uint32_t objects; /* queues and channels of a connection */
	uint32_t objects_per_user;
	uint32_t sensors; /* enabled by a connection, each queue's and channel's counted */
	uint32_t memory, memory_per_user; /* of queues and channels, MiB */
	uint32_t events, events_per_user; /* per second */
};

/** struct sensord_config - everything; zeros are none of it, see sensord_config_init() */
struct sensord_config {
	struct sensord_limits limits;
	struct permission_rules rules;
	char **virtual_files;
	size_t num_virtual;
	bool iio, fusion;
};

void sensord_config_init(struct sensord_config *config);
void sensord_config_fini(struct sensord_config *config);

/**
 * Take over what file @path says. 0; -ENOENT and other errors of reading; -EINVAL: @message names
 * the line.
 */
int sensord_config_read(struct sensord_config *config, const char *path, char *message,
			size_t size);
/** The same of @text; @path: its name in messages. */
int sensord_config_parse(struct sensord_config *config, const char *path, char *text, char *message,
			 size_t size);
/** A file of virtual sensors more. 0; -ENOMEM. */
int sensord_config_add_virtual(struct sensord_config *config, const char *path);

#endif
