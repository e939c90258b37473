// SPDX-License-Identifier: Apache-2.0
/* Recordings: reading. */
#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_file.h"
#include "nnutil_text.h"
#include "nnutil_log.h"
#include "values/nnsensors_values.h"

/* event, number, stamp, and the 16 floats of a private type. */
#define FIELDS_MAX 19
#define SENSOR_FIELDS 12

struct parser {
	struct nnsensors_recording *recording;
	size_t max_events;
	int64_t last[NNSENSORS_RECORDING_SENSORS_MAX]; /* stamp of each sensor */
	unsigned int line;
	char *message;
	size_t message_size;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct parser *p, const char *format,
							...)
{
	char why[160];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return nnutil_refuse(p->message, p->message_size, -EINVAL, "line %u: %s", p->line, why);
}

/* ---- fields ---- */

/* Cut @text at its commas into at most @max fields; the last one has all that is left. */
static unsigned int recording_read_split(char *text, char **fields, unsigned int max)
{
	unsigned int n = 1;

	fields[0] = text;
	while (n < max && (text = strchr(text, ','))) {
		*text++ = '\0';
		fields[n++] = text;
	}
	return n;
}

static int get_i32(const struct parser *p, const char *text, const char *what, int32_t *value)
{
	int64_t number;

	if (nnutil_parse_i64(text, 10, INT32_MIN, INT32_MAX, &number))
		return refuse(p, "%s \"%.32s\" is no whole number of 32 bits", what, text);
	*value = (int32_t)number;
	return 0;
}

static int get_u32(const struct parser *p, const char *text, const char *what, uint32_t *value)
{
	uint64_t number;

	if (nnutil_parse_u64(text, 0, 0, UINT32_MAX, &number))
		return refuse(p, "%s \"%.32s\" is no number of 32 bits from 0 on", what, text);
	*value = (uint32_t)number;
	return 0;
}

static int get_float(const struct parser *p, const char *text, const char *what, float *value)
{
	uint64_t bits;
	uint32_t word;
	double number;

	if (!strncmp(text, "0x", 2)) {
		if (nnutil_parse_u64(text, 16, 0, UINT32_MAX, &bits))
			return refuse(
				p,
				"%s: expected 0x and 8 hex digits (a float's bits), got \"%.32s\"",
				what, text);
		word = (uint32_t)bits;
		memcpy(value, &word, sizeof(word));
		return 0;
	}
	if (nnutil_parse_double(text, (double)-FLT_MAX, (double)FLT_MAX, &number))
		return refuse(p, "%s \"%.32s\" is no float", what, text);
	*value = (float)number;
	return 0;
}

static int get_text(const struct parser *p, const char *text, char *to)
{
	const size_t length = strlen(text);

	if (!length || length >= NNSENSORS_NAME_MAX)
		return refuse(p, "a text has 1 to %d characters", NNSENSORS_NAME_MAX - 1);
	/* of an earlier, longer one nothing is left */
	memset(to, 0, NNSENSORS_NAME_MAX);
	memcpy(to, text, length + 1);
	return 0;
}

/* The place of the sensor with the number @text; -1: there is none, and the message says so. */
static int find_sensor(const struct parser *p, const char *text)
{
	int32_t number = 0;

	if (get_i32(p, text, "sensor", &number))
		return -1;
	for (uint32_t i = 0; i < p->recording->num_sensors; i++)
		if (p->recording->sensors[i].handle == number)
			return (int)i;
	refuse(p, "no sensor has the number %d", (int)number);
	return -1;
}

/* ---- lines ---- */

static int get_type(const struct parser *p, const char *text, struct nnsensors_info *info)
{
	const struct sensor_type *row = nnsensors_type_by_name(text);

	if (row && row->type < NNSENSORS_TYPE_PRIVATE_BASE)
		info->type = row->type;
	else if (get_i32(p, text, "type", &info->type))
		return -EINVAL;
	if (!nnsensors_recording_has(info->type))
		return refuse(p, "sensors of type \"%.32s\" cannot be recorded", text);
	if (info->type < NNSENSORS_TYPE_PRIVATE_BASE)
		strcpy(info->type_string, nnsensors_type_row(info->type)->type_string);
	return 0;
}

