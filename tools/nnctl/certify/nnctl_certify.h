/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "nnctl certify": tests of a device as programs of their own, so that a device that ends one does
 * not end the report. The certificate is a tree of JSON; Documentation/certify.rst has its fields.
 */
#ifndef NNCTL_CERTIFY_H
#define NNCTL_CERTIFY_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* run_program.c: a program, its output, and how it ended. */

struct program_end {
	char *output; /* standard output and error, with a NUL behind; the caller frees it */
	size_t size;
	bool cut; /* the output was longer, and its end is not here */
	bool timed_out; /* it was killed */
	int status; /* of waitpid() */
	double seconds;
};

/**
 * program_run() - run a program to its end
 * @argv: ends with NULL; argv[0] is its path
 * @environment: "NAME=VALUE" each, besides the environment of this process; ends with NULL
 * @limit_s: after so many seconds it is killed, with the processes of its group
 *
 * Return: 0, or -errno if it was not started.
 */
int program_run(char *const argv[], const char *const environment[], unsigned int limit_s,
		struct program_end *end);

/** How a program ended that should have ended with 0: "exit status 3". "": it did. */
const char *program_end_text(const struct program_end *end, char *text, size_t size);

/* tap.c: the Test Anything Protocol, as kselftest's harness and cmocka print it. */

struct tap_counts {
	unsigned int passed, failed, skipped;
	unsigned int planned; /* 0: there was no plan */
};

/**
 * Count the results of @output, and append an object {case, why} for each failure and each test
 * that was left out. @output is changed.
 */
struct tap_counts tap_read(char *output, cJSON *failures, cJSON *skips);

/* certify_steps.c: what is run on a device, in which order. */

struct certify_options {
	const char *device; /* as for nnhal_open() */
	const char *tests; /* folder with kselftest/ and hal/ */
	const char *vectors, *models; /* folders; NULL: none */
	const char *skip; /* names of programs, separated by commas; NULL: none */
	const char *examples; /* folder for the examples that are made */
	const char *jobs; /* of "nnctl verify", a number */
	unsigned int limit_s; /* of one program */
	bool quiet; /* no line for each step */
};

/** Run all, and add "device", "steps" and "coverage" to @certificate. 0, or -1 after a complaint.
 */
int certify_steps(const struct certify_options *o, cJSON *certificate);

/* coverage.c: results by operation and type. */

/** Add the counts of one run of "nnctl verify --by-op --json" to the array @coverage. */
void coverage_add(cJSON *coverage, const cJSON *operations, const char *route);
/** Print the table: passed examples of an operation and a type over all routes. */
void coverage_print(const cJSON *coverage);
/** Combinations of operation and type: those that the device supports, and those of them that
 * failed; returns all. */
unsigned int coverage_count(const cJSON *coverage, unsigned int *supported, unsigned int *failed);

/** A cell of the table, "12", "3 of 12" (failed), "no" (not supported) or "-" (no example). */
enum coverage_cell { CELL_NONE, CELL_UNSUPPORTED, CELL_PASSED, CELL_FAILED };
enum coverage_cell coverage_cell(const cJSON *operation, uint32_t type, char *text, size_t size);

/* verdict.c */

/** Judge: adds "verdict" (passed, failed, incomplete), "reasons" and "totals". True: passed. */
bool certify_judge(cJSON *certificate);

/* certificate_html.c */

/** The certificate as a page, with the SHA-256 of its JSON. 0, or -1 after a complaint. */
int certificate_html_write(const cJSON *certificate, const char *digest, const char *path);

#endif
