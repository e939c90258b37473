/* SPDX-License-Identifier: Apache-2.0 */
/* Long options that several commands share, each of which takes some of them. */
#ifndef NNCTL_LONG_OPTIONS_H
#define NNCTL_LONG_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

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

#endif
