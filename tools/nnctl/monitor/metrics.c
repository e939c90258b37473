// SPDX-License-Identifier: Apache-2.0
#include "monitor/nnctl_monitor.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/nnctl_base.h"

struct metric {
	const char *name, *type, *help;
	double divisor; /* of the reading's unit */
	size_t place; /* of a uint64_t in the reading */
};

#define CARD(member) offsetof(struct card_reading, member)
#define CLIENT(member) offsetof(struct client_reading, member)

static const struct metric card_metrics[] = {
	{ "nnaccel_busy_seconds_total", "counter",
	  "Time for which jobs of all clients held an engine, since the driver was bound.", 1e6,
	  CARD(busy_us) },
	{ "nnaccel_engines", "gauge", "Jobs that can run at the same time.", 1, CARD(engines) },
	{ "nnaccel_memory_bytes", "gauge", "Memory of the host that all clients are charged for.",
	  1, CARD(memory_bytes) },
	{ "nnaccel_clock_hertz", "gauge", "Clock of the engines; a sleeping card has none.", 1e-6,
	  CARD(clock_mhz) },
	{ "nnaccel_temperature_celsius", "gauge",
	  "Temperature of the card; a sleeping card has none.", 1e3, CARD(temperature_mc) },
	{ "nnaccel_power_watts", "gauge", "Power that the card takes; a sleeping card has none.",
	  1e6, CARD(power_uw) },
};

static const struct metric client_metrics[] = {
	{ "nnaccel_client_busy_seconds_total", "counter",
	  "Time for which jobs of the client held an engine.", 1e9, CLIENT(busy_ns) },
	{ "nnaccel_client_memory_bytes", "gauge", "Memory that the client is charged for.", 1,
	  CLIENT(memory_bytes) },
	{ "nnaccel_client_queues", "gauge", "Queues of the client.", 1, CLIENT(queues) },
	{ "nnaccel_client_jobs", "gauge", "Jobs of the client that are not freed yet.", 1,
	  CLIENT(jobs) },
	{ "nnaccel_client_jobs_submitted_total", "counter", "Jobs that were accepted.", 1,
	  CLIENT(submitted) },
	{ "nnaccel_client_jobs_completed_total", "counter", "Jobs that the card ended.", 1,
	  CLIENT(completed) },
	{ "nnaccel_client_jobs_failed_total", "counter", "Jobs that ended with an error.", 1,
	  CLIENT(failed) },
	{ "nnaccel_client_jobs_innocent_total", "counter",
	  "Jobs that were lost to resets caused by others, or with the card.", 1,
	  CLIENT(innocent) },
	{ "nnaccel_client_refused_total", "counter", "Calls that a limit refused.", 1,
	  CLIENT(refused) },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void print_header(const struct metric *metric)
{
	printf("# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help, metric->name,
	       metric->type);
}

/* The text has no line feed: readings are clean. */
static void print_label(const char *name, const char *text)
{
	printf("%s=\"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

/* False: not known. */
static bool read_metric(const struct metric *metric, const void *reading, uint64_t *value)
{
	*value = *(const uint64_t *)((const char *)reading + metric->place);
	return *value != READING_UNKNOWN;
}

static void print_card(const struct metric *metric, const struct card_reading *card)
{
	uint64_t value;

	if (!read_metric(metric, card, &value))
		return;
	printf("%s{", metric->name);
	print_label("device", card->name);
	putchar(',');
	print_label("bus", card->bus);
	printf("} %.15g\n", (double)value / metric->divisor);
}

static void print_client(const struct metric *metric, const struct client_reading *client)
{
	uint64_t value;
	char user[32];

	if (!read_metric(metric, client, &value))
		return;
	printf("%s{", metric->name);
	print_label("device", client->device);
	printf(",client=\"%" PRIu64 "\",pid=\"%d\",", client->id, client->pid);
	print_label("program", client->program);
	putchar(',');
	print_label("user", user_name(client->uid, user, sizeof(user)));
	printf("} %.15g\n", (double)value / metric->divisor);
}

/* One of them is 1: an alert can name the state that it is about. */
static void print_states(const struct usage *usage)
{
	static const struct metric state = { "nnaccel_state", "gauge",
					     "1 for the state that the card has.", 1, 0 };

	print_header(&state);
	for (size_t i = 0; i < usage->num_cards; i++) {
		const struct card_reading *card = &usage->cards[i].now;

		if (!card->state[0])
			continue;
		printf("%s{", state.name);
		print_label("device", card->name);
		putchar(',');
		print_label("bus", card->bus);
		putchar(',');
		print_label("state", card->state);
		puts("} 1");
	}
}

void metrics_print(const struct usage *usage)
{
	print_states(usage);
	for (size_t m = 0; m < LENGTH(card_metrics); m++) {
		print_header(&card_metrics[m]);
		for (size_t i = 0; i < usage->num_cards; i++)
			print_card(&card_metrics[m], &usage->cards[i].now);
	}
	for (size_t m = 0; m < LENGTH(client_metrics); m++) {
		print_header(&client_metrics[m]);
		for (size_t i = 0; i < usage->num_clients; i++)
			print_client(&client_metrics[m], &usage->clients[i].now);
	}
}
