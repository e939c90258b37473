// SPDX-License-Identifier: Apache-2.0
/*
 * A worker's life: enter the sandbox, load the vendor library, HELLO, open the device, close the
 * sandbox, serve, end with the host.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_library.h"
#include "nnutil_log.h"

#include "messages/nnipc_messages.h"
#include "wire/nnipc_wire.h"
#include "worker/nnipc_worker.h"

/* After the reply to OPEN: the control socket brings lanes and releases. */

static void new_lane(struct nnipc_frame *f, struct nnhal_device *device)
{
	struct nnipc_session_lane args;

	nnipc_get_session_lane(&f->reader, &args);
	if (nnipc_reader_end(&f->reader))
		nnipc_worker_die("the client sent a malformed lane");
	nnipc_lane_start(args.sock, device);
}

static void handle(struct nnipc_frame *f, struct nnhal_device *device)
{
	if (f->header.kind == NNIPC_RELEASE) {
		nnipc_fault_point("release");
		if (nnipc_object_release(f->header.oid))
			nnipc_worker_die("the client released an object that it does not have");
	} else if (f->header.kind == NNIPC_ONEWAY && f->header.method == NNIPC_SESSION_LANE) {
		new_lane(f, device);
	} else {
		nnipc_worker_die("the client sent a message of kind %u, method 0x%x, on the "
				 "control socket",
				 f->header.kind, f->header.method);
	}
}

/* Serve until the host hangs up. Then no lane is left, and all objects are destroyed. */
static void worker_serve(int sock, struct nnhal_device *device)
{
	struct nnipc_frame f = { 0 };
	int ret;

	nnipc_notifier_init(sock);
	for (;;) {
		ret = nnipc_frame_receive(sock, &f, -1);
		if (!ret)
			handle(&f, device);
		else if (ret == -EMFILE) /* the client sees the lane's socket hang up */
			nnutil_log(NNUTIL_LOG_ERROR, "no room for the descriptor of a lane");
		else
			break;
	}
	nnipc_frame_fini(&f);
	if (ret != -EPIPE)
		nnipc_worker_die("the client broke the protocol on the control socket: %s",
				 strerror(-ret));
	nnipc_lanes_end();
	nnipc_objects_clear();
}

/* Loading the vendor library of a worker. */

/* The driver of the library @path, which stays loaded; NULL with @message: why not. */
static const struct nnhal_driver *vendor_driver(const char *path, char *message, size_t size)
{
	const struct nnhal_driver *driver;
	void *handle;

	/* all symbols now: after the sandbox has closed, nothing can be loaded */
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		nnutil_refuse(message, size, -ENOENT, "cannot load vendor library %s: %s", path,
			      dlerror());
		return NULL;
	}
	driver = nnutil_library_own(handle, "nnhal_driver");
	if (!driver) {
		nnutil_refuse(message, size, -EINVAL,
			      "%s is not a vendor library: it does not define nnhal_driver", path);
	} else if (driver->abi_version != NNHAL_ABI_VERSION) {
		nnutil_refuse(message, size, -EINVAL,
			      "vendor library %s has nnhal ABI version %u, this worker needs %u: "
			      "install a matching version",
			      path, driver->abi_version, NNHAL_ABI_VERSION);
	} else if (driver->size < sizeof(*driver) || !driver->name || !driver->enumerate ||
		   !driver->open) {
		nnutil_refuse(message, size, -EINVAL,
			      "vendor library %s has an incomplete nnhal_driver table", path);
	} else {
		return driver;
	}
	dlclose(handle);
	return NULL;
}

/* Vendor libraries may stand on libnnhal. Relative to this program: installed, in the build tree.
 */
static const char *const libraries[] = { "../libnnhal.so.2", "../../libnnhal/libnnhal.so.2", NULL };

