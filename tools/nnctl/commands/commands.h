/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file and a function for each command of nnctl; argv[0] is the command's name. All return the
 * exit code, or USAGE_ERROR (base/message.h).
 */
#ifndef NNCTL_COMMANDS_H
#define NNCTL_COMMANDS_H

int cmd_bench(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_cdi(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_coredump(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_extensions(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_models_check(int argc, char **argv);
int cmd_ops(int argc, char **argv);
int cmd_reduce(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_verify(int argc, char **argv);

#endif
