/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a proxied device is a proxy of: a device of a vendor library in a worker process of this
 * client, or a device behind the service.
 *
 *	worker[=LIBRARY][:SPEC]		LIBRARY: path of a vendor library; default: libnnhal's
 *	service[=SOCKET][:SPEC]		SOCKET: path; default: that of nnaccel-hald
 *
 * SPEC is the vendor library's ("cpu", "accel0", "cpu:threads=2"); none: its default device.
 */
#ifndef NNIPC_TARGET_H
#define NNIPC_TARGET_H

#include <stddef.h>

#include "sandbox/sandbox.h"

enum nnipc_how { NNIPC_WORKER, NNIPC_SERVICE };

struct nnipc_target {
	enum nnipc_how how;
	char *path; /* of library or socket; never NULL */
	char *spec; /* NULL: the vendor's default */
};
/** 0; -EINVAL, -ENOENT (no default library), -ENOMEM, with @message. */
int nnipc_target_parse(const char *text, struct nnipc_target *t, char *message, size_t size);
int nnipc_target_copy(struct nnipc_target *to, const struct nnipc_target *from);
void nnipc_target_free(struct nnipc_target *t);
bool nnipc_target_equal(const struct nnipc_target *a, const struct nnipc_target *b);

/**
 * Settings of the host's side, from the environment (not of privileged processes); constant.
 */
struct nnipc_settings {
	const char *worker; /* NNACCEL_WORKER: path of the program; else beside this library */
	const char *profiles; /* NNACCEL_WORKER_PROFILES: folder; else the installed one */
	enum nnipc_sandbox_mode sandbox; /* NNACCEL_WORKER_SANDBOX */
	int64_t call_ns; /* NNACCEL_WORKER_CALL_MS: limit of calls that wait for no work; 30 s */
	/* NNACCEL_WORKER_WORK_MS: limit of executions without a deadline; -1: none, the default */
	int64_t work_ns;
	unsigned int max_crashes; /* NNACCEL_WORKER_CRASHES: in 60 s; 3 */
};
const struct nnipc_settings *nnipc_settings(void);

#endif
