// SPDX-License-Identifier: Apache-2.0
/* libnnipc as a vendor library: nnhal_driver, and nnipc_enumerate(). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/nnipc_host.h"
#include "host/nnipc.h"
#include "nnhal.h"
#include "nntrace.h"
#include "nnutil_log.h"
#include "values/nnhal_values.h"

struct finding {
	const char *target;
	int (*found)(void *cookie, const char *spec);
	void *cookie;
};

/* A vendor's specification becomes the whole one. */
static int found_inner(void *cookie, const char *spec)
{
	const struct finding *f = cookie;
	char *whole;
	int ret;

	if (asprintf(&whole, "%s:%s", f->target, spec) < 0)
		return -ENOMEM;
	ret = f->found(f->cookie, whole);
	free(whole);
	return ret;
}

NNHAL_EXPORT int nnipc_enumerate(const char *text, int (*found)(void *cookie, const char *spec),
				 void *cookie, char *message, size_t size)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "nnipc_enumerate");
	struct finding f = { .target = text, .found = found, .cookie = cookie };
	struct nnipc_target target;
	int ret;

	if (!text || !found)
		return nnutil_refuse(message, size, -EINVAL, "no target, or no callback");
	ret = nnipc_target_parse(text, &target, message, size);
	if (ret)
		return ret;
	if (target.spec)
		ret = nnutil_refuse(message, size, -EINVAL,
				    "\"%s\" names one device: leave out \":%s\" to find all", text,
				    target.spec);
	else
		ret = nnipc_connection_enumerate(&target, found_inner, &f, message, size);
	nnipc_target_free(&target);
	return ret;
}

/* NNACCEL_IPC_TARGET, or a worker with the default library. */
static const char *default_target(void)
{
	const char *target = secure_getenv("NNACCEL_IPC_TARGET");

	return target && *target ? target : "worker";
}

static int driver_enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	char message[512] = "";
	int ret = nnipc_enumerate(default_target(), found, cookie, message, sizeof(message));

	/* the client gets no message */
	if (ret && message[0])
		nnutil_log(NNUTIL_LOG_ERROR, "%s: %s", default_target(), message);
	return ret;
}

static int driver_open(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "nnipc_open");
	struct nnipc_target target;
	int ret;

	*dev = NULL;
	if (message && size)
		message[0] = '\0';
	ret = nnipc_target_parse(spec ? spec : default_target(), &target, message, size);
	if (ret)
		return ret;
	ret = nnipc_device_proxy_open(&target, dev, message, size);
	nnipc_target_free(&target);
	return ret;
}

NNHAL_EXPORT const struct nnhal_driver nnhal_driver = {
	.abi_version = NNHAL_ABI_VERSION,
	.size = sizeof(nnhal_driver),
	.name = "nnaccel-ipc",
	.enumerate = driver_enumerate,
	.open = driver_open,
};
