/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /proc says of the clients of the cards: fdinfo of every descriptor of a card
 * (Documentation/uapi.rst, "fdinfo"). A user sees the own processes, root sees all.
 */
#ifndef NNCTL_CLIENT_READING_H
#define NNCTL_CLIENT_READING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "monitor/card_reading.h"

/** A file of the driver, which one or more descriptors and processes share. */
struct client_reading {
	char device[64]; /* "accel0", or where it is on its bus */
	uint64_t id; /* drm-client-id */
	pid_t pid; /* the first of the processes that have it */
	uint32_t uid; /* of that process */
	char program[32];
	/* READING_UNKNOWN: an older driver */
	uint64_t busy_ns, engines; /* time that its jobs held an engine; 1: it has no more */
	uint64_t memory_bytes, queues, jobs; /* now */
	uint64_t submitted, completed, failed, innocent, refused; /* since it was opened */
};

/**
 * client_readings() - read all clients that this user may see
 * @root: "" for this machine, or a folder that has its proc
 * @cards: where the names of devices come from; may be empty
 * @num_cards: length of @cards
 * @clients: set to a list for free()
 * @count: set to its length
 *
 * Return: 0; -errno: /proc cannot be read; -ENOMEM.
 */
int client_readings(const char *root, const struct card_reading *cards, size_t num_cards,
		    struct client_reading **clients, size_t *count);

#endif
