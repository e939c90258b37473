/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start of a program, and what its two short-lived processes do. They share the
 * caller's memory and stop the calling thread meanwhile, as vfork() does: only system calls, no
 * lock, no allocation.
 */
#ifndef NNIPC_SPAWN_START_H
#define NNIPC_SPAWN_START_H

#include "sandbox/sandbox.h"

/* Descriptors of a spawned program. */
#define NNIPC_SOCKET_FD 3
#define NNIPC_STATUS_FD 4 /* the monitor's to the parent */
#define NNIPC_PARENT_FD 5 /* pidfd of the parent */
/** Environment of a spawned program. */
#define NNIPC_SPAWNED "NNIPC_SPAWNED"

/** struct nnipc_last_words - messages on the status socket, in this order */
enum nnipc_word {
	NNIPC_WORD_WORKER = 1, /* of the worker itself, whose pid comes with it */
	NNIPC_WORD_SHUT = 2, /* of the monitor: the worker has let go of it */
	NNIPC_WORD_END = 3 /* of the monitor */
};
struct nnipc_last_words {
	uint32_t word; /* enum nnipc_word */
	union {
		uint32_t layers; /* WORKER: enum nnipc_layer, so far */
		int32_t status; /* END: exit status, or minus the signal */
	};
};

enum nnipc_start_step {
	NNIPC_START_CLONE,
	NNIPC_START_CGROUP,
	NNIPC_START_DESCRIPTORS,
	NNIPC_START_EXEC
};

struct nnipc_start {
	const struct nnipc_spawn_config *config;
	char *const *envp;
	int null, status, parent; /* become 0, NNIPC_STATUS_FD, NNIPC_PARENT_FD */
	char *stack; /* 2 * NNIPC_START_STACK bytes */

	/* set */
	pid_t pid;
	int pidfd; /* -1: none */
	int error; /* errno; 0: it runs */
	enum nnipc_start_step step; /* at which it failed */
};
#define NNIPC_START_STACK 65536

/** All signals are blocked. 0 or @start's error, positive. */
int nnipc_start_run(struct nnipc_start *start);

#endif
