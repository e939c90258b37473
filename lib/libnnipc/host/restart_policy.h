/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a worker may start again: the table of isolation.rst. Times are the caller's, CLOCK_BOOTTIME
 * in ns. No lock. Private to lib/libnnipc/host.
 */
#ifndef NNIPC_RESTART_POLICY_H
#define NNIPC_RESTART_POLICY_H

#include <stddef.h>
#include <stdint.h>

/** Largest value of NNACCEL_WORKER_CRASHES. */
#define NNIPC_MAX_CRASHES 1000u

struct nnipc_restart_policy {
	unsigned int max_crashes; /* in 60 s; one more, and the device is out of service */
	unsigned int crashes; /* length of @at_ns */
	int64_t at_ns[NNIPC_MAX_CRASHES + 1]; /* of the last 60 s before the last crash, in order */
	int64_t offline_until_ns; /* 0: in service */
};

/** A worker crashed. */
void nnipc_restart_crashed(struct nnipc_restart_policy *p, int64_t now_ns);

/**
 * nnipc_restart_wait() - when a worker may start
 * @p: policy
 * @now_ns: time
 * @wait_ns: set to the time until then; 0: now
 *
 * Return: 0; -EAGAIN: too soon after a crash; -EPERM: too many crashes.
 */
int nnipc_restart_wait(struct nnipc_restart_policy *p, int64_t now_ns, int64_t *wait_ns);

/** What nnipc_restart_wait() says, for people: "the next call", "a call in 100 ms or later". */
void nnipc_restart_text(struct nnipc_restart_policy *p, int64_t now_ns, char *text, size_t size);

#endif
