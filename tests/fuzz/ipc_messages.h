/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target for messages of libnnipc: u32 method, u8 number of descriptors, payload. What is
 * accepted is written and read again: it must be the same then. Whatever happens, no descriptor is
 * left. Who includes this says which values each method's message has.
 */
#ifndef FUZZ_IPC_MESSAGES_H
#define FUZZ_IPC_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include "values.h"

#define IPC_VALUES 6u

/** The values of a method's message: up to IPC_VALUES, or up to V_END. */
struct ipc_layout {
	uint32_t method;
	enum value values[IPC_VALUES];
};

/** Defined by each target: its messages, and the suffix of files of its corpus. */
extern const struct ipc_layout ipc_layouts[];
extern const size_t ipc_num_layouts;
extern const char ipc_suffix[];

#endif
