// SPDX-License-Identifier: Apache-2.0
/* Notifications to the host. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "messages/nnipc_messages.h"
#include "wire/nnipc_wire.h"

static int control = -1; /* constant after nnipc_notifier_init() */
/* One message at a time on the control socket; the last lock that is taken. */
static pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER;

void nnipc_notifier_init(int sock)
{
	control = sock;
}

void nnipc_notify(uint32_t method, uint64_t callback, struct nnipc_writer *out)
{
	const struct nnipc_header header = { .kind = NNIPC_ONEWAY,
					     .method = method,
					     .oid = callback };
	int ret;

	nnipc_fault_point("before-notify");
	pthread_mutex_lock(&send_lock);
	ret = nnipc_frame_send(control, &header, out);
	pthread_mutex_unlock(&send_lock);
	nnipc_writer_fini(out);
	/* -EPIPE: the worker is about to end, and the host waits for no message */
	if (ret && ret != -EPIPE)
		nnipc_worker_die("%s cannot be sent: %s", nnipc_method_name(method),
				 strerror(-ret));
	nnipc_fault_point("after-notify");
}
