// SPDX-License-Identifier: Apache-2.0
/* "nnctl sensors list" */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/nnctl_base.h"
#include "sensors/nnctl_sensors.h"

static const char *mode_name(const struct nnsensors_info *info)
{
	switch (info->flags & NNSENSORS_FLAG_MODE_MASK) {
	case NNSENSORS_FLAG_CONTINUOUS:
		return "continuous";
	case NNSENSORS_FLAG_ON_CHANGE:
		return "on-change";
	case NNSENSORS_FLAG_ONE_SHOT:
		return "one-shot";
	case NNSENSORS_FLAG_SPECIAL:
		return "special";
	default:
		return "unknown";
	}
}

static double rate_hz(int32_t delay_us)
{
	return delay_us > 0 ? 1e6 / delay_us : 0;
}

/* "5-400 Hz"; "-" where a rate means nothing */
static const char *rates(const struct nnsensors_info *info, char *text, size_t size)
{
	if (info->min_delay_us <= 0)
		return "-";
	if (info->max_delay_us > info->min_delay_us)
		snprintf(text, size, "%.4g-%.4g Hz", rate_hz(info->max_delay_us),
			 rate_hz(info->min_delay_us));
	else
		snprintf(text, size, "%.4g Hz", rate_hz(info->min_delay_us));
	return text;
}

static const char *level_name(const struct nnsensors_info *info)
{
	static const char *const names[] = { "", "normal", "fast", "very-fast" };
	const uint32_t level = (info->flags & NNSENSORS_FLAG_DIRECT_REPORT_MASK) >>
			       NNSENSORS_FLAG_DIRECT_REPORT_SHIFT;

	return level < sizeof(names) / sizeof(names[0]) ? names[level] : "unknown";
}

/* "fast (memfd, dma-buf)": the highest level, and into which memory */
static const char *list_direct(const struct nnsensors_info *info, char *text, size_t size)
{
	const bool memfd = info->flags & NNSENSORS_FLAG_DIRECT_ASHMEM,
		   dmabuf = info->flags & NNSENSORS_FLAG_DIRECT_GRALLOC;

	if (!*level_name(info) || !(memfd || dmabuf))
		return "-";
	snprintf(text, size, "%s (%s%s%s)", level_name(info), memfd ? "memfd" : "",
		 memfd && dmabuf ? ", " : "", dmabuf ? "dma-buf" : "");
	return text;
}

static void add_json(cJSON *list, const struct nnsensors_info *info)
{
	cJSON *j = cJSON_CreateObject(), *direct_report;
	char text[32];

	cJSON_AddNumberToObject(j, "handle", info->handle);
	cJSON_AddStringToObject(j, "name", info->name);
	cJSON_AddStringToObject(j, "vendor", info->vendor);
	cJSON_AddNumberToObject(j, "version", info->version);
	cJSON_AddNumberToObject(j, "type", info->type);
	cJSON_AddStringToObject(j, "type_name", sensor_text_type(info, text, sizeof(text)));
	cJSON_AddStringToObject(j, "type_string", info->type_string);
	cJSON_AddStringToObject(j, "unit", sensor_text_unit(info));
	cJSON_AddStringToObject(j, "mode", mode_name(info));
	cJSON_AddBoolToObject(j, "wake_up", info->flags & NNSENSORS_FLAG_WAKE_UP);
	cJSON_AddNumberToObject(j, "flags", info->flags);
	cJSON_AddNumberToObject(j, "min_delay_us", info->min_delay_us);
	cJSON_AddNumberToObject(j, "max_delay_us", info->max_delay_us);
	cJSON_AddNumberToObject(j, "max_range", (double)info->max_range);
	cJSON_AddNumberToObject(j, "resolution", (double)info->resolution);
	cJSON_AddNumberToObject(j, "power_ma", (double)info->power_ma);
	cJSON_AddNumberToObject(j, "fifo_reserved", info->fifo_reserved);
	cJSON_AddNumberToObject(j, "fifo_max", info->fifo_max);
	direct_report = cJSON_AddObjectToObject(j, "direct");
	cJSON_AddStringToObject(direct_report, "highest_level", level_name(info));
	cJSON_AddBoolToObject(direct_report, "memfd", info->flags & NNSENSORS_FLAG_DIRECT_ASHMEM);
	cJSON_AddBoolToObject(direct_report, "dma_buf",
			      info->flags & NNSENSORS_FLAG_DIRECT_GRALLOC);
	cJSON_AddStringToObject(j, "permission", info->permission);
	cJSON_AddItemToArray(list, j);
}

static void print_table(const struct nnsensors_info *infos, uint32_t count)
{
	char name[NNSENSORS_NAME_MAX], permission[NNSENSORS_NAME_MAX], type[32], rate[64],
		report[64], mode[32];

	printf("%6s  %-28s %-27s %-9s %-18s %-14s %-27s %s\n", "HANDLE", "NAME", "TYPE", "UNIT",
	       "MODE", "RATES", "DIRECT", "PERMISSION");
	for (uint32_t i = 0; i < count; i++) {
		const struct nnsensors_info *info = &infos[i];

		snprintf(mode, sizeof(mode), "%s%s", mode_name(info),
			 info->flags & NNSENSORS_FLAG_WAKE_UP ? " wake-up" : "");
		printf("%6d  %-28s %-27s %-9s %-18s %-14s %-27s %s\n", info->handle,
		       screen_plain(info->name, name, sizeof(name)),
		       sensor_text_type(info, type, sizeof(type)), sensor_text_unit(info), mode,
		       rates(info, rate, sizeof(rate)), list_direct(info, report, sizeof(report)),
		       info->permission[0]
			       ? screen_plain(info->permission, permission, sizeof(permission))
			       : "-");
	}
}

int sensors_list(int argc, char **argv)
{
	struct nnsensors_manager *manager;
	struct nnsensors_info *infos;
	struct choice choice;
	cJSON *list;
	uint32_t count;

	if (choice_parse(&choice, argc, argv, "socket json"))
		return USAGE_ERROR;
	if (choice.num_arguments)
		return usage("unexpected argument %s", choice.arguments[0]);
	manager = choice_open(&choice);
	if (!manager)
		return 1;
	infos = choice_list(manager, &count);
	manager->ops->destroy(manager);
	if (choice.json) {
		list = cJSON_CreateArray();
		for (uint32_t i = 0; i < count; i++)
			add_json(list, &infos[i]);
		json_print(list);
	} else if (count) {
		print_table(infos, count);
	} else {
		complain("the service has no sensors");
	}
	free(infos);
	return count ? 0 : 1;
}
