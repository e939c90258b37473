// SPDX-License-Identifier: Apache-2.0
#include "serve/sensord_serve.h"

#include <errno.h>
#include <string.h>

#include "messages/sensor_messages.h"
#include "nnutil_log.h"
#include "wire/nnipc_wire.h"

/* 0: the client speaks our version and has our HELLO. */
static int greet(int sock)
{
	struct nnipc_frame f = { .no_calls = true };
	struct nnipc_writer w = { 0 };
	uint32_t lowest, highest;
	bool speaks;
	int ret = nnipc_hello_receive(sock, &f, NNIPC_PATIENCE_NS);

	lowest = nnipc_get_u32(&f.reader);
	highest = nnipc_get_u32(&f.reader);
	if (!ret)
		ret = nnipc_reader_end(&f.reader);
	nnipc_frame_fini(&f);
	if (ret)
		return ret;
	speaks = lowest <= SENSOR_PROTOCOL_VERSION && SENSOR_PROTOCOL_VERSION <= highest;
	nnipc_put_u32(&w, speaks ? SENSOR_PROTOCOL_VERSION : 0);
	nnipc_put_text(&w, speaks ? "" : "this service speaks version 1 only");
	ret = nnipc_hello_send(sock, &w);
	return ret ? ret : speaks ? 0 : -EPROTO;
}

static int call(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
		struct nnipc_writer *out)
{
	return sensor_servant_call(cookie, header, in, out);
}

/* Calls of no method have many descriptors: a client cannot fill the service's table of them. */
static int answer_calls(struct sensor_client *client)
{
	struct nnipc_frame in = { .few_fds = true };
	struct nnipc_writer out = { 0 };
	int ret;

	do
		ret = nnipc_lane_answer(client->peer.sock, call, client, &in, &out);
	while (!ret);
	nnipc_frame_fini(&in);
	nnipc_writer_fini(&out);
	return ret == -EPIPE ? 0 : ret;
}

void client_connection_serve(const struct sensord_config *config, struct nnipc_budget *budget,
			     struct nnipc_user_log *log, const struct nnipc_peer *peer)
{
	struct sensor_client client;
	int ret = greet(peer->sock);

	if (!ret)
		ret = sensor_client_init(&client, config, budget, peer);
	if (ret) {
		nnipc_user_log(log, peer->payer, "client %d of user %u is not served: %s",
			       (int)peer->pid, peer->user, strerror(-ret));
		return;
	}
	nnutil_log(NNUTIL_LOG_DEBUG, "client %d of user %u is served", (int)peer->pid, peer->user);
	client_registry_add(&client);
	ret = answer_calls(&client);
	if (ret)
		nnipc_user_log(log, peer->payer, "client %d of user %u is cut: %s", (int)peer->pid,
			       peer->user, strerror(-ret));
	/* in this order: a client that is not listed any more has nothing left */
	sensor_client_clear(&client);
	client_registry_remove(&client);
	sensor_client_fini(&client);
	nnutil_log(NNUTIL_LOG_DEBUG, "client %d of user %u has ended", (int)peer->pid, peer->user);
}
