/* SPDX-License-Identifier: Apache-2.0 */
/* HELLO, the first message in both directions. The protocol defines its contents. */
#ifndef NNIPC_HELLO_H
#define NNIPC_HELLO_H

#include "wire/frame.h"

/** Send @w as HELLO, and reset it for good. As nnipc_frame_send(). */
int nnipc_hello_send(int sock, struct nnipc_writer *w);
/**
 * Receive the HELLO of a client into @f. As nnipc_frame_receive(); also -EPROTO: it is another
 * message.
 */
int nnipc_hello_receive(int sock, struct nnipc_frame *f, int64_t timeout_ns);
/**
 * The client's side: send @w, and receive into @f what the peer answers first, whatever that is. As
 * nnipc_hello_send() and nnipc_frame_receive().
 */
int nnipc_hello_exchange(int sock, struct nnipc_writer *w, struct nnipc_frame *f,
			 int64_t timeout_ns);

#endif
