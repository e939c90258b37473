// SPDX-License-Identifier: Apache-2.0
#include "sensors/screen.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/message.h"
#include "nnutil_clock.h"
#include "nnutil_io.h"
#include "nnutil_signals.h"
#include "values/sensor_types.h"

const char *screen_type(const struct nnsensors_info *info, char *text, size_t size)
{
	const struct sensor_type *row = nnsensors_type_row(info->type);

	if (row && info->type < NNSENSORS_TYPE_PRIVATE_BASE)
		return row->name;
	snprintf(text, size, "0x%" PRIx32, (uint32_t)info->type);
	return text;
}

const char *screen_unit(const struct nnsensors_info *info)
{
	const struct sensor_type *row = nnsensors_type_row(info->type);

	return row ? row->unit : "";
}

const char *screen_plain(const char *from, char *text, size_t size)
{
	size_t i;

	for (i = 0; from[i] && i + 1 < size; i++)
		text[i] = (unsigned char)from[i] < ' ' || from[i] == 0x7f ? '?' : from[i];
	text[i] = '\0';
	return text;
}

const char *screen_values(const struct nnsensors_event *event, char *text, size_t size)
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

int screen_begin(struct screen *screen, double seconds)
{
	*screen = (struct screen){ .live = isatty(STDOUT_FILENO) };
	screen->signals = nnutil_signals_ends();
	screen->ended = eventfd(0, EFD_CLOEXEC);
	if (screen->signals < 0 || screen->ended < 0) {
		complain("signals: %s", strerror(errno));
		screen_close(screen);
		return -1;
	}
	screen->end_ns = seconds > 0 ? nnutil_monotonic_ns() + (int64_t)(seconds * 1e9) : INT64_MAX;
	return 0;
}

void screen_end(struct screen *screen)
{
	nnutil_write_all(screen->ended, &(uint64_t){ 1 }, sizeof(uint64_t));
}

bool screen_wait(struct screen *screen, int ms)
{
	const int64_t left = screen->end_ns - nnutil_monotonic_ns();
	struct pollfd fds[] = { { .fd = screen->signals, .events = POLLIN },
				{ .fd = screen->ended, .events = POLLIN } };
	int ret;

	if (left <= 0)
		return false;
	if (screen->end_ns != INT64_MAX && left / NNUTIL_NS_PER_MS < ms)
		ms = (int)(left / NNUTIL_NS_PER_MS) + 1;
	ret = poll(fds, 2, ms);
	return !ret && nnutil_monotonic_ns() < screen->end_ns;
}

void screen_draw(struct screen *screen)
{
	struct winsize size;

	if (screen->live && screen->lines)
		printf("\033[%dA\033[J", screen->lines);
	screen->lines = 0;
	screen->width = screen->height = INT_MAX;
	if (screen->live && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col &&
	    size.ws_row > 1) {
		screen->width = size.ws_col;
		screen->height = size.ws_row - 1;
	}
}

void screen_line(struct screen *screen, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	if (screen->lines == screen->height)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	printf("%.*s\n", screen->width, line);
	screen->lines++;
}

void screen_close(struct screen *screen)
{
	if (screen->signals >= 0)
		close(screen->signals);
	if (screen->ended >= 0)
		close(screen->ended);
	screen->signals = screen->ended = -1;
}
