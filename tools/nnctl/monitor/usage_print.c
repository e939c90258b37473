// SPDX-License-Identifier: Apache-2.0
#include "monitor/nnctl_monitor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/nnctl_base.h"

/* ---- text ---- */

struct cell {
	char text[32];
};

/* Of a table: "-" for what is not known. */
static struct cell real_cell(double value, const char *format)
{
	struct cell cell = { "-" };

	if (!isnan(value))
		snprintf(cell.text, sizeof(cell.text), format, value);
	return cell;
}

static struct cell number_cell(uint64_t value)
{
	struct cell cell = { "-" };

	if (value != READING_UNKNOWN)
		snprintf(cell.text, sizeof(cell.text), "%" PRIu64, value);
	return cell;
}

static struct cell mib_cell(uint64_t bytes)
{
	return real_cell(bytes == READING_UNKNOWN ? (double)NAN : (double)bytes / (1 << 20),
			 "%.1f");
}

static const char *or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static void draw_card(struct screen *screen, const struct card_usage *card)
{
	screen_line(screen, "%-10s %-10s %6s %11s %8s %8" PRIu32 "  %s", card->now.name,
		    or_dash(card->now.state), real_cell(card->busy * 100, "%.1f").text,
		    mib_cell(card->now.memory_bytes).text, number_cell(card->now.engines).text,
		    card->clients, or_dash(card->now.bus));
}

static void draw_client(struct screen *screen, const struct client_usage *client)
{
	char user[32];

	screen_line(screen, "%8d %-16s %-12s %-10s %6s %8s %11s %7s %7s", client->now.pid,
		    or_dash(client->now.program), user_name(client->now.uid, user, sizeof(user)),
		    client->now.device, real_cell(client->busy * 100, "%.1f").text,
		    real_cell(client->jobs_per_s, "%.1f").text,
		    mib_cell(client->now.memory_bytes).text, number_cell(client->now.queues).text,
		    number_cell(client->now.failed).text);
}

void usage_draw(struct screen *screen, const struct usage *usage)
{
	screen_draw(screen);
	screen_title(screen, "%-10s %-10s %6s %11s %8s %8s  %s", "DEVICE", "STATE", "BUSY%",
		     "MEMORY MiB", "ENGINES", "CLIENTS", "BUS");
	for (size_t i = 0; i < usage->num_cards; i++)
		draw_card(screen, &usage->cards[i]);
	if (screen->live)
		screen_line(screen, "%s", usage->num_cards ? "" : "no card of the driver nnaccel");
	screen_title(screen, "%8s %-16s %-12s %-10s %6s %8s %11s %7s %7s", "PID", "PROGRAM", "USER",
		     "DEVICE", "BUSY%", "JOBS/s", "MEMORY MiB", "QUEUES", "FAILED");
	for (size_t i = 0; i < usage->num_clients; i++)
		draw_client(screen, &usage->clients[i]);
	fflush(stdout);
}

/* ---- CSV ---- */

void usage_print_csv_header(void)
{
	puts("time,device,state,pid,program,user,client,busy_percent,memory_bytes,engines,"
	     "jobs_per_second,queues,completed,failed");
}

/* As RFC 4180 has it: the name of a program may have anything in it. */
static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

/* The cells of a table, but empty instead of "-". */
static void print_cell(struct cell cell)
{
	printf(",%s", cell.text[0] == '-' ? "" : cell.text);
}

static void print_csv_card(const struct card_usage *card, double time)
{
	printf("%.3f,%s,%s,,,,", time, card->now.name, card->now.state);
	print_cell(real_cell(card->busy * 100, "%.2f"));
	print_cell(number_cell(card->now.memory_bytes));
	print_cell(number_cell(card->now.engines));
	puts(",,,,");
}

static void print_csv_client(const struct client_usage *client, double time)
{
	char user[32];

	printf("%.3f,%s,,%d,", time, client->now.device, client->now.pid);
	print_quoted(client->now.program);
	putchar(',');
	print_quoted(user_name(client->now.uid, user, sizeof(user)));
	print_cell(number_cell(client->now.id));
	print_cell(real_cell(client->busy * 100, "%.2f"));
	print_cell(number_cell(client->now.memory_bytes));
	print_cell(number_cell(client->now.engines));
	print_cell(real_cell(client->jobs_per_s, "%.2f"));
	print_cell(number_cell(client->now.queues));
	print_cell(number_cell(client->now.completed));
	print_cell(number_cell(client->now.failed));
	putchar('\n');
}

void usage_print_csv(const struct usage *usage, double time)
{
	for (size_t i = 0; i < usage->num_cards; i++)
		print_csv_card(&usage->cards[i], time);
	for (size_t i = 0; i < usage->num_clients; i++)
		print_csv_client(&usage->clients[i], time);
	fflush(stdout);
}

/* ---- JSON ---- */

static void add_real(cJSON *object, const char *name, double value)
{
	if (isnan(value))
		cJSON_AddNullToObject(object, name);
	else
		cJSON_AddNumberToObject(object, name, value);
}

static void add_number(cJSON *object, const char *name, uint64_t value)
{
	add_real(object, name, value == READING_UNKNOWN ? (double)NAN : (double)value);
}

static void add_text(cJSON *object, const char *name, const char *text)
{
	if (text[0])
		cJSON_AddStringToObject(object, name, text);
	else
		cJSON_AddNullToObject(object, name);
}

static cJSON *card_json(const struct card_usage *card)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "device", card->now.name);
	add_text(j, "bus", card->now.bus);
	add_text(j, "state", card->now.state);
	add_real(j, "busy_percent", card->busy * 100);
	add_number(j, "busy_time_us", card->now.busy_us);
	add_number(j, "memory_bytes", card->now.memory_bytes);
	add_number(j, "engines", card->now.engines);
	cJSON_AddNumberToObject(j, "clients", card->clients);
	return j;
}

static cJSON *client_json(const struct client_usage *client)
{
	cJSON *j = cJSON_CreateObject();
	char user[32];

	cJSON_AddNumberToObject(j, "pid", client->now.pid);
	cJSON_AddStringToObject(j, "program", client->now.program);
	cJSON_AddStringToObject(j, "user", user_name(client->now.uid, user, sizeof(user)));
	cJSON_AddStringToObject(j, "device", client->now.device);
	add_number(j, "client", client->now.id);
	add_real(j, "busy_percent", client->busy * 100);
	add_real(j, "jobs_per_second", client->jobs_per_s);
	add_number(j, "busy_ns", client->now.busy_ns);
	add_number(j, "memory_bytes", client->now.memory_bytes);
	add_number(j, "queues", client->now.queues);
	add_number(j, "jobs", client->now.jobs);
	add_number(j, "jobs_submitted", client->now.submitted);
	add_number(j, "jobs_completed", client->now.completed);
	add_number(j, "jobs_failed", client->now.failed);
	add_number(j, "jobs_innocent", client->now.innocent);
	add_number(j, "refused", client->now.refused);
	return j;
}

void usage_print_json(const struct usage *usage, double time)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *cards = cJSON_AddArrayToObject(root, "devices");
	cJSON *clients = cJSON_AddArrayToObject(root, "clients");

	cJSON_AddNumberToObject(root, "time", time);
	for (size_t i = 0; i < usage->num_cards; i++)
		cJSON_AddItemToArray(cards, card_json(&usage->cards[i]));
	for (size_t i = 0; i < usage->num_clients; i++)
		cJSON_AddItemToArray(clients, client_json(&usage->clients[i]));
	json_print(root);
}
