/* SPDX-License-Identifier: Apache-2.0 */
/* How sensors look on a terminal, and how long a command goes on. */
#ifndef NNCTL_SENSORS_SCREEN_H
#define NNCTL_SENSORS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"

/** Name of a type for a table: "accelerometer", "0x10001". */
const char *screen_type(const struct nnsensors_info *info, char *text, size_t size);
const char *screen_unit(const struct nnsensors_info *info);
/** Copy a text of the service without what a terminal would take as a command. */
const char *screen_plain(const char *from, char *text, size_t size);
/** The values of an event: "0.020 -0.110 9.790". */
const char *screen_values(const struct nnsensors_event *event, char *text, size_t size);

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
};

/**
 * screen_begin() - from here SIGINT and SIGTERM end the view instead of the program
 * @seconds: 0: without end
 *
 * Before any thread is made: they inherit the blocked signals. Return: 0, or -1 after a complaint.
 */
int screen_begin(struct screen *screen, double seconds);
/** From any thread: screen_wait() returns false. */
void screen_end(struct screen *screen);
/** Wait for at most @ms; false: the end has come. */
bool screen_wait(struct screen *screen, int ms);
/** Begin of a drawing over the last one; not live: nothing. */
void screen_draw(struct screen *screen);
/** Print a line of the drawing. */
void screen_line(struct screen *screen, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void screen_close(struct screen *screen);

#endif
