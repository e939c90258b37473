/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a kernel can load the driver, judged by its configuration and files, not by its version.
 */
#ifndef NNCTL_KERNEL_PROBE_H
#define NNCTL_KERNEL_PROBE_H

#include <stdbool.h>

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

#endif
