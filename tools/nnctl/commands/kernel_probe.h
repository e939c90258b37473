/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a kernel can take the driver: by what it has and says of itself, not by its version. */
#ifndef NNCTL_KERNEL_PROBE_H
#define NNCTL_KERNEL_PROBE_H

#include <stdbool.h>

enum kernel_answer { KERNEL_UNKNOWN, KERNEL_YES, KERNEL_NO };

enum kernel_module {
	KERNEL_MODULE_NONE, /* nowhere */
	KERNEL_MODULE_ELSEWHERE, /* for another kernel: @place is its release */
	KERNEL_MODULE_NOT_INDEXED, /* the file is there, depmod has not seen it */
	KERNEL_MODULE_INCOMPLETE, /* a module that it needs is not there: @place */
	KERNEL_MODULE_READY, /* modprobe finds it */
	KERNEL_MODULE_LOADED,
};

struct kernel_facts {
	enum kernel_answer accel; /* DRM accel, which the driver is a part of */
	char by[160]; /* how that is known: a path */
	char missing[160]; /* options that the driver needs and the configuration has off; "" */
	bool loads_modules;
	enum kernel_module module;
	char place[160];
	bool headers; /* the module can be built here */
};

/** @root: "" for this machine, or a folder that looks like one. */
void kernel_probe(const char *root, const char *release, struct kernel_facts *facts);

#endif
