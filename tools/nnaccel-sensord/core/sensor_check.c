// SPDX-License-Identifier: Apache-2.0
/*
 * Rules for every sensor of a list: those of Android's HAL for sensor lists, and those that the
 * core relies on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sensord_core.h"
#include "nnutil_log.h"

#define NS_PER_US 1000ll
#define DIRECT_BITS                                                         \
	(NNSENSORS_FLAG_DIRECT_REPORT_MASK | NNSENSORS_FLAG_DIRECT_ASHMEM | \
	 NNSENSORS_FLAG_DIRECT_GRALLOC)

struct complaint {
	char *text;
	size_t size;
};

#define REFUSE(c, ...) nnutil_refuse((c)->text, (c)->size, false, __VA_ARGS__)

static bool is_text(const char *text, bool may_be_empty)
{
	return memchr(text, '\0', NNSENSORS_NAME_MAX) && (may_be_empty || text[0]);
}

static bool check_texts(const struct nnsensors_info *info, const struct sensor_type *row,
			const struct complaint *c)
{
	if (!is_text(info->name, false) || !is_text(info->vendor, false))
		return REFUSE(c, "a sensor needs a name and a vendor");
	if (!is_text(info->type_string, false) || !is_text(info->permission, true))
		return REFUSE(c, "%s: the type's string is missing", info->name);
	if (info->type < NNSENSORS_TYPE_PRIVATE_BASE &&
	    strcmp(info->type_string, row->type_string) != 0)
		return REFUSE(c, "%s: the type's string is \"%s\", not \"%s\"", info->name,
			      row->type_string, info->type_string);
	return true;
}

static bool check_numbers(const struct nnsensors_info *info, const struct complaint *c)
{
	if (!isfinite(info->max_range) || info->max_range <= 0)
		return REFUSE(c, "%s: the range must be above 0", info->name);
	if (!isfinite(info->resolution) || info->resolution < 0)
		return REFUSE(c, "%s: the resolution must be a number from 0 on", info->name);
	if (!isfinite(info->power_ma) || info->power_ma < 0)
		return REFUSE(c, "%s: the power must be a number from 0 on", info->name);
	if (info->fifo_max < info->fifo_reserved)
		return REFUSE(c, "%s: more of the FIFO is reserved than there is", info->name);
	return true;
}

static bool check_mode(const struct nnsensors_info *info, const struct sensor_type *row,
		       const struct complaint *c)
{
	const uint32_t mode = info->flags & NNSENSORS_FLAG_MODE_MASK;

	if (mode > NNSENSORS_FLAG_SPECIAL)
		return REFUSE(c, "%s: no such reporting mode", info->name);
	if (info->type < NNSENSORS_TYPE_PRIVATE_BASE && mode != row->mode)
		return REFUSE(c, "%s: a sensor of this type has another reporting mode",
			      info->name);
	if (mode != NNSENSORS_FLAG_CONTINUOUS && (info->flags & DIRECT_BITS))
		return REFUSE(c, "%s: only a continuous sensor can have direct report", info->name);
	return true;
}

static bool check_delays(const struct nnsensors_info *info, const struct complaint *c)
{
	const int32_t min = info->min_delay_us, max = info->max_delay_us;
	bool good;

	switch (info->flags & NNSENSORS_FLAG_MODE_MASK) {
	case NNSENSORS_FLAG_CONTINUOUS:
		good = min > 0 && max >= min;
		break;
	case NNSENSORS_FLAG_ON_CHANGE:
		good = min >= 0 && max >= min;
		break;
	case NNSENSORS_FLAG_ONE_SHOT:
		good = min == -1 && max == 0;
		break;
	default:
		good = min == 0 && max == 0;
	}
	return good ? true
		    : REFUSE(c, "%s: periods from %d to %d us are not those of its reporting mode",
			     info->name, (int)min, (int)max);
}

/* The list of periods and the limits say the same, to the rounding to us. */
static bool check_periods(const struct sensor *sensor, const struct complaint *c)
{
	const struct nnsensors_info *info = &sensor->info;
	const unsigned int n = sensor->num_periods;

	if (!n)
		return true;
	if (n > SENSOR_RATES_MAX)
		return REFUSE(c, "%s: more than %u rates", info->name, SENSOR_RATES_MAX);
	for (unsigned int i = 0; i < n; i++)
		if (sensor->periods_ns[i] <= (i ? sensor->periods_ns[i - 1] : 0))
			return REFUSE(c, "%s: its periods do not ascend", info->name);
	if (llabs(sensor->periods_ns[0] - info->min_delay_us * NS_PER_US) >= NS_PER_US ||
	    llabs(sensor->periods_ns[n - 1] - info->max_delay_us * NS_PER_US) >= NS_PER_US)
		return REFUSE(c, "%s: its periods are not within its limits", info->name);
	return true;
}

bool sensor_check(const struct sensor *sensor, char *message, size_t size)
{
	const struct complaint c = { message, size };
	const struct sensor_type *row = nnsensors_type_row(sensor->info.type);

	if (!row || !row->listed || sensor->row != row)
		return REFUSE(&c, "no sensor can be of type %d", (int)sensor->info.type);
	return check_texts(&sensor->info, row, &c) && check_numbers(&sensor->info, &c) &&
	       check_mode(&sensor->info, row, &c) && check_delays(&sensor->info, &c) &&
	       check_periods(sensor, &c);
}
