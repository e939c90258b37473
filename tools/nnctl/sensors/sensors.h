/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of "nnctl sensors"; argv[0] is the part's name. Exit code, or USAGE_ERROR. */
#ifndef NNCTL_SENSORS_H
#define NNCTL_SENSORS_H

int sensors_list(int argc, char **argv);
int sensors_watch(int argc, char **argv);
int sensors_record(int argc, char **argv);
int sensors_top(int argc, char **argv);

#endif
