/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line asks for: options, the service, sensors. */
#ifndef NNCTL_SENSORS_CHOICE_H
#define NNCTL_SENSORS_CHOICE_H

#include <stdbool.h>

#include "nnsensors.h"

struct choice {
	const char *socket; /* NULL: the default one */
	double rate; /* Hz; 0: not given */
	double seconds; /* 0: not given */
	bool json;
	char **arguments; /* behind the options */
	int num_arguments;
};

/** Parse; @allowed names the part's long options, space separated. 0, or USAGE_ERROR. */
int choice_parse(struct choice *choice, int argc, char **argv, const char *allowed);

/** The service's manager; NULL after a complaint. */
struct nnsensors_manager *choice_open(const struct choice *choice);

/** All sensors, malloc'ed; NULL after a complaint, or with *@count 0. */
struct nnsensors_info *choice_list(struct nnsensors_manager *manager, uint32_t *count);

/**
 * The sensors that @names mean, each a handle, a sensor's name, or a type's name (that is the
 * default sensor of the type, or its first). One row per name, malloc'ed; NULL after a complaint.
 */
struct nnsensors_info *choice_find(struct nnsensors_manager *manager, char **names, int num_names);

/** The sampling period of --rate, or of @otherwise Hz. */
int32_t choice_period_us(const struct choice *choice, double otherwise);

#endif
