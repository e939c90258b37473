/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share. Exit codes: 0 done, 1 failed, 2 bad usage. */
#ifndef NNCTL_H
#define NNCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXIT_USAGE 2

struct command {
	const char *name;
	const char *arguments;
	const char *summary;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
};

int cmd_calibrate(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_extensions(int argc, char **argv);
int cmd_ops(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_models_check(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_verify(int argc, char **argv);

/** "nnctl: " and the message and a newline on stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** complain(), then the command's usage; returns EXIT_USAGE. */
int usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Read a whole file of at most @max bytes. malloc'ed, 0-terminated; NULL after a complaint. */
void *read_file(const char *path, size_t max, size_t *size);
/** A number in [min, max]; false when @text is anything else. */
bool parse_number(const char *text, long min, long max, long *value);

/** CLOCK_MONOTONIC, ns. */
int64_t now_ns(void);
/** q-th quantile (0..1) of @count sorted values, nearest rank. */
double quantile(const double *sorted, size_t count, double q);
void sort_doubles(double *values, size_t count);

/**
 * Progress of something that may take longer than a second: nothing is shown before, nor when
 * stderr is not a terminal.
 */
struct progress {
	const char *what;
	int64_t start_ns, shown_ns;
};
void progress_start(struct progress *p, const char *what);
void progress_update(struct progress *p, size_t done, size_t total);
void progress_end(struct progress *p);

#endif
