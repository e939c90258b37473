/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of nnctl sensors: list, watch, record, top. */
#ifndef NNCTL_SENSORS_H
#define NNCTL_SENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"

/* choice.c: what the command line asks for: options, the service, sensors. */

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

/* The parts of "nnctl sensors"; argv[0] is the part's name. Exit code, or USAGE_ERROR. */

int sensors_list(int argc, char **argv);
int sensors_watch(int argc, char **argv);
int sensors_record(int argc, char **argv);
int sensors_top(int argc, char **argv);

/* How sensors and their events look in a table. */

/** Name of a type for a table: "accelerometer", "0x10001". */
const char *sensor_text_type(const struct nnsensors_info *info, char *text, size_t size);
const char *sensor_text_unit(const struct nnsensors_info *info);
/** The values of an event: "0.020 -0.110 9.790". */
const char *sensor_text_values(const struct nnsensors_event *event, char *text, size_t size);

#endif
