// SPDX-License-Identifier: Apache-2.0
/*
 * uhid_sensors [--sensors NAME,...] [--min-interval MS]: a hub of HID sensors, made through
 * /dev/uhid.
 *
 * The kernel's hid-sensor drivers make IIO devices of it, with triggers and buffers. Each sensor
 * reports at the interval that its driver sets, from --min-interval on, while it is powered.
 * Commands on standard input, each answered by a line:
 *
 *   still    the hub lies flat on a table (so it begins)
 *   move     it is shaken, two times a second, and everything else about it changes as well
 *   unplug   it is gone;  plug: it is there again
 *   stop     it is gone, and the program ends; so does the end of the input
 *
 * "plugged" is printed when the kernel has taken it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_text.h"

#define FIELDS_MAX 4u
#define DESCRIPTOR_MAX 4096u
#define COMMAND_MAX 64u
/* Reports that are late by more are left out: the machine did not run this program. */
#define CATCH_UP_NS (200 * NNUTIL_NS_PER_MS)
#define SHAKE_HZ 2.0

/* HID: a usage of the sensor page is 0x0020 with these below */
enum {
	STATE_ALL_EVENTS = 2, /* of the feature report: "all events" is the second of its usages */
	EVENT_DATA_UPDATED = 3,
	STATE_READY = 2,
};

/*
 * A sensor: its values are @factor times the table's unit. @repeat values are in one field, as a
 * quaternion, or each is a field of its own with the next usage.
 */
struct hub_sensor {
	const char *name; /* of the driver's IIO device */
	uint16_t type, usage;
	unsigned int fields, bytes;
	bool repeat;
	uint32_t unit;
	int exponent;
	double factor;
	/* lying still, and what moving adds at its largest, in the unit of the sensor type */
	double still[FIELDS_MAX], moving[FIELDS_MAX];
};

#define METERS_PER_S2 0x11e0
#define G 9.80665

static const struct hub_sensor sensors[] = {
	{ "accel_3d", 0x73, 0x453, 3, 4, false, METERS_PER_S2, -3, 1, { 0, 0, G }, { 6, 2, 4 } },
	/* degrees/s */
	{ "gyro_3d", 0x76, 0x457, 3, 4, false, 0, -3, 180 / M_PI, { 0, 0, 0 }, { 1, 2, 0.5 } },
	{ "gravity", 0x7b, 0x453, 3, 4, false, METERS_PER_S2, -3, 1, { 0, 0, G }, { 1, 1, 0 } },
	/* mG, and the table is in uT */
	{ "magn_3d", 0x83, 0x485, 3, 4, false, 0, -1, 10, { 2, 22.5, -41 }, { 10, 5, 3 } },
	{ "incli_3d", 0x86, 0x47f, 3, 4, false, 0, -2, 1, { 0, 0, 90 }, { 20, 10, 45 } },
	{ "als", 0x41, 0x4d1, 1, 4, false, 0, -1, 1, { 320 }, { 200 } },
	/* bar, and the table is in hPa */
	{ "press", 0x31, 0x431, 1, 4, false, 0, -5, 0.001, { 1013.25 }, { 3 } },
	{ "temperature", 0x33, 0x434, 1, 4, false, 0, -2, 1, { 21.5 }, { 2 } },
	/* whether a person is near */
	{ "prox", 0x11, 0x4b1, 1, 1, false, 0, 0, 1, { 0 }, { 1 } },
	{ "dev_rotation", 0x8a, 0x483, 4, 2, true, 0, -4, 1, { 0, 0, 0, 1 }, { 0.3, 0, 0.1, 0 } },
	{ "relative_orientation",
	  0x8e,
	  0x483,
	  4,
	  2,
	  true,
	  0,
	  -4,
	  1,
	  { 0, 0, 0, 1 },
	  { 0.3, 0, 0, 0 } },
	{ "geomagnetic_orientation",
	  0xc1,
	  0x483,
	  4,
	  2,
	  true,
	  0,
	  -4,
	  1,
	  { 0, 0, 0, 1 },
	  { 0, 0.3, 0, 0 } },
};
#define NUM_SENSORS (sizeof(sensors) / sizeof(sensors[0]))

struct __attribute__((packed)) feature {
	uint8_t id, state, power;
	uint32_t interval_ms;
	uint16_t sensitivity;
};

struct state {
	bool there;
	struct feature feature;
	int64_t due_ns;
};

static struct hub {
	int fd, timer;
	bool plugged, open, moves;
	int64_t moves_since;
	uint32_t min_interval_ms;
	struct state states[NUM_SENSORS];
} hub = { .fd = -1, .timer = -1, .min_interval_ms = 1 };

