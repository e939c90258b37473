// SPDX-License-Identifier: Apache-2.0
/*
 * A worker's life: enter the sandbox, load the vendor library, HELLO, open the device, close the
 * sandbox, serve, end with the host.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_log.h"
#include "worker/nnipc_worker.h"

#define SOCKET 3
#define MESSAGE_SIZE 512u

/* NULL with @message: why not. */
static const struct nnhal_driver *prepare(const struct nnipc_worker_options *o,
					  struct nnipc_sandbox *sandbox, char *message, size_t size)
{
	int ret = nnipc_sandbox_enter(sandbox, message, size);

	if (ret)
		return NULL;
	ret = nnipc_hang_up_watch(SOCKET);
	if (ret) {
		nnutil_refuse(message, size, ret, "the worker has no thread: %s", strerror(-ret));
		return NULL;
	}
	/* a fence crosses to the client at once; without it a launch would take as long as the work
	 */
	setenv("NNACCEL_FENCES", "1", 0);
	return nnipc_vendor_driver(o->library, message, size);
}

static int serve(const struct nnhal_driver *driver, struct nnipc_sandbox *sandbox)
{
	struct nnhal_device *device;
	int ret = nnipc_opening(SOCKET, driver, sandbox, &device);

	if (ret && ret != -EPIPE)
		nnutil_log(NNUTIL_LOG_ERROR, "the client broke the protocol before OPEN: %s",
			   strerror(-ret));
	if (!ret && device)
		nnipc_serving(SOCKET, device);
	if (device)
		device->ops->destroy(device);
	return ret && ret != -EPIPE ? 1 : 0;
}

int nnipc_worker_main(int argc, char **argv)
{
	struct nnipc_worker_options o;
	char message[MESSAGE_SIZE] = "";
	const struct nnhal_driver *driver;
	struct nnipc_sandbox sandbox;
	int ret;

	if (nnipc_worker_options(argc, argv, &o))
		return 2;
	if (!nnipc_is_packet_socket(SOCKET) || fcntl(SOCKET, F_SETFD, FD_CLOEXEC)) {
		nnutil_log(NNUTIL_LOG_ERROR, "descriptor %d is not the client's socket", SOCKET);
		return 2;
	}
	/* SIGPIPE of a closed log must not end the worker */
	signal(SIGPIPE, SIG_IGN);
	nnipc_bus_error_watch();
	sandbox = (struct nnipc_sandbox){ .mode = o.mode,
					  .library = o.library,
					  .profile = o.profile };
	nnipc_worker_places(&sandbox);
	driver = prepare(&o, &sandbox, message, sizeof(message));
	if (!driver)
		nnutil_log(NNUTIL_LOG_ERROR, "%s", message);
	ret = nnipc_handshake(SOCKET, driver ? driver->name : NULL, driver ? NULL : message);
	if (ret)
		return ret == -EPIPE ? 0 : 1;
	ret = serve(driver, &sandbox);
	/*
	 * Destructors of the vendor library are not for a sandbox: they may open or start
	 * something, or free what work that still runs uses.
	 */
	if (o.mode != NNIPC_SANDBOX_OFF || nnipc_callbacks_wait())
		_exit(ret);
	return ret;
}