/* Of the variables that launch/worker_launch.c passes on: those that name files. */
static const struct nnipc_place named[] = {
	{ "$NNACCEL_FIRMWARE", NNIPC_USE_READ },
	{ "$NNACCEL_CALIBRATION", NNIPC_USE_READ },
};
/* Where NNTRACE may lead, without a path of its own. */
static const struct nnipc_place markers[] = {
	{ "/sys/kernel/tracing/trace_marker", NNIPC_USE_WRITE },
	{ "/sys/kernel/debug/tracing/trace_marker", NNIPC_USE_WRITE },
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct nnipc_place places[COUNT(named) + COUNT(markers) + 2];

/* "marker", "marker:PATH", "file:PATH", "auto:PATH": Documentation/tracing.rst. */
static size_t add_trace(size_t count)
{
	const char *target = getenv("NNTRACE");
	const char *path = target ? strchr(target, ':') : NULL;

	if (!target)
		return count;
	memcpy(&places[count], markers, sizeof(markers));
	count += COUNT(markers);
	if (path && path[1] == '/')
		places[count++] = (struct nnipc_place){ path + 1, NNIPC_USE_WRITE };
	return count;
}

/*
 * What a vendor library may open beyond the system's places and its own folder: in @sandbox, for
 * nnipc_sandbox_enter(). The list is static: one sandbox in a process.
 */
static void worker_places(struct nnipc_sandbox *sandbox)
{
	static char folder[PATH_MAX];
	size_t count = COUNT(named);
	char file[PATH_MAX];

	memcpy(places, named, sizeof(named));
	if (nnutil_library_beside(libraries, file, sizeof(file)) && realpath(file, folder)) {
		*strrchr(folder, '/') = '\0';
		places[count++] = (struct nnipc_place){ folder, NNIPC_USE_READ };
	}
	sandbox->num_places = add_trace(count);
	sandbox->places = places;
}

/* The command line of nnaccel-worker. */

#define USAGE                                                                        \
	"usage: nnaccel-worker --library PATH [--sandbox off|learn|default|strict] " \
	"[--profile FILE]\n"                                                         \
	"Started by libnnipc and nnaccel-hald with the client's socket as descriptor 3.\n"

struct worker_options {
	const char *library, *profile; /* profile NULL: none */
	enum nnipc_sandbox_mode mode;
};

static int worker_main_take(struct worker_options *o, int option, const char *value)
{
	switch (option) {
	case 'l':
		o->library = value;
		return 0;
	case 'p':
		o->profile = value;
		return 0;
	case 's':
		return nnipc_sandbox_mode_parse(value, &o->mode);
	default:
		return -EINVAL;
	}
}

/* 0; -EINVAL with a line on standard error. */
static int worker_options(int argc, char **argv, struct worker_options *o)
{
	static const struct option options[] = {
		{ "library", required_argument, NULL, 'l' },
		{ "sandbox", required_argument, NULL, 's' },
		{ "profile", required_argument, NULL, 'p' },
		{ 0 },
	};
	bool valid = true;
	int option;

	*o = (struct worker_options){ .mode = NNIPC_SANDBOX_DEFAULT };
	while (valid && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		valid = !worker_main_take(o, option, optarg);
	if (valid && optind == argc && o->library)
		return 0;
	fputs(USAGE, stderr);
	return -EINVAL;
}

#define SOCKET 3
#define MESSAGE_SIZE 512u

/* NULL with @message: why not. */
static const struct nnhal_driver *worker_main_prepare(const struct worker_options *o,
						      struct nnipc_sandbox *sandbox, char *message,
						      size_t size)
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
	return vendor_driver(o->library, message, size);
}

static int worker_main_serve(const struct nnhal_driver *driver, struct nnipc_sandbox *sandbox)
{
	struct nnhal_device *device;
	int ret = nnipc_opening(SOCKET, driver, sandbox, &device);

	if (ret && ret != -EPIPE)
		nnutil_log(NNUTIL_LOG_ERROR, "the client broke the protocol before OPEN: %s",
			   strerror(-ret));
	if (!ret && device)
		worker_serve(SOCKET, device);
	if (device)
		device->ops->destroy(device);
	return ret && ret != -EPIPE ? 1 : 0;
}

int nnipc_worker_main(int argc, char **argv)
{
	struct worker_options o;
	char message[MESSAGE_SIZE] = "";
	const struct nnhal_driver *driver;
	struct nnipc_sandbox sandbox;
	int ret;

	if (worker_options(argc, argv, &o))
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
	worker_places(&sandbox);
	driver = worker_main_prepare(&o, &sandbox, message, sizeof(message));
	if (!driver)
		nnutil_log(NNUTIL_LOG_ERROR, "%s", message);
	ret = nnipc_handshake(SOCKET, driver ? driver->name : NULL, driver ? NULL : message);
	if (ret)
		return ret == -EPIPE ? 0 : 1;
	ret = worker_main_serve(driver, &sandbox);
	/*
	 * Destructors of the vendor library are not for a sandbox: they may open or start
	 * something, or free what work that still runs uses.
	 */
	if (o.mode != NNIPC_SANDBOX_OFF || nnipc_callbacks_wait())
		_exit(ret);
	return ret;
}