/* ---- the report descriptor ---- */

struct descriptor {
	uint8_t bytes[DESCRIPTOR_MAX];
	unsigned int size;
};

/* An item: its tag and type, with the shortest data that holds @value; @bytes 4: all of it. */
static void item(struct descriptor *d, uint8_t tag, uint32_t value, unsigned int bytes)
{
	unsigned int code = bytes == 4 ? 3 : bytes;

	if (d->size + 1 + bytes > sizeof(d->bytes))
		abort();
	d->bytes[d->size++] = (uint8_t)(tag | code);
	for (unsigned int i = 0; i < bytes; i++)
		d->bytes[d->size++] = (uint8_t)(value >> 8 * i);
}

static void usage(struct descriptor *d, uint16_t value)
{
	item(d, 0x08, value, 2);
}

static void begin(struct descriptor *d, uint8_t kind)
{
	item(d, 0xa0, kind, 1);
}

static void end(struct descriptor *d)
{
	item(d, 0xc0, 0, 0);
}

static void sized(struct descriptor *d, uint32_t min, uint32_t max, unsigned int bits,
		  unsigned int count)
{
	item(d, 0x14, min, 4);
	item(d, 0x24, max, 4);
	item(d, 0x74, bits, 1);
	item(d, 0x94, count, 1);
}

/* One of several usages, that of its number: a logical collection around an array. */
static void choice(struct descriptor *d, uint16_t of, uint16_t first, unsigned int count,
		   bool is_feature)
{
	usage(d, of);
	sized(d, 0, count - 1, 8, 1);
	begin(d, 0x02);
	for (unsigned int i = 0; i < count; i++)
		usage(d, (uint16_t)(first + i));
	item(d, is_feature ? 0xb0 : 0x80, 0x00, 1);
	end(d);
}

/* Unit and exponent are global items: what one sensor sets holds for the next one. */
static void unit(struct descriptor *d, uint32_t value, int exponent)
{
	item(d, 0x64, value, value > 0xff ? 2 : 1);
	item(d, 0x54, (uint32_t)exponent & 0xf, 1);
}

static void describe_sensor(struct descriptor *d, const struct hub_sensor *s, uint8_t id)
{
	uint32_t limit = s->bytes == 4 ? INT32_MAX : (1u << (8 * s->bytes - 1)) - 1;

	item(d, 0x84, id, 1);
	item(d, 0x04, 0x20, 1);
	usage(d, s->type);
	begin(d, 0x00);
	unit(d, 0, 0);
	choice(d, 0x316, 0x840, 6, true); /* reporting state */
	choice(d, 0x319, 0x850, 6, true); /* power state */
	usage(d, 0x30e); /* report interval, ms */
	sized(d, 0, INT32_MAX, 32, 1);
	item(d, 0xb0, 0x02, 1);
	usage(d, 0x30f); /* sensitivity */
	sized(d, 0, INT16_MAX, 16, 1);
	item(d, 0xb0, 0x02, 1);
	choice(d, 0x201, 0x800, 7, false); /* state */
	choice(d, 0x202, 0x810, 6, false); /* event */
	unit(d, s->unit, s->exponent);
	for (unsigned int i = 0; i < (s->repeat ? 1 : s->fields); i++) {
		usage(d, (uint16_t)(s->usage + i));
		sized(d, (uint32_t) - (int32_t)limit, limit, 8 * s->bytes,
		      s->repeat ? s->fields : 1);
		item(d, 0x80, 0x02, 1);
	}
	end(d);
}

static void describe(struct descriptor *d)
{
	d->size = 0;
	item(d, 0x04, 0x20, 1);
	item(d, 0x08, 0x01, 1);
	begin(d, 0x01);
	for (unsigned int i = 0; i < NUM_SENSORS; i++)
		if (hub.states[i].there)
			describe_sensor(d, &sensors[i], (uint8_t)(i + 1));
	end(d);
}

/* ---- reports ---- */

static bool put(const struct uhid_event *event)
{
	if (write(hub.fd, event, sizeof(*event)) == (ssize_t)sizeof(*event))
		return true;
	fprintf(stderr, "uhid: %s\n", strerror(errno));
	return false;
}

