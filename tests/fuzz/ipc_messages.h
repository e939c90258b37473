/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of libnnipc as inputs: u32 method, u8 number of descriptors, payload. What calls and
 * replies have in common; a target says which values each method's message has.
 */
#ifndef FUZZ_IPC_MESSAGES_H
#define FUZZ_IPC_MESSAGES_H

#include "fuzz_target.h"
#include "values.h"

#define IPC_VALUES 6u

/** The values of a method's message: up to IPC_VALUES, or up to V_END. */
struct ipc_layout {
	uint32_t method;
	enum value values[IPC_VALUES];
};

struct ipc_counts {
	uint64_t inputs, unknown, malformed, accepted;
};

/**
 * Read an input as its method's message. What is accepted is written and read again: it must be the
 * same then. Whatever happens, no descriptor is left. Aborts otherwise.
 */
void ipc_message_run(const struct ipc_layout *layouts, size_t count, const uint8_t *data,
		     size_t size, struct ipc_counts *counts);

/** Each method with each sample of its values. */
size_t ipc_message_seeds(const struct ipc_layout *layouts, size_t count, struct fuzz_seed **seeds);
size_t ipc_message_mutate(uint8_t *data, size_t size, uint64_t *random);

/** A number that grows when a descriptor is left open. */
int ipc_lowest_fd(void);

#endif
