// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl sensors top": the service's clients, those with the most events first. On a terminal a
 * view that goes on, elsewhere one table; the events per second are those of the time between two
 * looks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "nnutil_clock.h"
#include "sensors/nnctl_sensors.h"

#define LOOK_MS 1000

struct look {
	struct nnsensors_client *clients;
	double *rates; /* of each; < 0: it was not there before */
	uint32_t count;
	int64_t at_ns;
};

static void look_free(struct look *look)
{
	free(look->clients);
	free(look->rates);
	*look = (struct look){ 0 };
}

/* The k-th connection of its process, as seen before; NULL: it is new. */
static const struct nnsensors_client *seen(const struct look *before, const struct look *now,
					   uint32_t index)
{
	const int32_t pid = now->clients[index].pid;
	uint32_t k = 0;

	for (uint32_t i = 0; i < index; i++)
		k += now->clients[i].pid == pid;
	for (uint32_t i = 0; i < before->count; i++)
		if (before->clients[i].pid == pid && !k--)
			return &before->clients[i];
	return NULL;
}

static int look_take(struct look *look, struct nnsensors_manager *manager,
		     const struct look *before)
{
	const struct nnsensors_client *old;
	enum nnsensors_result result;
	double seconds;

	*look = (struct look){ .at_ns = nnutil_monotonic_ns() };
	result = manager->ops->get_clients(manager, &look->clients, &look->count);
	if (result != NNSENSORS_OK) {
		complain("the clients: %s", nnsensors_result_name(result));
		return -1;
	}
	look->rates = calloc((size_t)look->count + 1, sizeof(*look->rates));
	if (!look->rates) {
		complain("out of memory");
		look_free(look);
		return -1;
	}
	seconds = (double)(look->at_ns - before->at_ns) / 1e9;
	for (uint32_t i = 0; i < look->count; i++) {
		old = seen(before, look, i);
		look->rates[i] =
			old && look->clients[i].delivered >= old->delivered
				? (double)(look->clients[i].delivered - old->delivered) / seconds
				: -1;
	}
	return 0;
}

/* Places of the clients, those with the most events first; the order of the service among equals.
 */
static void top_order(const struct look *look, uint32_t *places)
{
	for (uint32_t i = 0; i < look->count; i++) {
		uint32_t k = i;

		for (; k && look->rates[places[k - 1]] < look->rates[i]; k--)
			places[k] = places[k - 1];
		places[k] = i;
	}
}

static void top_row(struct screen *screen, const struct nnsensors_client *client, double rate)
{
	char user[32], comm[sizeof(client->comm) + 1], plain[sizeof(comm)], per_second[32] = "-";

	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(client->comm), client->comm);
	if (rate >= 0)
		snprintf(per_second, sizeof(per_second), "%.1f", rate);
	screen_line(screen,
		    "%8d %-16s %-12s %7" PRIu32 " %8" PRIu32 " %8" PRIu32 " %10s %10" PRIu64,
		    client->pid, screen_plain(comm, plain, sizeof(plain)),
		    user_name(client->uid, user, sizeof(user)), client->queues, client->channels,
		    client->sensors, per_second, client->lost);
}

static void top_draw(struct screen *screen, const struct look *look, const uint32_t *places)
{
	screen_draw(screen);
	screen_line(screen, "%8s %-16s %-12s %7s %8s %8s %10s %10s", "PID", "PROGRAM", "USER",
		    "QUEUES", "CHANNELS", "SENSORS", "EVENTS/s", "LOST");
	for (uint32_t i = 0; i < look->count; i++)
		top_row(screen, &look->clients[places[i]], look->rates[places[i]]);
	fflush(stdout);
}

static void print_json(const struct look *look, const uint32_t *places)
{
	cJSON *list = cJSON_CreateArray(), *j;

	for (uint32_t i = 0; i < look->count; i++) {
		const struct nnsensors_client *client = &look->clients[places[i]];
		char comm[sizeof(client->comm) + 1], user[32];

		snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(client->comm), client->comm);
		j = cJSON_CreateObject();
		cJSON_AddNumberToObject(j, "pid", client->pid);
		cJSON_AddStringToObject(j, "program", comm);
		cJSON_AddStringToObject(j, "user", user_name(client->uid, user, sizeof(user)));
		cJSON_AddNumberToObject(j, "queues", client->queues);
		cJSON_AddNumberToObject(j, "channels", client->channels);
		cJSON_AddNumberToObject(j, "sensors", client->sensors);
		cJSON_AddNumberToObject(j, "delivered", (double)client->delivered);
		if (look->rates[places[i]] >= 0)
			cJSON_AddNumberToObject(j, "events_per_second", look->rates[places[i]]);
		else
			cJSON_AddNullToObject(j, "events_per_second");
		cJSON_AddNumberToObject(j, "lost", (double)client->lost);
		cJSON_AddItemToArray(list, j);
	}
	json_print(list);
}

static int top_show(struct screen *screen, const struct look *look, const struct choice *choice)
{
	uint32_t *places = calloc((size_t)look->count + 1, sizeof(*places));

	if (!places) {
		complain("out of memory");
		return -1;
	}
	top_order(look, places);
	if (choice->json)
		print_json(look, places);
	else
		top_draw(screen, look, places);
	free(places);
	return 0;
}

static int top_run(struct screen *screen, const struct choice *choice,
		   struct nnsensors_manager *manager)
{
	const bool once = !screen->live || choice->json;
	struct look before = { 0 }, now;
	const int look_ms = once && choice->seconds > 0 && choice->seconds < 1e6
				    ? (int)(choice->seconds * 1000)
				    : LOOK_MS;
	bool more;
	int ret = look_take(&before, manager, &(struct look){ 0 });

	for (more = true; !ret && more;) {
		more = screen_wait(screen, look_ms) && !once;
		ret = look_take(&now, manager, &before);
		if (ret)
			break;
		ret = top_show(screen, &now, choice);
		look_free(&before);
		before = now;
	}
	look_free(&before);
	return ret ? 1 : 0;
}

int sensors_top(int argc, char **argv)
{
	struct nnsensors_manager *manager;
	struct choice choice;
	struct screen screen;
	int ret = 1;

	if (choice_parse(&choice, argc, argv, "socket seconds json"))
		return USAGE_ERROR;
	if (choice.num_arguments)
		return usage("unexpected argument %s", choice.arguments[0]);
	if (screen_begin(&screen, choice.seconds))
		return 1;
	manager = choice_open(&choice);
	if (manager) {
		ret = top_run(&screen, &choice, manager);
		manager->ops->destroy(manager);
	}
	screen_close(&screen);
	return ret;
}
