/* SPDX-License-Identifier: Apache-2.0 */
/* A firmware in the process: its plugin and its limits. */
#ifndef NNACCEL_INPROC_H
#define NNACCEL_INPROC_H

#include <stddef.h>
#include <stdint.h>

#include "nnfw.h"
#include "nnhal.h"

/* inproc_plugin.c: the firmware as a plugin. */

/** Find and load libnnaccel-fw.so once per process; it stays loaded. 0 or -errno with @message. */
int nnhal_plugin_load(const struct nnfw_plugin **plugin, char *message, size_t size);

/** Say in @info which instructions the operations use, could use, and miss. */
void nnhal_plugin_instructions(const struct nnfw_plugin *plugin, struct nnhal_device_info *info);

/*
 * Memory that the firmware in this process may take: what there is, shared with
 * the application; and stack.
 */

/** Bytes of loaded programs: @mib MiB; 0: half of what the process can have. */
uint64_t nnhal_inproc_quota(unsigned int mib);
/** Bytes of one run's temporaries: 1 GiB, and no more than half of what the process can have. */
uint64_t nnhal_inproc_arena(void);
/**
 * Bytes of the calling thread's stack below the caller. 0: not known, also on a stack that the
 * thread was not started with (that of a coroutine).
 */
size_t nnhal_inproc_stack_left(void);

#endif
