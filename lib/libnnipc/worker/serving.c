// SPDX-License-Identifier: Apache-2.0
/* After the reply to OPEN: the control socket brings lanes and releases. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <string.h>

#include "messages/nnipc_messages.h"
#include "nnutil_log.h"
#include "wire/nnipc_wire.h"

static void new_lane(struct nnipc_frame *f, struct nnhal_device *device)
{
	int sock = nnipc_get_fd(&f->reader);

	if (nnipc_reader_end(&f->reader))
		nnipc_worker_die("the client sent a malformed lane");
	nnipc_lane_start(sock, device);
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

void nnipc_serving(int sock, struct nnhal_device *device)
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