static int is_new(const struct parser *p, int32_t number)
{
	const struct nnsensors_recording *r = p->recording;

	if (r->num_events)
		return refuse(p, "a sensor behind the first event");
	if (r->num_sensors == NNSENSORS_RECORDING_SENSORS_MAX)
		return refuse(p, "more than %u sensors", NNSENSORS_RECORDING_SENSORS_MAX);
	for (uint32_t i = 0; i < r->num_sensors; i++)
		if (r->sensors[i].handle == number)
			return refuse(p, "a second sensor has the number %d", (int)number);
	return 0;
}

static int parse_sensor(struct parser *p, char **fields, unsigned int n)
{
	struct nnsensors_info info = { .size = sizeof(info) };

	if (n != SENSOR_FIELDS)
		return refuse(p, "a sensor has %d fields, not %u", SENSOR_FIELDS, n);
	if (get_i32(p, fields[1], "sensor", &info.handle) || is_new(p, info.handle) ||
	    get_type(p, fields[2], &info) || get_u32(p, fields[3], "flags", &info.flags) ||
	    get_i32(p, fields[4], "version", &info.version) ||
	    get_i32(p, fields[5], "period", &info.min_delay_us) ||
	    get_i32(p, fields[6], "period", &info.max_delay_us) ||
	    get_u32(p, fields[7], "FIFO size", &info.fifo_reserved) ||
	    get_u32(p, fields[8], "FIFO size", &info.fifo_max) ||
	    get_float(p, fields[9], "range", &info.max_range) ||
	    get_float(p, fields[10], "resolution", &info.resolution) ||
	    get_float(p, fields[11], "power", &info.power_ma))
		return -EINVAL;
	p->last[p->recording->num_sensors] = INT64_MIN;
	p->recording->sensors[p->recording->num_sensors++] = info;
	return 0;
}

static int parse_text(struct parser *p, char **fields, unsigned int n)
{
	struct nnsensors_info *info;
	int i;

	if (n != 3)
		return refuse(p, "a text has a sensor and the text");
	i = find_sensor(p, fields[1]);
	if (i < 0)
		return -EINVAL;
	info = &p->recording->sensors[i];
	if (!strcmp(fields[0], "name"))
		return get_text(p, fields[2], info->name);
	if (!strcmp(fields[0], "vendor"))
		return get_text(p, fields[2], info->vendor);
	if (info->type < NNSENSORS_TYPE_PRIVATE_BASE)
		return refuse(p, "only a private type has a type string of its own");
	return get_text(p, fields[2], info->type_string);
}

static int get_status(const struct parser *p, const char *text, int8_t *status)
{
	int64_t number;

	if (nnutil_parse_i64(text, 10, NNSENSORS_STATUS_NO_CONTACT, NNSENSORS_STATUS_HIGH, &number))
		return refuse(p, "status \"%.32s\" is not one of -1 to 3", text);
	*status = (int8_t)number;
	return 0;
}

static int get_payload(const struct parser *p, enum sensor_payload kind, char **fields,
		       unsigned int n, union nnsensors_payload *u)
{
	const unsigned int floats = nnsensors_payload_floats(kind);
	int8_t *status = nnsensors_payload_status(kind, u);
	const bool one_more = status || kind == SENSOR_PAYLOAD_STEP_COUNT;

	if (n != floats + one_more)
		return refuse(p, "an event of this sensor has %u values, not %u", floats + one_more,
			      n);
	for (unsigned int i = 0; i < floats; i++)
		if (get_float(p, fields[i], "value", &u->data[i]))
			return -EINVAL;
	if (status)
		return get_status(p, fields[floats], status);
	if (kind == SENSOR_PAYLOAD_STEP_COUNT &&
	    nnutil_parse_u64(fields[floats], 10, 0, UINT64_MAX, &u->step_count))
		return refuse(p, "\"%.32s\" is no number of steps", fields[floats]);
	return 0;
}

static int add_event(struct parser *p, const struct nnsensors_event *event)
{
	struct nnsensors_recording *r = p->recording;
	size_t more = p->max_events ? p->max_events * 2 : 256;
	struct nnsensors_event *events;

	if (r->num_events == p->max_events) {
		events = realloc(r->events, more * sizeof(*events));
		if (!events)
			return -ENOMEM;
		r->events = events;
		p->max_events = more;
	}
	r->events[r->num_events++] = *event;
	return 0;
}

