// SPDX-License-Identifier: Apache-2.0
/* HELLO. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "messages/nnipc_messages.h"
#include "nnipc_worker_config.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "wire/nnipc_wire.h"

/* A client that connects and says nothing keeps no worker. */
#define PATIENCE_NS (5 * NNUTIL_NS_PER_S)

static int handshake_receive(int sock, struct nnipc_hello *hello)
{
	struct nnipc_frame f = { 0 };
	int ret = nnipc_hello_receive(sock, &f, PATIENCE_NS);

	if (!ret) {
		nnipc_get_hello(&f.reader, hello); /* the page size: the kernel is the same */
		ret = nnipc_reader_end(&f.reader);
	}
	nnipc_frame_fini(&f);
	return ret;
}

static int handshake_answer(int sock, const char *driver, const char *refusal)
{
	const struct nnipc_welcome welcome = { (uint32_t)sysconf(_SC_PAGESIZE), NNIPC_WORKER_BUILD,
					       driver };
	struct nnipc_writer out = { 0 };

	nnipc_put_u32(&out, refusal ? 0 : NNIPC_VERSION);
	if (refusal)
		nnipc_put_text(&out, refusal);
	else
		nnipc_put_welcome(&out, &welcome);
	return nnipc_hello_send(sock, &out);
}

int nnipc_handshake(int sock, const char *driver, const char *refusal)
{
	struct nnipc_hello hello = { 0 };
	char wrong[96];
	int ret = handshake_receive(sock, &hello);

	if (ret) {
		if (ret != -EPIPE)
			nnutil_log(NNUTIL_LOG_ERROR, "no HELLO of a client: %s", strerror(-ret));
		return ret;
	}
	nnipc_fault_point("before-hello");
	if (!refusal && (hello.least > NNIPC_VERSION || hello.greatest < NNIPC_VERSION)) {
		snprintf(wrong, sizeof(wrong),
			 "the worker speaks version %u of the protocol, the client %u to %u",
			 NNIPC_VERSION, hello.least, hello.greatest);
		nnutil_log(NNUTIL_LOG_ERROR, "%s", wrong);
		refusal = wrong;
	}
	ret = handshake_answer(sock, driver, refusal);
	nnipc_fault_point("after-hello");
	return ret ? ret : refusal ? -EPROTO : 0;
}
