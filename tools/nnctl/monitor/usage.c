// SPDX-License-Identifier: Apache-2.0
#include "monitor/nnctl_monitor.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"

/* ---- rates ---- */

static double growth(uint64_t before, uint64_t now)
{
	if (before == READING_UNKNOWN || now == READING_UNKNOWN || now < before)
		return (double)NAN;
	return (double)(now - before);
}

/*
 * The driver accounts for a running job up to 250 ms late, so a short interval may have more than
 * its share: no card is more than busy.
 */
static double part_of(double busy_ns, int64_t interval_ns, uint64_t engines)
{
	double part;

	if (interval_ns <= 0 || !engines || engines == READING_UNKNOWN)
		return (double)NAN;
	part = busy_ns / (double)interval_ns / (double)engines;
	return part > 1 ? 1 : part;
}

/* The place of the card in usage->cards; num_cards if it is not there. */
static size_t usage_card_index(const struct usage *usage, const char *name)
{
	size_t i = 0;

	while (i < usage->num_cards && strcmp(usage->cards[i].now.name, name) != 0)
		i++;
	return i;
}

static const struct card_usage *usage_card(const struct usage *usage, const char *name)
{
	const size_t i = usage_card_index(usage, name);

	return i < usage->num_cards ? &usage->cards[i] : NULL;
}

static const struct client_usage *usage_client(const struct usage *usage,
					       const struct client_reading *client)
{
	for (size_t i = 0; i < usage->num_clients; i++)
		if (usage->clients[i].now.id == client->id &&
		    !strcmp(usage->clients[i].now.device, client->device))
			return &usage->clients[i];
	return NULL;
}

static void rate_card(struct card_usage *card, const struct usage *before, int64_t interval_ns)
{
	const struct card_usage *old = before ? usage_card(before, card->now.name) : NULL;

	card->busy = (double)NAN;
	/* the same name may be another card's by now */
	if (old && !strcmp(old->now.bus, card->now.bus))
		card->busy = part_of(growth(old->now.busy_us, card->now.busy_us) * 1000,
				     interval_ns, card->now.engines);
}

static void rate_client(struct client_usage *client, const struct usage *before,
			int64_t interval_ns)
{
	const struct client_usage *old = before ? usage_client(before, &client->now) : NULL;

	client->busy = client->jobs_per_s = (double)NAN;
	if (!old || interval_ns <= 0)
		return;
	client->busy = part_of(growth(old->now.busy_ns, client->now.busy_ns), interval_ns,
			       client->now.engines);
	client->jobs_per_s =
		growth(old->now.completed, client->now.completed) / ((double)interval_ns / 1e9);
}

static int compare_clients(const void *left, const void *right)
{
	const struct client_usage *a = left, *b = right;
	const double busy_a = isnan(a->busy) ? -1 : a->busy, busy_b = isnan(b->busy) ? -1 : b->busy;

	if (busy_a < busy_b || busy_a > busy_b)
		return busy_a < busy_b ? 1 : -1;
	if (a->now.pid != b->now.pid)
		return a->now.pid < b->now.pid ? -1 : 1;
	return (a->now.id > b->now.id) - (a->now.id < b->now.id);
}

/* ---- the whole ---- */

static int take_cards(struct usage *usage, const struct card_reading *cards, size_t count,
		      size_t num_clients)
{
	/* room for those that only clients name */
	usage->cards = calloc(count + num_clients + 1, sizeof(*usage->cards));
	if (!usage->cards)
		return -1;
	usage->num_cards = count;
	for (size_t i = 0; i < count; i++)
		usage->cards[i].now = cards[i];
	return 0;
}

/* sysfs may be hidden, as in a container: a client knows its card nevertheless. */
static void count_client(struct usage *usage, const struct client_reading *client)
{
	const size_t i = usage_card_index(usage, client->device);

	if (i == usage->num_cards) {
		struct card_reading *card = &usage->cards[usage->num_cards++].now;

		snprintf(card->name, sizeof(card->name), "%.31s", client->device);
		card->busy_us = card->engines = card->memory_bytes = READING_UNKNOWN;
		card->clock_mhz = card->temperature_mc = card->power_uw = READING_UNKNOWN;
	}
	usage->cards[i].clients++;
}

static int take_clients(struct usage *usage, const struct client_reading *clients, size_t count)
{
	usage->clients = calloc(count + 1, sizeof(*usage->clients));
	if (!usage->clients)
		return -1;
	usage->num_clients = count;
	for (size_t i = 0; i < count; i++) {
		usage->clients[i].now = clients[i];
		count_client(usage, &clients[i]);
	}
	return 0;
}

static int read_all(struct usage *usage, const char *root)
{
	struct client_reading *clients = NULL;
	struct card_reading *cards;
	size_t num_cards, num_clients = 0;
	int ret = card_readings(root, &cards, &num_cards);

	if (!ret)
		ret = client_readings(root, cards, num_cards, &clients, &num_clients);
	if (ret)
		complain("%s/proc and %s/sys: %s", root, root, strerror(-ret));
	else if (take_cards(usage, cards, num_cards, num_clients) ||
		 take_clients(usage, clients, num_clients)) {
		complain("out of memory");
		ret = -1;
	}
	free(cards);
	free(clients);
	return ret ? -1 : 0;
}

int usage_take(struct usage *usage, const char *root, int64_t at_ns, const struct usage *before)
{
	const int64_t interval_ns = before ? at_ns - before->at_ns : 0;

	*usage = (struct usage){ .at_ns = at_ns };
	if (read_all(usage, root))
		return -1;
	for (size_t i = 0; i < usage->num_cards; i++)
		rate_card(&usage->cards[i], before, interval_ns);
	for (size_t i = 0; i < usage->num_clients; i++)
		rate_client(&usage->clients[i], before, interval_ns);
	qsort(usage->clients, usage->num_clients, sizeof(*usage->clients), compare_clients);
	return 0;
}

void usage_free(struct usage *usage)
{
	free(usage->cards);
	free(usage->clients);
	*usage = (struct usage){ 0 };
}