static int parse_event(struct parser *p, char **fields, unsigned int n)
{
	struct nnsensors_event event = { .version = sizeof(event) };
	int i;

	if (n < 3)
		return refuse(p, "an event has a sensor, a stamp and values");
	i = find_sensor(p, fields[1]);
	if (i < 0)
		return -EINVAL;
	event.sensor = p->recording->sensors[i].handle;
	event.type = p->recording->sensors[i].type;
	if (nnutil_parse_i64(fields[2], 10, 0, INT64_MAX, &event.timestamp))
		return refuse(p, "stamp \"%.32s\" is no number from 0 on", fields[2]);
	if (event.timestamp <= p->last[i])
		return refuse(p, "the sensor's stamps do not increase");
	p->last[i] = event.timestamp;
	if (get_payload(p, nnsensors_type_row(event.type)->payload, fields + 3, n - 3, &event.u))
		return -EINVAL;
	return add_event(p, &event);
}

static int parse_line(struct parser *p, char *line)
{
	const bool text = !strncmp(line, "name,", 5) || !strncmp(line, "vendor,", 7) ||
			  !strncmp(line, "type_string,", 12);
	char *fields[FIELDS_MAX + 1];
	unsigned int n;

	if (!line[0] || line[0] == '#')
		return 0;
	for (const char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return refuse(p, "a control character");
	n = recording_read_split(line, fields, text ? 3 : FIELDS_MAX + 1);
	if (text)
		return parse_text(p, fields, n);
	if (!strcmp(fields[0], "event"))
		return parse_event(p, fields, n);
	if (!strcmp(fields[0], "sensor"))
		return parse_sensor(p, fields, n);
	return refuse(p, "\"%.32s\" is no item of a recording", fields[0]);
}

/* ---- files ---- */

/* The next line of *@text, which has *@size bytes and a NUL behind them. NULL: a byte is 0. */
static char *cut_line(char **text, size_t *size)
{
	char *line = *text, *end = memchr(line, '\n', *size);
	const size_t length = end ? (size_t)(end - line) : *size;

	*text += length + !!end;
	*size -= length + !!end;
	line[length] = '\0';
	if (strlen(line) != length)
		return NULL;
	if (length && line[length - 1] == '\r')
		line[length - 1] = '\0';
	return line;
}

static int check_end(const struct parser *p)
{
	const struct nnsensors_recording *r = p->recording;

	for (uint32_t i = 0; i < r->num_sensors; i++)
		if (!r->sensors[i].name[0] || !r->sensors[i].vendor[0] ||
		    !r->sensors[i].type_string[0])
			return refuse(p, "sensor %d has no name, vendor or type string",
				      (int)r->sensors[i].handle);
	return r->num_sensors ? 0 : refuse(p, "no sensor");
}

static int recording_read_parse(struct parser *p, char *text, size_t size)
{
	char *line;
	int ret = 0;

	while (!ret && (size || !p->line)) {
		p->line++;
		line = cut_line(&text, &size);
		if (!line)
			return refuse(p, "a byte is 0");
		if (p->line > 1)
			ret = parse_line(p, line);
		else if (strcmp(line, NNSENSORS_RECORDING_FIRST_LINE) != 0)
			ret = refuse(p, "a recording begins with \"" NNSENSORS_RECORDING_FIRST_LINE
					"\"");
	}
	return ret ? ret : check_end(p);
}

int nnsensors_recording_parse(char *text, size_t size, struct nnsensors_recording *recording,
			      char *message, size_t message_size)
{
	struct parser p = {
		.recording = recording,
		.message = message,
		.message_size = message_size,
	};
	int ret;

	*recording = (struct nnsensors_recording){ 0 };
	recording->sensors = calloc(NNSENSORS_RECORDING_SENSORS_MAX, sizeof(*recording->sensors));
	ret = recording->sensors ? recording_read_parse(&p, text, size) : -ENOMEM;
	if (ret == -ENOMEM)
		nnutil_refuse(message, message_size, ret, "not enough memory");
	if (ret)
		nnsensors_recording_fini(recording);
	return ret;
}

int nnsensors_recording_read(const char *path, struct nnsensors_recording *recording, char *message,
			     size_t message_size)
{
	size_t size;
	char *text;
	int ret;

	*recording = (struct nnsensors_recording){ 0 };
	ret = nnutil_read_file(path, NNSENSORS_RECORDING_SIZE_MAX, &text, &size);
	if (ret)
		return nnutil_refuse(message, message_size, ret, "%s: %s", path, strerror(-ret));
	ret = nnsensors_recording_parse(text, size, recording, message, message_size);
	free(text);
	return ret;
}

void nnsensors_recording_fini(struct nnsensors_recording *recording)
{
	free(recording->sensors);
	free(recording->events);
	*recording = (struct nnsensors_recording){ 0 };
}
