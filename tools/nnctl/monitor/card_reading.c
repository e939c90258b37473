// SPDX-License-Identifier: Apache-2.0
#include "monitor/nnctl_monitor.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_node.h"
#include "nnutil_file.h"
#include "nnutil_text.h"

#define MAX_ATTRIBUTE 4096

/* The last part of what @path links to; "": it is no link. */
static void link_name(const char *path, char *name, size_t size)
{
	char target[PATH_MAX];
	const ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *slash;

	name[0] = '\0';
	if (n < 0)
		return;
	target[n] = '\0';
	slash = strrchr(target, '/');
	snprintf(name, size, "%.*s", (int)size - 1, slash ? slash + 1 : target);
	nnutil_text_clean(name);
}

/* The first line of attribute @name below the card's @folder; "": it cannot be read. */
static void attribute_text(const char *folder, const char *name, char *text, size_t size)
{
	char path[PATH_MAX], *data;

	text[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    nnutil_read_file(path, MAX_ATTRIBUTE, &data, NULL))
		return;
	data[strcspn(data, "\n")] = '\0';
	snprintf(text, size, "%s", data);
	nnutil_text_clean(text);
	free(data);
}

static uint64_t attribute_number(const char *folder, const char *name)
{
	uint64_t value = READING_UNKNOWN;
	char text[32];

	attribute_text(folder, name, text, sizeof(text));
	return nnutil_parse_u64(text, 10, 0, READING_UNKNOWN - 1, &value) ? READING_UNKNOWN : value;
}

/* The card's hwmon device is the only one; its number is any. */
static void read_hwmon(const char *device, struct card_reading *card)
{
	char pattern[PATH_MAX];
	glob_t found;

	card->temperature_mc = card->power_uw = READING_UNKNOWN;
	if (snprintf(pattern, sizeof(pattern), "%s/hwmon/hwmon*", device) >= (int)sizeof(pattern) ||
	    glob(pattern, GLOB_NOSORT, NULL, &found))
		return;
	card->temperature_mc = attribute_number(found.gl_pathv[0], "temp1_input");
	card->power_uw = attribute_number(found.gl_pathv[0], "power1_input");
	globfree(&found);
}

/* False: it belongs to another driver. */
static bool read_card(const char *root, const struct nnutil_node_kind *kind, const char *name,
		      struct card_reading *card)
{
	char device[PATH_MAX];

	if (snprintf(device, sizeof(device), "%s%s%s/device", root, kind->class, name) >=
	    (int)sizeof(device))
		return false;
	if (!nnutil_has_driver(device, "nnaccel"))
		return false;
	memset(card, 0, sizeof(*card));
	snprintf(card->name, sizeof(card->name), "%.31s", name);
	link_name(device, card->bus, sizeof(card->bus));
	attribute_text(device, "nnaccel/state", card->state, sizeof(card->state));
	card->busy_us = attribute_number(device, "nnaccel/busy_time_us");
	card->engines = attribute_number(device, "nnaccel/engines");
	card->memory_bytes = attribute_number(device, "nnaccel/memory_bytes");
	card->clock_mhz = attribute_number(device, "npu_current_frequency_mhz");
	read_hwmon(device, card);
	return true;
}

/* Adds the cards of one kind of nodes. 0 or -ENOMEM. */
static int add_cards(const char *root, const struct nnutil_node_kind *kind,
		     struct card_reading **cards, size_t *count)
{
	struct card_reading *more;
	struct dirent **entries;
	char folder[PATH_MAX];
	int found;

	if (snprintf(folder, sizeof(folder), "%s%s", root, kind->class) >= (int)sizeof(folder))
		return 0;
	errno = 0;
	found = scandir(folder, &entries, kind->entry, versionsort);
	if (found < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	more = reallocarray(*cards, *count + (size_t)found + 1, sizeof(**cards));
	if (more)
		*cards = more;
	for (int i = 0; i < found; i++) {
		if (more)
			*count += read_card(root, kind, entries[i]->d_name, &more[*count]);
		free(entries[i]);
	}
	free(entries);
	return more ? 0 : -ENOMEM;
}

int card_readings(const char *root, struct card_reading **cards, size_t *count)
{
	int ret = 0;

	*cards = NULL;
	*count = 0;
	for (size_t i = 0; i < NNUTIL_NODE_KINDS && !ret; i++)
		ret = add_cards(root, &nnutil_node_kinds[i], cards, count);
	if (ret) {
		free(*cards);
		*cards = NULL;
		*count = 0;
	}
	return ret;
}
