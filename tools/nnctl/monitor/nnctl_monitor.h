/* SPDX-License-Identifier: Apache-2.0 */
/* The use of the cards by their clients, from /proc and /sys. */
#ifndef NNCTL_MONITOR_H
#define NNCTL_MONITOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/nnctl_base.h"

/*
 * card_reading.c: what sysfs says of the cards of the nnaccel driver:
 * Documentation/ABI/testing/sysfs-driver-nnaccel. Reading it needs no rights and wakes no card.
 */

/** A value that cannot be read. */
#define READING_UNKNOWN UINT64_MAX

struct card_reading {
	char name[32]; /* "accel0" */
	char bus[64]; /* "0000:00:05.0"; "": not known */
	char state[16]; /* "online"; "": not known */
	/* of all clients since the driver was bound; jobs at a time; charged now */
	uint64_t busy_us, engines, memory_bytes;
	/* now: MHz, mdegC above 0, uW; of a card that reports them and is awake */
	uint64_t clock_mhz, temperature_mc, power_uw;
};

/**
 * card_readings() - read all cards
 * @root: "" for this machine, or a folder that has its sys
 * @cards: set to a list for free(), by number; NULL if there are none
 * @count: set to its length
 *
 * Return: 0 or -ENOMEM.
 */
int card_readings(const char *root, struct card_reading **cards, size_t *count);

/*
 * client_reading.c: what /proc says of the clients of the cards: fdinfo of every descriptor of a
 * card (Documentation/uapi.rst, "fdinfo"). A user sees the own processes, root sees all.
 */

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

/*
 * usage.c: the use of the cards: a reading of all cards and clients, and rates since the reading
 * before.
 */

/** NAN: a rate that is not known: it was not there before, or its counters began anew. */
struct card_usage {
	struct card_reading now;
	double busy; /* part of the time of all engines, 0 to 1 */
	uint32_t clients; /* that this user sees */
};

struct client_usage {
	struct client_reading now;
	double busy; /* part of the time of all engines, 0 to 1 */
	double jobs_per_s; /* that the card ended */
};

struct usage {
	int64_t at_ns; /* CLOCK_MONOTONIC */
	struct card_usage *cards; /* by number; then those that only clients name */
	size_t num_cards;
	struct client_usage *clients; /* those with the most load first */
	size_t num_clients;
};

/**
 * usage_take() - read everything
 * @usage: filled in; usage_free() whatever is returned
 * @root: "" for this machine, or a folder that has its proc and sys
 * @at_ns: the time of this reading
 * @before: the reading before; NULL: none, no rate is known
 *
 * Return: 0, or -1 after a complaint.
 */
int usage_take(struct usage *usage, const char *root, int64_t at_ns, const struct usage *before);
void usage_free(struct usage *usage);

/* metrics.c */

/**
 * Print a reading in the text format of Prometheus, version 0.0.4: counters and gauges, no rates,
 * which are the server's to compute. Unknown values are left out.
 */
void metrics_print(const struct usage *usage);

/*
 * usage_print.c: a reading as a view on a terminal, as CSV and as JSON. Unknown values are "-",
 * empty, null.
 */

/** The names of columns are for terminals only. */
void usage_draw(struct screen *screen, const struct usage *usage);
/** The first line. */
void usage_print_csv_header(void);
/** A line for each card, then for each client. @time: seconds since 1970. */
void usage_print_csv(const struct usage *usage, double time);
void usage_print_json(const struct usage *usage, double time);

#endif
