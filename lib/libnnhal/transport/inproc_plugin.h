/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware as a plugin. Private to libnnhal. */
#ifndef NNHAL_PLUGIN_H
#define NNHAL_PLUGIN_H

#include <stddef.h>

#include "nnfw.h"
#include "nnhal.h"

/** Find and load libnnaccel-fw.so once per process; it stays loaded. 0 or -errno with @message. */
int nnhal_plugin_load(const struct nnfw_plugin **plugin, char *message, size_t size);

/** Say in @info which instructions the operations use, could use, and miss. */
void nnhal_plugin_instructions(const struct nnfw_plugin *plugin, struct nnhal_device_info *info);

#endif
