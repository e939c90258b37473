// SPDX-License-Identifier: Apache-2.0
/* Recordings: writing. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "values/nnsensors_values.h"

bool nnsensors_recording_has(int32_t type)
{
	const struct sensor_type *row = nnsensors_type_row(type);

	return row && row->listed && row->payload != SENSOR_PAYLOAD_DYNAMIC;
}

static int result(FILE *file)
{
	return ferror(file) ? (errno ? -errno : -EIO) : 0;
}

int nnsensors_recording_begin(FILE *file)
{
	fputs(NNSENSORS_RECORDING_FIRST_LINE "\n", file);
	return result(file);
}

/* Nine digits bring back a float's bits, the sign of 0 too; others are written as their bits. */
static void put_float(FILE *file, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (isfinite(value))
		fprintf(file, "%.9g", (double)value);
	else
		fprintf(file, "0x%08" PRIx32, bits);
}

static void put_text(FILE *file, const char *item, int32_t number, const char *text)
{
	const size_t length = strnlen(text, NNSENSORS_NAME_MAX - 1);

	fprintf(file, "%s,%" PRId32 ",", item, number);
	/* a line is a line */
	for (size_t i = 0; i < length; i++)
		fputc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i], file);
	fputc('\n', file);
}

int nnsensors_recording_put_sensor(FILE *file, const struct nnsensors_info *info)
{
	const struct sensor_type *row = nnsensors_type_row(info->type);
	const int32_t number = info->handle;

	if (!nnsensors_recording_has(info->type))
		return -EINVAL;
	fprintf(file, "sensor,%" PRId32 ",", number);
	if (info->type < NNSENSORS_TYPE_PRIVATE_BASE)
		fputs(row->name, file);
	else
		fprintf(file, "%" PRId32, info->type);
	fprintf(file, ",0x%" PRIx32 ",%" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRIu32 ",%" PRIu32 ",",
		info->flags, info->version, info->min_delay_us, info->max_delay_us,
		info->fifo_reserved, info->fifo_max);
	put_float(file, info->max_range);
	fputc(',', file);
	put_float(file, info->resolution);
	fputc(',', file);
	put_float(file, info->power_ma);
	fputc('\n', file);
	put_text(file, "name", number, info->name);
	put_text(file, "vendor", number, info->vendor);
	if (info->type >= NNSENSORS_TYPE_PRIVATE_BASE)
		put_text(file, "type_string", number, info->type_string);
	return result(file);
}

int nnsensors_recording_put_event(FILE *file, const struct nnsensors_event *event)
{
	const struct sensor_type *row = nnsensors_type_row(event->type);
	union nnsensors_payload u = event->u;
	const int8_t *status;
	unsigned int floats;

	if (!nnsensors_recording_has(event->type))
		return -EINVAL;
	fprintf(file, "event,%" PRId32 ",%" PRId64, event->sensor, event->timestamp);
	floats = nnsensors_payload_floats(row->payload);
	for (unsigned int i = 0; i < floats; i++) {
		fputc(',', file);
		put_float(file, u.data[i]);
	}
	status = nnsensors_payload_status(row->payload, &u);
	if (status)
		fprintf(file, ",%d", *status);
	else if (row->payload == SENSOR_PAYLOAD_STEP_COUNT)
		fprintf(file, ",%" PRIu64, u.step_count);
	fputc('\n', file);
	return result(file);
}
