/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of tests. Devices, extensions and configuration of the runtime are fixed for the life of a
 * process, so every case runs in a process of its own: the program starts itself again for each,
 * with the case's environment, and counts the failures. "test NAME..." runs only those cases, each
 * in its own process.
 */
#ifndef RT_CASE_H
#define RT_CASE_H

#include "lines.h"
#include "rt_test.h"
#include "temp.h"

struct rt_case {
	const char *name;
	void (*run)(void **state);
	const char *devices; /* NNHAL_TEST_DEVICES (plugin/testdev.h); NULL: none */
	/* NAME=VALUE, or NAME: unset; ends with NULL; may be NULL */
	const char *const *environment;
};
#define RT_CASE(function, devices)                 \
	{                                          \
#function, function, devices, NULL \
	}
#define RT_CASE_ENV(function, devices, ...)                         \
	{                                                           \
#function, function, devices, (const char *const[]) \
		{                                                   \
			__VA_ARGS__, NULL                           \
		}                                                   \
	}

/** For main(): its exit status. */
int rt_main(int argc, char **argv, const struct rt_case *cases, size_t num_cases);

/** NNHAL_TEST_DEVICES for the calls that follow. */
void rt_devices(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** A new empty file below temp_folder(): count= of devices in a worker, which makes no files. */
const char *rt_empty_file(const char *name);

/* What the runtime writes to stderr. */

/** From now on stderr is the file temp_path("log"), empty at first. */
void rt_listen_begin(void);
/** Until now; the file's path. */
const char *rt_listen_end(void);
/** The same; how many of the lines have @text. */
unsigned int rt_listen_count(const char *text);

#endif