/* An input report as bytes: identity, state, event, values. */
static unsigned int sample(unsigned int index, int64_t now, uint8_t *bytes)
{
	const struct hub_sensor *s = &sensors[index];
	double phase = hub.moves ? sin(2 * M_PI * SHAKE_HZ * (double)(now - hub.moves_since) / 1e9)
				 : 0;
	unsigned int size = 0;

	bytes[size++] = (uint8_t)(index + 1);
	bytes[size++] = STATE_READY;
	bytes[size++] = EVENT_DATA_UPDATED;
	for (unsigned int i = 0; i < s->fields; i++) {
		double value = (s->still[i] + s->moving[i] * phase) * s->factor;
		int32_t raw = (int32_t)lround(value * pow(10, -s->exponent));

		for (unsigned int b = 0; b < s->bytes; b++)
			bytes[size++] = (uint8_t)((uint32_t)raw >> 8 * b);
	}
	return size;
}

static void report(unsigned int index, int64_t now)
{
	struct uhid_event event = { .type = UHID_INPUT2 };

	event.u.input2.size = (uint16_t)sample(index, now, event.u.input2.data);
	put(&event);
}

static bool is_on(const struct state *s)
{
	return s->there && hub.plugged && hub.open && s->feature.state == STATE_ALL_EVENTS;
}

static int64_t interval_ns(const struct state *s)
{
	return s->feature.interval_ms * NNUTIL_NS_PER_MS;
}

