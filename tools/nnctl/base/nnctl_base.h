/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, progress, whole files, JSON, long options, views on a terminal. */
#ifndef NNCTL_BASE_H
#define NNCTL_BASE_H

#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

/* message.c: output on standard error: messages, usage errors, progress. */

/* The return value of a command with wrong arguments, instead of an exit code. */
#define USAGE_ERROR (-2)

/** Print "nnctl: ", the message and a newline. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** Until it is called with false, nothing is printed: for attempts that may fail. One thread. */
void complain_quietly(bool on);
/** complain(), and return USAGE_ERROR: main() then prints the command's usage. */
int usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * Progress of work that may take longer than a second. Nothing is shown in the first second, nor
 * when standard error is not a terminal.
 */
struct progress {
	const char *what;
	int64_t start_ns, shown_ns;
};
void progress_start(struct progress *p, const char *what);
void progress_update(struct progress *p, size_t done, size_t total);
void progress_end(struct progress *p);

/* file.c: files as a whole: bytes, and tables of tab-separated values. */

/** Read a whole file of at most @max bytes, with a NUL behind it. malloc'ed; NULL after a
 * complaint. */
void *read_file(const char *path, size_t max, size_t *size);

/** Write a file that @print prints. 0, or -1 after a complaint. */
int file_print(const char *path, void (*print)(FILE *f, const void *cookie), const void *cookie);

/** A table with a header line. */
struct tsv {
	char *text;
	char **cells; /* row by row; row 0 is the header */
	size_t columns, rows; /* rows without the header */
};

/** 0, or -1 after a complaint. With @optional, a missing file is an empty table. */
int tsv_read(struct tsv *t, const char *path, bool optional);
void tsv_free(struct tsv *t);
/** Cell of row @row (0: first after the header) in column @name; "": there is no such cell. */
const char *tsv_get(const struct tsv *t, size_t row, const char *name);
/** The same as a number; 0 when the cell is not one. */
int64_t tsv_get_i64(const struct tsv *t, size_t row, const char *name);
double tsv_get_double(const struct tsv *t, size_t row, const char *name);

/* screen.c: a view on a terminal that is drawn over and over, and how long a command goes on. */

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

/** The name of a user; its number, in @text, if it has none. Valid until the next call. */
const char *user_name(uint32_t uid, char *text, size_t size);

/* json_output.c: output of --json, and members of objects. */

/** Print on standard output, and delete. */
void json_print(cJSON *json);

/** "": there is none, or it is no text. */
const char *json_text(const cJSON *object, const char *name);
/** 0: there is none, or it is no number. */
double json_number(const cJSON *object, const char *name);

/* long_options.c: long options that several commands share, each of which takes some of them. */

/** Whether @name is one of the words of @allowed, which are space separated. */
bool is_allowed(const char *allowed, const char *name);

/**
 * take_long_options() - go through the options of a command line
 * @options: all that there are; each has a value of its own
 * @allowed: the names of those that the command takes
 * @take: takes one, whose value is optarg; 0, or USAGE_ERROR after a complaint
 *
 * Return: 0, and optind is the first argument; USAGE_ERROR after a complaint.
 */
int take_long_options(int argc, char **argv, const struct option *options, const char *allowed,
		      int (*take)(void *cookie, const struct option *option), void *cookie);

/* A suggestion for a name that is mistyped. */

/** Names from this length on are near to none. */
#define NEAREST_MAX 32

/**
 * Edits that make @b of @a: letters that are inserted, removed, replaced, or two that are swapped.
 * NEAREST_MAX: one of them is too long.
 */
size_t name_distance(const char *a, const char *b);

/** The distance up to which @word counts as a mistyped name. */
size_t name_distance_limit(const char *word);

#endif
