// SPDX-License-Identifier: Apache-2.0
#include "sensors/nnctl_sensors.h"

#include <inttypes.h>
#include <stdio.h>

#include "values/nnsensors_values.h"

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
