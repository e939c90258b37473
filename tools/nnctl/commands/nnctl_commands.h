/* SPDX-License-Identifier: Apache-2.0 */
/* A file and a function for each command of nnctl, and what doctor and its like share. */
#ifndef NNCTL_COMMANDS_H
#define NNCTL_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A file and a function for each command of nnctl; argv[0] is the command's name. All return the
 * exit code, or USAGE_ERROR (base/message.c).
 */

int cmd_bench(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_cdi(int argc, char **argv);
int cmd_certify(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_coredump(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_examples(int argc, char **argv);
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

/* findings.c: the lines of "nnctl doctor": what was found, and what to do. */

enum verdict { GOOD, NOTE, BAD };

/** A line; BAD is counted. */
void say(enum verdict verdict, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** What to do about the line before. */
void advise(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** How many lines are BAD. */
unsigned int problems(void);

/* process_check.c: "nnctl doctor" on devices behind other processes. */

struct nnhal_device_info;

/** The layers that the sandbox of a device's worker lacks; "": none, or there is no sandbox. */
const char *missing_layers(const struct nnhal_device_info *info);
/** Start a worker, and say which layers its sandbox has on this machine. */
void check_worker(void);
/** The service nnaccel-hald, and the devices behind it. */
void check_service(void);

/*
 * kernel_probe.c: whether a kernel can load the driver, judged by its configuration and files, not
 * by its version.
 */

enum kernel_answer { KERNEL_UNKNOWN, KERNEL_YES, KERNEL_NO };

enum kernel_module {
	KERNEL_MODULE_NONE, /* not found */
	KERNEL_MODULE_ELSEWHERE, /* for another kernel: @place is its release */
	KERNEL_MODULE_NOT_INDEXED, /* the module's file exists, but depmod has not indexed it */
	KERNEL_MODULE_INCOMPLETE, /* @place, a module that it needs, is missing */
	KERNEL_MODULE_READY, /* modprobe finds it */
	KERNEL_MODULE_LOADED,
};

struct kernel_facts {
	enum kernel_answer accel; /* whether it has DRM accel */
	char by[160]; /* the path that tells */
	char missing[160]; /* options that the driver needs and the kernel lacks; "": none */
	bool loads_modules;
	enum kernel_module module;
	char place[160];
	enum kernel_answer signed_only; /* it loads modules with a signature that it knows, no
					   others */
	enum kernel_answer is_signed; /* the module that modprobe finds */
	bool headers; /* installed, so that the module can be built */
};

/** @root: "" for this machine, or a folder with a copy of its file tree, for tests. */
void kernel_probe(const char *root, const char *release, struct kernel_facts *facts);

/*
 * calibrate.c: whether a device was ever calibrated, for commands that show what follows from it.
 */

enum calibrated {
	CALIBRATED_YES, /* or the reference, whose figures are 1.0 by definition */
	CALIBRATED_NEVER, /* not with this firmware, library and processor */
	CALIBRATED_ELSEWHERE, /* behind another process, which reads the values of the device itself
			       */
	CALIBRATED_UNKNOWN, /* the device does not open, or has no name */
};

/**
 * calibrated() - look up what "nnctl calibrate" has stored; nothing is measured
 * @spec: as for nnhal_open()
 * @path: set to the file that has the values, "" without one; may be NULL
 * @size: of @path
 */
enum calibrated calibrated(const char *spec, char *path, size_t size);

/** What it means that a device was never calibrated: the end of a sentence about it. */
extern const char calibrated_never_means[];
/** "run nnctl calibrate --device accel0", or what keeps that from working. */
const char *calibrated_remedy(const char *spec, char *text, size_t size);

/* node_check.c: what "nnctl doctor" finds out about device nodes. */

/**
 * node_check() - a line for each node: whether it can be opened, and if not, the remedy
 * @bound: cards that the driver is bound to
 */
void node_check(unsigned int bound);
/** Whether there is any node. */
bool node_check_any(void);

#endif
