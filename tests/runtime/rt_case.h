/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of tests. Devices, extensions and configuration of the runtime are fixed for the life of a
 * process, so every case runs in a process of its own: the program starts itself again for each,
 * with the case's environment, and counts the failures. "test NAME..." runs only those cases, each
 * in its own process.
 */
#ifndef RT_CASE_H
#define RT_CASE_H

#include "rt_test.h"

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

/** A folder of this process's own, removed at its end with the files in it; the name is static. */
const char *rt_folder(void);
/** "@folder/@name", static until the next call. */
const char *rt_path(const char *name);
/** The same of a new file: count= of devices in a worker, which makes no files. */
const char *rt_empty_file(const char *name);
/**
 * Lines of a file (count= of a test device) that contain @text; NULL: all. 0: there is no such
 * file.
 */
unsigned int rt_count_lines(const char *path, const char *text);
/** Write a whole file. */
void rt_write_file(const char *path, const void *data, size_t size);

#endif
