// SPDX-License-Identifier: Apache-2.0
/* What commands print on standard output: views on a terminal, names of users, JSON. */
#include "base/nnctl_base.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "nnutil_process.h"
#include "nnutil_text.h"

const char *screen_plain(const char *from, char *text, size_t size)
{
	nnutil_text_copy(text, size, from, strnlen(from, size));
	return text;
}

int screen_begin(struct screen *screen, double seconds)
{
	*screen = (struct screen){ .live = isatty(STDOUT_FILENO), .keys = -1 };
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

void screen_keys(struct screen *screen)
{
	struct termios now;

	if (!screen->live || tcgetattr(STDIN_FILENO, &screen->before) ||
	    tcgetpgrp(STDIN_FILENO) != getpgrp())
		return;
	now = screen->before;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	if (!tcsetattr(STDIN_FILENO, TCSANOW, &now))
		screen->keys = STDIN_FILENO;
}

static void give_keys_back(struct screen *screen)
{
	if (screen->keys >= 0)
		tcsetattr(screen->keys, TCSANOW, &screen->before);
	screen->keys = -1;
}

/* Whether the key ends the view. */
static bool read_key(struct screen *screen)
{
	char key;

	if (read(screen->keys, &key, 1) != 1) {
		give_keys_back(screen); /* the terminal is gone */
		return false;
	}
	return key == 'q' || key == 'Q';
}

bool screen_wait(struct screen *screen, int ms)
{
	const int64_t left = screen->end_ns - nnutil_monotonic_ns();
	struct pollfd fds[] = { { .fd = screen->signals, .events = POLLIN },
				{ .fd = screen->ended, .events = POLLIN },
				{ .fd = screen->keys, .events = POLLIN } };
	int ret;

	if (left <= 0)
		return false;
	if (screen->end_ns != INT64_MAX && left / NNUTIL_NS_PER_MS < ms)
		ms = (int)(left / NNUTIL_NS_PER_MS) + 1;
	ret = poll(fds, 3, ms);
	/* stopped, and continued */
	if (ret < 0 && errno == EINTR)
		return true;
	if (ret < 0 || fds[0].revents || fds[1].revents || (fds[2].revents && read_key(screen)))
		return false;
	return nnutil_monotonic_ns() < screen->end_ns;
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

void screen_title(struct screen *screen, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	if (!screen->live || screen->lines == screen->height)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	printf("\033[1m%.*s\033[0m\n", screen->width, line);
	screen->lines++;
}

void screen_close(struct screen *screen)
{
	give_keys_back(screen);
	if (screen->signals >= 0)
		close(screen->signals);
	if (screen->ended >= 0)
		close(screen->ended);
	screen->signals = screen->ended = -1;
}

const char *user_name(uint32_t uid, char *text, size_t size)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		return user->pw_name;
	snprintf(text, size, "%" PRIu32, uid);
	return text;
}
