// SPDX-License-Identifier: Apache-2.0
/* Which sensors a command is for, and how they are printed. */
#include "sensors/nnctl_sensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "nnutil_text.h"
#include "values/nnsensors_values.h"

enum { OPT_SOCKET = 256, OPT_RATE, OPT_SECONDS, OPT_JSON };

static const struct option long_options[] = {
	{ "socket", required_argument, NULL, OPT_SOCKET },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "json", no_argument, NULL, OPT_JSON },
	{ 0 },
};

static int set_option(void *cookie, const struct option *option)
{
	struct choice *choice = cookie;

	switch (option->val) {
	case OPT_SOCKET:
		choice->socket = optarg;
		return 0;
	case OPT_RATE:
		if (!nnutil_parse_double(optarg, 0.001, 1e6, &choice->rate))
			return 0;
		return usage("--rate %s: not a number of events per second", optarg);
	case OPT_SECONDS:
		if (!nnutil_parse_double(optarg, 0.001, 1e9, &choice->seconds))
			return 0;
		return usage("--seconds %s: not a number of seconds", optarg);
	default:
		choice->json = true;
		return 0;
	}
}

int choice_parse(struct choice *choice, int argc, char **argv, const char *allowed)
{
	*choice = (struct choice){ 0 };
	if (take_long_options(argc, argv, long_options, allowed, set_option, choice))
		return USAGE_ERROR;
	choice->arguments = argv + optind;
	choice->num_arguments = argc - optind;
	return 0;
}

struct nnsensors_manager *choice_open(const struct choice *choice)
{
	struct nnsensors_manager *manager;
	char message[256] = "";
	int ret = nnsensors_manager_open(choice->socket, &manager, message, sizeof(message));

	if (!ret)
		return manager;
	complain("%s", message[0] ? message : strerror(-ret));
	return NULL;
}

struct nnsensors_info *choice_list(struct nnsensors_manager *manager, uint32_t *count)
{
	struct nnsensors_info *infos = NULL;
	enum nnsensors_result result;

	*count = 0;
	result = manager->ops->get_sensor_list(manager, &infos, count);
	if (result == NNSENSORS_OK)
		return infos;
	complain("the list of sensors: %s", nnsensors_result_name(result));
	return NULL;
}

static const struct nnsensors_info *by_handle(const struct nnsensors_info *infos, uint32_t count,
					      int64_t handle)
{
	for (uint32_t i = 0; i < count; i++)
		if (infos[i].handle == handle)
			return &infos[i];
	return NULL;
}

static const struct nnsensors_info *by_type(struct nnsensors_manager *manager,
					    const struct nnsensors_info *infos, uint32_t count,
					    int32_t type)
{
	struct nnsensors_info info = { .size = sizeof(info) };

	if (manager->ops->get_default_sensor(manager, type, &info) == NNSENSORS_OK)
		return by_handle(infos, count, info.handle);
	for (uint32_t i = 0; i < count; i++)
		if (infos[i].type == type)
			return &infos[i];
	return NULL;
}

/* NULL after a complaint. */
static const struct nnsensors_info *find(struct nnsensors_manager *manager,
					 const struct nnsensors_info *infos, uint32_t count,
					 const char *name)
{
	const struct sensor_type *row = nnsensors_type_by_name(name);
	const struct nnsensors_info *found = NULL;
	int64_t handle;

	if (!nnutil_parse_i64(name, 10, 0, INT32_MAX, &handle))
		found = by_handle(infos, count, handle);
	else if (row)
		found = by_type(manager, infos, count, row->type);
	if (found)
		return found;
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(infos[i].name, name))
			continue;
		if (found) {
			complain("%s: sensors %d and %d have this name; use the handle", name,
				 found->handle, infos[i].handle);
			return NULL;
		}
		found = &infos[i];
	}
	if (!found)
		complain("%s: no sensor of this handle, name or type; nnctl sensors list has them",
			 name);
	return found;
}

struct nnsensors_info *choice_find(struct nnsensors_manager *manager, char **names, int num_names)
{
	const struct nnsensors_info *info;
	struct nnsensors_info *infos, *chosen;
	uint32_t count;

	infos = choice_list(manager, &count);
	chosen = calloc((size_t)num_names, sizeof(*chosen));
	for (int i = 0; chosen && i < num_names; i++) {
		info = find(manager, infos, count, names[i]);
		if (!info) {
			free(chosen);
			chosen = NULL;
			break;
		}
		chosen[i] = *info;
	}
	free(infos);
	return chosen;
}

int32_t choice_period_us(const struct choice *choice, double otherwise)
{
	const double us = 1e6 / (choice->rate > 0 ? choice->rate : otherwise);

	/* rounded down: the sensor is not slower than requested */
	return us >= INT32_MAX ? INT32_MAX : us < 1 ? 1 : (int32_t)us;
}

/* ---- texts ---- */

const char *sensor_text_type(const struct nnsensors_info *info, char *text, size_t size)
{
	const struct sensor_type *row = nnsensors_type_row(info->type);

	if (row && info->type < NNSENSORS_TYPE_PRIVATE_BASE)
		return row->name;
	snprintf(text, size, "0x%" PRIx32, (uint32_t)info->type);
	return text;
}

const char *sensor_text_unit(const struct nnsensors_info *info)
{
	const struct sensor_type *row = nnsensors_type_row(info->type);

	return row ? row->unit : "";
}

const char *sensor_text_values(const struct nnsensors_event *event, char *text, size_t size)
{
	const struct sensor_type *row = nnsensors_type_row(event->type);
	const unsigned int floats = row ? nnsensors_payload_floats(row->payload) : 0;
	size_t used = 0;

	text[0] = '\0';
	if (row && row->payload == SENSOR_PAYLOAD_STEP_COUNT)
		snprintf(text, size, "%" PRIu64, event->u.step_count);
	for (unsigned int i = 0; i < floats && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.4g", i ? " " : "",
					 (double)event->u.data[i]);
	return text;
}
