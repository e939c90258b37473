// SPDX-License-Identifier: Apache-2.0
#include "delegate_common.h"

#include <stdlib.h>
#include <string.h>

#include "android/NeuralNetworks.h"
#include "nnutil_text.h"
#include "nnutil_log.h"

/* Words of an option; the value of each is its place. */
static const char *const switch_words[] = { "0", "1", NULL };
static const char *const preference_words[] = { "low_power", "fast_single_answer",
						"sustained_speed", NULL };
static const char *const isolation_words[] = { "auto", "none", "worker", "service", NULL };
static const char *const log_words[] = { "off", "summary", "nodes", "all", NULL };

_Static_assert(ANEURALNETWORKS_PREFER_LOW_POWER == 0 &&
		       ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER == 1 &&
		       ANEURALNETWORKS_PREFER_SUSTAINED_SPEED == 2,
	       "preference_words has the order of the NDK");

static bool take_word(const char *const *words, const char *value, int *number)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], value)) {
			*number = i;
			return true;
		}
	return false;
}

static bool take_switch(const char *value, bool *on)
{
	int number;

	if (!take_word(switch_words, value, &number))
		return false;
	*on = number;
	return true;
}

static bool take_text(const char *value, char **text)
{
	if (!*value)
		return false;
	*text = strdup(value);
	return *text;
}

static bool take_devices(struct delegate_settings *s, const char *value)
{
	return take_text(value, &s->devices);
}

static bool take_device(struct delegate_settings *s, const char *value)
{
	return !strchr(value, ',') && take_text(value, &s->devices);
}

static bool take_cache_dir(struct delegate_settings *s, const char *value)
{
	return *value == '/' && take_text(value, &s->cache_dir);
}

static bool take_isolation(struct delegate_settings *s, const char *value)
{
	int number;

	return take_word(isolation_words, value, &number) && take_text(value, &s->isolation);
}

static bool take_preference(struct delegate_settings *s, const char *value)
{
	return take_word(preference_words, value, &s->preference);
}

static bool take_fp16(struct delegate_settings *s, const char *value)
{
	return take_switch(value, &s->fp16);
}

static bool take_require_all(struct delegate_settings *s, const char *value)
{
	return take_switch(value, &s->require_all);
}

static bool take_count(const char *value, uint32_t *count)
{
	uint64_t number;

	if (nnutil_parse_u64(value, 10, 1, INT32_MAX, &number))
		return false;
	*count = (uint32_t)number;
	return true;
}

static bool take_min_nodes(struct delegate_settings *s, const char *value)
{
	return take_count(value, &s->min_nodes);
}

static bool take_compare(struct delegate_settings *s, const char *value)
{
	return !strchr(value, ',') && take_text(value, &s->compare);
}

static bool take_sample(struct delegate_settings *s, const char *value)
{
	return take_count(value, &s->sample);
}

static bool take_log(struct delegate_settings *s, const char *value)
{
	int number;

	if (!take_word(log_words, value, &number))
		return false;
	s->log = (enum delegate_log)number;
	return true;
}

static bool take_explain(struct delegate_settings *s, const char *value)
{
	s->explain = *value == '/' ? fopen(value, "we") : NULL;
	return s->explain;
}

static const struct {
	const char *key;
	bool (*take)(struct delegate_settings *s, const char *value);
	const char *valid; /* for messages */
} rows[] = {
	{ "device", take_device, "the name of one device of \"nnctl list\"" },
	{ "devices", take_devices, "names of devices of \"nnctl list\", with commas" },
	{ "cache_dir", take_cache_dir, "an absolute path" },
	{ "isolation", take_isolation, "auto, none, worker or service" },
	{ "preference", take_preference, "low_power, fast_single_answer or sustained_speed" },
	{ "fp16", take_fp16, "0 or 1" },
	{ "min_nodes", take_min_nodes, "a number from 1" },
	{ "require_all", take_require_all, "0 or 1" },
	{ "compare", take_compare, "the name of one device of \"nnctl list\"" },
	{ "sample", take_sample, "a number from 1" },
	{ "log", take_log, "off, summary, nodes or all" },
	{ "explain", take_explain, "the absolute path of a file that can be written" },
};

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

bool delegate_settings_read(struct delegate_settings *s, const char *const *keys,
			    const char *const *values, size_t count, char *message, size_t size)
{
	bool given[NUM_ROWS] = { false };
	size_t r;

	*s = (struct delegate_settings){
		.preference = -1, .min_nodes = 1, .sample = 100, .log = DELEGATE_LOG_NODES
	};
	for (size_t i = 0; i < count; i++) {
		const char *key = keys[i] ? keys[i] : "", *value = values[i] ? values[i] : "";

		for (r = 0; r < NUM_ROWS && strcmp(rows[r].key, key); r++)
			;
		if (r == NUM_ROWS) {
			nnutil_refuse(
				message, size, 0,
				"nnaccel: unknown option \"%.64s\": use device, devices, cache_dir, isolation, preference, fp16, min_nodes, require_all, compare, sample, log or explain",
				key);
			return false;
		}
		/* device and devices are one */
		if (given[r] || (r < 2 && s->devices)) {
			nnutil_refuse(message, size, 0, "nnaccel: option \"%s\" is given twice",
				      key);
			return false;
		}
		given[r] = true;
		if (!rows[r].take(s, value)) {
			nnutil_refuse(message, size, 0,
				      "nnaccel: option \"%s\" is \"%.64s\", must be %s", key, value,
				      rows[r].valid);
			return false;
		}
	}
	return true;
}

void delegate_settings_clear(struct delegate_settings *s)
{
	free(s->devices);
	free(s->cache_dir);
	free(s->isolation);
	free(s->compare);
	if (s->explain)
		fclose(s->explain);
	memset(s, 0, sizeof(*s));
}
