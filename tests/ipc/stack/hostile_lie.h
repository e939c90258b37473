/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a worker that lies. Each lie is sent in the place of an honest message that is
 * ready: same socket, header, payload, descriptors.
 */
#ifndef HOSTILE_LIE_H
#define HOSTILE_LIE_H

#include <stdbool.h>

#include "wire/nnipc_wire.h"

/** What NNACCEL_WORKER_FAULT says: "WHERE/LIE". */
struct hostile_plan {
	const char *where, *lie;
};
extern struct hostile_plan hostile_plan;

/** Whether the plan is to tell @lie at @where. */
bool hostile_is(const char *where, const char *lie);

/**
 * Send @w, or the lie of the plan in its place if the plan is about @where. A lie that this file
 * does not know is the caller's: the honest message is sent.
 */
void hostile_send(int sock, const char *where, const struct nnipc_header *header,
		  struct nnipc_writer *w);

/** For ever, or until killed. */
void hostile_hang(void) __attribute__((noreturn));

#endif
