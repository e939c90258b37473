// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <errno.h>

int nnipc_hello_send(int sock, struct nnipc_writer *w)
{
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	int ret = nnipc_frame_send(sock, &header, w);

	nnipc_writer_fini(w);
	return ret;
}

int nnipc_hello_receive(int sock, struct nnipc_frame *f, int64_t timeout_ns)
{
	int ret = nnipc_frame_receive(sock, f, timeout_ns);

	return ret || f->header.kind == NNIPC_HELLO ? ret : -EPROTO;
}

int nnipc_hello_exchange(int sock, struct nnipc_writer *w, struct nnipc_frame *f,
			 int64_t timeout_ns)
{
	int ret = nnipc_hello_send(sock, w);

	/* a service that refuses hangs up, but its reason may be there */
	return ret && ret != -EPIPE ? ret : nnipc_frame_receive(sock, f, timeout_ns);
}