static void schedule(void)
{
	struct itimerspec when = { 0 };
	int64_t next = INT64_MAX;

	for (unsigned int i = 0; i < NUM_SENSORS; i++)
		if (is_on(&hub.states[i]) && hub.states[i].due_ns < next)
			next = hub.states[i].due_ns;
	if (next != INT64_MAX)
		when.it_value = nnutil_timespec(next);
	timerfd_settime(hub.timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void report_due(void)
{
	int64_t now = nnutil_monotonic_ns();
	uint64_t expired;

	if (read(hub.timer, &expired, sizeof(expired)) < 0 && errno != EAGAIN)
		return;
	for (unsigned int i = 0; i < NUM_SENSORS; i++) {
		struct state *s = &hub.states[i];

		if (!is_on(s))
			continue;
		if (now - s->due_ns > CATCH_UP_NS)
			s->due_ns = now;
		for (; s->due_ns <= now; s->due_ns += interval_ns(s))
			report(i, s->due_ns);
	}
	schedule();
}

/* ---- what the kernel asks ---- */

static void get_report(const struct uhid_get_report_req *request)
{
	struct uhid_event answer = { .type = UHID_GET_REPORT_REPLY };
	struct uhid_get_report_reply_req *reply = &answer.u.get_report_reply;
	unsigned int index = request->rnum - 1u;

	reply->id = request->id;
	if (index >= NUM_SENSORS || !hub.states[index].there) {
		reply->err = EIO;
	} else if (request->rtype == UHID_FEATURE_REPORT) {
		memcpy(reply->data, &hub.states[index].feature, sizeof(struct feature));
		reply->size = sizeof(struct feature);
	} else {
		reply->size = (uint16_t)sample(index, nnutil_monotonic_ns(), reply->data);
	}
	put(&answer);
}

static void set_report(const struct uhid_set_report_req *request)
{
	struct uhid_event answer = { .type = UHID_SET_REPORT_REPLY };
	struct feature wanted;
	struct state *s;
	bool was_on;

	answer.u.set_report_reply.id = request->id;
	memcpy(&wanted, request->data, sizeof(wanted));
	if (request->size < sizeof(wanted) || wanted.id - 1u >= NUM_SENSORS ||
	    !hub.states[wanted.id - 1].there) {
		answer.u.set_report_reply.err = EIO;
		put(&answer);
		return;
	}
	s = &hub.states[wanted.id - 1];
	was_on = is_on(s);
	if (wanted.interval_ms < hub.min_interval_ms)
		wanted.interval_ms = hub.min_interval_ms;
	if (!was_on || wanted.interval_ms != s->feature.interval_ms)
		s->due_ns = nnutil_monotonic_ns() + wanted.interval_ms * NNUTIL_NS_PER_MS;
	s->feature = wanted;
	put(&answer);
	schedule();
}

static void attend(void)
{
	struct uhid_event event;

	if (read(hub.fd, &event, sizeof(event)) <= 0)
		return;
	switch (event.type) {
	case UHID_START:
		printf("plugged\n");
		break;
	case UHID_OPEN:
		hub.open = true;
		for (unsigned int i = 0; i < NUM_SENSORS; i++)
			hub.states[i].due_ns = nnutil_monotonic_ns() + interval_ns(&hub.states[i]);
		schedule();
		break;
	case UHID_CLOSE:
		hub.open = false;
		schedule();
		break;
	case UHID_GET_REPORT:
		get_report(&event.u.get_report);
		break;
	case UHID_SET_REPORT:
		set_report(&event.u.set_report);
		break;
	default:
		break;
	}
}

/* ---- commands ---- */

static bool plug(void)
{
	struct uhid_event event = { .type = UHID_CREATE2 };
	struct descriptor d;

	if (hub.plugged)
		return true;
	describe(&d);
	snprintf((char *)event.u.create2.name, sizeof(event.u.create2.name),
		 "nnaccel test sensor hub");
	memcpy(event.u.create2.rd_data, d.bytes, d.size);
	event.u.create2.rd_size = (uint16_t)d.size;
	event.u.create2.bus = 0x03;
	event.u.create2.vendor = 0x1234;
	event.u.create2.product = 0x5678;
	for (unsigned int i = 0; i < NUM_SENSORS; i++)
		hub.states[i].feature = (struct feature){ .id = (uint8_t)(i + 1),
							  .state = 1,
							  .power = 2,
							  .interval_ms = 100,
							  .sensitivity = 1 };
	hub.plugged = put(&event);
	return hub.plugged;
}

static bool unplug(void)
{
	struct uhid_event event = { .type = UHID_DESTROY };

	if (!hub.plugged)
		return true;
	hub.plugged = hub.open = false;
	schedule();
	return put(&event);
}

/* False: the end. */
static bool obey(const char *command)
{
	bool done = true;

	if (!strcmp(command, "move")) {
		hub.moves_since = nnutil_monotonic_ns();
		hub.moves = true;
	} else if (!strcmp(command, "still")) {
		hub.moves = false;
	} else if (!strcmp(command, "unplug")) {
		done = unplug();
	} else if (!strcmp(command, "plug")) {
		done = plug();
	} else if (!strcmp(command, "stop")) {
		unplug();
		printf("ok stop\n");
		return false;
	} else {
		done = false;
	}
	printf("%s %s\n", done ? "ok" : "failed", command);
	return true;
}

/* Lines of standard input, as far as they are there. False: the end. */
static bool listen_in(void)
{
	static char line[COMMAND_MAX];
	static size_t used;
	char *newline;
	ssize_t got = read(STDIN_FILENO, line + used, sizeof(line) - 1 - used);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (got <= 0)
		return false;
	used += (size_t)got;
	line[used] = '\0';
	while ((newline = strchr(line, '\n'))) {
		*newline = '\0';
		if (!obey(line))
			return false;
		used -= (size_t)(newline + 1 - line);
		memmove(line, newline + 1, used + 1);
	}
	return used < sizeof(line) - 1;
}

static bool choose(char *names)
{
	char *rest = NULL;

	for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		bool found = false;

		for (unsigned int i = 0; i < NUM_SENSORS; i++)
			if (!strcmp(sensors[i].name, name))
				found = hub.states[i].there = true;
		if (!found) {
			fprintf(stderr, "there is no sensor \"%s\"\n", name);
			return false;
		}
	}
	return true;
}

static bool parse(int argc, char **argv)
{
	bool chosen = false;
	uint64_t number;

	for (int i = 1; i < argc; i += 2) {
		if (i + 1 == argc)
			return false;
		if (!strcmp(argv[i], "--sensors")) {
			chosen = true;
			if (!choose(argv[i + 1]))
				return false;
		} else if (!strcmp(argv[i], "--min-interval") &&
			   !nnutil_parse_u64(argv[i + 1], 10, 1, 10000, &number)) {
			hub.min_interval_ms = (uint32_t)number;
		} else {
			return false;
		}
	}
	for (unsigned int i = 0; i < NUM_SENSORS && !chosen; i++)
		hub.states[i].there = true;
	return true;
}

int main(int argc, char **argv)
{
	struct pollfd fds[3] = { { .fd = STDIN_FILENO, .events = POLLIN } };
	bool goes_on = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!parse(argc, argv)) {
		fprintf(stderr, "usage: uhid_sensors [--sensors NAME,...] [--min-interval MS]\n");
		return 2;
	}
	hub.fd = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	hub.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (hub.fd < 0 || hub.timer < 0) {
		fprintf(stderr, "/dev/uhid: %s\n", strerror(errno));
		return 1;
	}
	if (!plug())
		return 1;
	fds[1] = (struct pollfd){ .fd = hub.fd, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = hub.timer, .events = POLLIN };
	while (goes_on && (poll(fds, 3, -1) >= 0 || errno == EINTR)) {
		if (fds[1].revents)
			attend();
		if (fds[2].revents)
			report_due();
		if (fds[0].revents)
			goes_on = listen_in();
	}
	unplug();
	return 0;
}
