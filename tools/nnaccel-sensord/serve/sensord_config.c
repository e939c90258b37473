// SPDX-License-Identifier: Apache-2.0
#include "serve/sensord_serve.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_text.h"
#include "nnutil_log.h"
#include "values/nnsensors_values.h"
#include "wire/nnipc_wire.h"

/* Highest rate that a rule can name. */
#define RATE_MAX 1e6

/* Where the reading is. */
struct reading {
	struct sensord_config *config;
	struct permission_rule *rule; /* of the section; NULL: it is none */
	unsigned int rule_line;
};

void sensord_config_init(struct sensord_config *config)
{
	*config = (struct sensord_config){
		.limits = {
			.connections = 1024,
			.connections_per_user = 256,
			.objects = 64,
			.objects_per_user = 512,
			.sensors = 256,
			.memory = 1024,
			.memory_per_user = 128,
			.events = 200000,
			.events_per_user = 25000,
		},
		.iio = true,
		.fusion = true,
	};
}

void sensord_config_fini(struct sensord_config *config)
{
	for (size_t i = 0; i < config->num_virtual; i++)
		free(config->virtual_files[i]);
	free(config->virtual_files);
	permission_rules_fini(&config->rules);
	*config = (struct sensord_config){ 0 };
}

/* Room for one more element; NULL: there is none. */
static void *config_grow(void *array, size_t count, size_t element)
{
	return reallocarray(array, count + 1, element);
}

int sensord_config_add_virtual(struct sensord_config *config, const char *path)
{
	char **larger = config_grow(config->virtual_files, config->num_virtual, sizeof(*larger));
	char *copy = strdup(path);

	if (larger)
		config->virtual_files = larger;
	if (!larger || !copy) {
		free(copy);
		return -ENOMEM;
	}
	config->virtual_files[config->num_virtual++] = copy;
	return 0;
}

/* ---- permissions ---- */

static int add_type(struct reading *r, const char *word, char *why, size_t size)
{
	const struct sensor_type *row = nnsensors_type_by_name(word);
	const struct permission_rule *other;
	int32_t *larger;

	if (!row || !row->listed)
		return nnutil_refuse(why, size, -EINVAL, "there is no type of sensors \"%s\"",
				     word);
	other = permission_rule_of(&r->config->rules, row->type);
	if (other)
		return nnutil_refuse(why, size, -EINVAL, "%s is in permission %s already", word,
				     other->name);
	if (row->type >= NNSENSORS_TYPE_PRIVATE_BASE) {
		r->rule->private_types = true;
		return 0;
	}
	larger = config_grow(r->rule->types, r->rule->num_types, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	r->rule->types = larger;
	r->rule->types[r->rule->num_types++] = row->type;
	return 0;
}

static int add_user(struct reading *r, const char *word, char *why, size_t size)
{
	const struct passwd *found = getpwnam(word);
	uint64_t number;
	uid_t *larger;

	if (!found && nnutil_parse_u64(word, 10, 0, UINT32_MAX - 1, &number))
		return nnutil_refuse(why, size, -EINVAL, "there is no user \"%s\"", word);
	larger = config_grow(r->rule->users, r->rule->num_users, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	r->rule->users = larger;
	r->rule->users[r->rule->num_users++] = found ? found->pw_uid : (uid_t)number;
	return 0;
}

static int add_group(struct reading *r, const char *word, char *why, size_t size)
{
	gid_t group, *larger;

	if (nnipc_listen_group(word, &group))
		return nnutil_refuse(why, size, -EINVAL, "there is no group \"%s\"", word);
	larger = config_grow(r->rule->groups, r->rule->num_groups, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	r->rule->groups = larger;
	r->rule->groups[r->rule->num_groups++] = group;
	return 0;
}

/* Each word of a list to @add. */
static int add_words(struct reading *r, const struct nnutil_ini_line *line,
		     int (*add)(struct reading *, const char *, char *, size_t), char *why,
		     size_t size)
{
	const char *at = line->value;
	char word[128];
	int ret = 0;

	while (!ret && nnutil_ini_word(&at, word, sizeof(word)))
		ret = add(r, word, why, size);
	if (!ret && *at)
		ret = nnutil_refuse(why, size, -EINVAL, "%s: a word is too long", line->key);
	return ret;
}

static int take_permission(struct reading *r, const struct nnutil_ini_line *line, char *why,
			   size_t size)
{
	if (!strcmp(line->key, "types"))
		return add_words(r, line, add_type, why, size);
	if (!strcmp(line->key, "users"))
		return add_words(r, line, add_user, why, size);
	if (!strcmp(line->key, "groups"))
		return add_words(r, line, add_group, why, size);
	if (strcmp(line->key, "above-rate") != 0)
		return nnutil_refuse(why, size, -EINVAL, "[permission] has no key \"%.64s\"",
				     line->key);
	if (nnutil_parse_double(line->value, 0, RATE_MAX, &r->rule->above_hz))
		return nnutil_refuse(why, size, -EINVAL, "above-rate is a rate in Hz from 0");
	return 0;
}

static int begin_permission(struct reading *r, const struct nnutil_ini_line *line, char *why,
			    size_t size)
{
	struct permission_rules *rules = &r->config->rules;
	struct permission_rule *larger;

	if (!line->argument[0] || strlen(line->argument) >= NNSENSORS_NAME_MAX)
		return nnutil_refuse(why, size, -EINVAL,
				     "a permission has a name of at most %d characters",
				     NNSENSORS_NAME_MAX - 1);
	for (size_t i = 0; i < rules->count; i++)
		if (!strcmp(rules->rules[i].name, line->argument))
			return nnutil_refuse(why, size, -EINVAL, "permission %s is there already",
					     line->argument);
	larger = config_grow(rules->rules, rules->count, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	rules->rules = larger;
	r->rule = &rules->rules[rules->count++];
	*r->rule = (struct permission_rule){ 0 };
	strcpy(r->rule->name, line->argument);
	r->rule_line = line->number;
	return 0;
}

/* A rule about nothing is a mistake. */
static int end_permission(struct reading *r, char *why, size_t size)
{
	const struct permission_rule *rule = r->rule;

	r->rule = NULL;
	if (!rule || rule->num_types || rule->private_types)
		return 0;
	return nnutil_refuse(why, size, -EINVAL, "permission %s of line %u has no types",
			     rule->name, r->rule_line);
}

/* ---- other sections ---- */

static int take_limit(struct reading *r, const struct nnutil_ini_line *line, char *why, size_t size)
{
	struct sensord_limits *limits = &r->config->limits;
	const struct {
		const char *key;
		uint32_t *value;
		uint32_t most;
	} keys[] = {
		{ "connections", &limits->connections, 65536 },
		{ "connections-per-user", &limits->connections_per_user, 65536 },
		{ "objects", &limits->objects, 65536 },
		{ "objects-per-user", &limits->objects_per_user, 65536 },
		{ "sensors", &limits->sensors, 65536 },
		{ "memory", &limits->memory, 1 << 20 },
		{ "memory-per-user", &limits->memory_per_user, 1 << 20 },
		{ "events", &limits->events, 1000000000 },
		{ "events-per-user", &limits->events_per_user, 1000000000 },
	};
	uint64_t number;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].key, line->key) != 0)
			continue;
		if (nnutil_parse_u64(line->value, 10, 1, keys[i].most, &number))
			return nnutil_refuse(why, size, -EINVAL, "%s is a number from 1 to %u",
					     line->key, keys[i].most);
		*keys[i].value = (uint32_t)number;
		return 0;
	}
	return nnutil_refuse(why, size, -EINVAL, "[limits] has no key \"%.64s\"", line->key);
}

