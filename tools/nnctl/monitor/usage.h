/* SPDX-License-Identifier: Apache-2.0 */
/* The use of the cards: a reading of all cards and clients, and rates since the reading before. */
#ifndef NNCTL_USAGE_H
#define NNCTL_USAGE_H

#include "monitor/card_reading.h"
#include "monitor/client_reading.h"

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

#endif
