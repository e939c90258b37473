/* SPDX-License-Identifier: Apache-2.0 */
/* A view on a terminal that is drawn over and over, and how long a command goes on. */
#ifndef NNCTL_SCREEN_H
#define NNCTL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/** Copy a text of another process without what a terminal would take as a command. */
const char *screen_plain(const char *from, char *text, size_t size);

/**
 * struct screen - a view that is drawn over and over, until a signal, the time, or screen_end()
 * @live: on a terminal
 */
struct screen {
	bool live;
	int lines; /* drawn last time */
	int width, height; /* of the terminal: what goes beyond is left out */
	int signals, ended;
	int64_t end_ns; /* CLOCK_MONOTONIC; INT64_MAX: none */
	int keys; /* the terminal that keys come from; -1: none */
	struct termios before; /* of it */
};

/**
 * screen_begin() - from here SIGINT and SIGTERM end the view instead of the program
 * @seconds: 0: without end
 *
 * Before any thread is made: they inherit the blocked signals. Return: 0, or -1 after a complaint.
 */
int screen_begin(struct screen *screen, double seconds);
/**
 * screen_keys() - from here the key q ends a live view, another one draws it anew
 *
 * Without a terminal as standard input, or in the background, nothing changes.
 */
void screen_keys(struct screen *screen);
/** From any thread: screen_wait() returns false. */
void screen_end(struct screen *screen);
/** Wait for at most @ms, or for a key; false: the end has come. */
bool screen_wait(struct screen *screen, int ms);
/** Begin of a drawing over the last one; not live: nothing. */
void screen_draw(struct screen *screen);
/** Print a line of the drawing. */
void screen_line(struct screen *screen, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** A line that only a live view has, emphasized: the names of columns. */
void screen_title(struct screen *screen, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void screen_close(struct screen *screen);

#endif