static int add_file(struct reading *r, const char *word, char *why, size_t size)
{
	if (word[0] != '/')
		return nnutil_refuse(why, size, -EINVAL, "%s: the whole path is needed", word);
	return sensord_config_add_virtual(r->config, word);
}

static int take_virtual(struct reading *r, const struct nnutil_ini_line *line, char *why,
			size_t size)
{
	if (strcmp(line->key, "file") != 0)
		return nnutil_refuse(why, size, -EINVAL, "[virtual] has no key \"%.64s\"",
				     line->key);
	return add_words(r, line, add_file, why, size);
}

static int take_enable(const struct nnutil_ini_line *line, bool *enable, char *why, size_t size)
{
	if (strcmp(line->key, "enable") != 0)
		return nnutil_refuse(why, size, -EINVAL, "[%s] has no key \"%.64s\"", line->section,
				     line->key);
	if (nnutil_ini_bool(line->value, enable))
		return nnutil_refuse(why, size, -EINVAL, "enable is yes or no");
	return 0;
}

static int take_iio(struct reading *r, const struct nnutil_ini_line *line, char *why, size_t size)
{
	return take_enable(line, &r->config->iio, why, size);
}

static int take_fusion(struct reading *r, const struct nnutil_ini_line *line, char *why,
		       size_t size)
{
	return take_enable(line, &r->config->fusion, why, size);
}

/* ---- the file ---- */

static const struct {
	const char *name;
	int (*begin)(struct reading *, const struct nnutil_ini_line *, char *, size_t);
	int (*take)(struct reading *, const struct nnutil_ini_line *, char *, size_t);
} sections[] = {
	{ "permission", begin_permission, take_permission },
	{ "limits", NULL, take_limit },
	{ "virtual", NULL, take_virtual },
	{ "iio", NULL, take_iio },
	{ "fusion", NULL, take_fusion },
};
#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

static int config_take(void *cookie, const struct nnutil_ini_line *line, char *why, size_t size)
{
	struct reading *r = cookie;
	size_t i = 0;
	int ret;

	while (i < SECTIONS && strcmp(sections[i].name, line->section) != 0)
		i++;
	if (i == SECTIONS)
		return line->section[0]
			       ? nnutil_refuse(why, size, -EINVAL, "there is no section [%.64s]",
					       line->section)
			       : nnutil_refuse(why, size, -EINVAL,
					       "a [section] is needed before the first key");
	if (line->key)
		return sections[i].take(r, line, why, size);
	ret = end_permission(r, why, size);
	if (ret)
		return ret;
	if (sections[i].begin)
		return sections[i].begin(r, line, why, size);
	return line->argument[0]
		       ? nnutil_refuse(why, size, -EINVAL, "[%s] has no name", line->section)
		       : 0;
}

/* What is only seen at the end of the file. */
static int config_finish(struct reading *r, const char *path, char *message, size_t size)
{
	char why[256];
	int ret = end_permission(r, why, sizeof(why));

	return ret ? nnutil_refuse(message, size, ret, "%s: %s", path, why) : 0;
}

int sensord_config_read(struct sensord_config *config, const char *path, char *message, size_t size)
{
	struct reading r = { .config = config };
	int ret = nnutil_ini_read(path, config_take, &r, message, size);

	return ret ? ret : config_finish(&r, path, message, size);
}

int sensord_config_parse(struct sensord_config *config, const char *path, char *text, char *message,
			 size_t size)
{
	struct reading r = { .config = config };
	int ret = nnutil_ini_parse(path, text, strlen(text), config_take, &r, message, size);

	return ret ? ret : config_finish(&r, path, message, size);
}
