/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks that the vendor library owes. Each is notified exactly once, whatever the library does:
 * its cookie is a number of this table, which the first notification takes out.
 */
#ifndef NNIPC_CALLBACK_TABLE_H
#define NNIPC_CALLBACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/** Most callbacks that wait. */
#define NNIPC_MAX_CALLBACKS 65536u

/** A cookie for the vendor library; NULL: too many wait, or no memory. @callback: the host's. */
void *nnipc_callback_expect(uint64_t callback);
/** The host's number, once; 0: it has been taken. */
uint64_t nnipc_callback_take(void *cookie);
/** Whether any waits. */
bool nnipc_callbacks_wait(void);

#endif
