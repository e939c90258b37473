/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects' methods: each reads its arguments, and checks that nothing is left, before it does
 * anything. Returns are those of nnipc_handler.
 */
#ifndef SENSORD_SERVANTS_H
#define SENSORD_SERVANTS_H

#include "serve/sensor_client.h"
#include "wire/nnipc_wire.h"

/** Run a call of a client. */
int sensor_servant_call(struct sensor_client *client, const struct nnipc_header *header,
			struct nnipc_reader *in, struct nnipc_writer *out);

/** A method of an object; @object is NULL for those of the manager. */
typedef int (*sensor_servant)(struct sensor_client *client, struct client_object *object,
			      struct nnipc_reader *in, struct nnipc_writer *out);

/* ISensorManager */
int serve_get_sensor_list(struct sensor_client *client, struct client_object *object,
			  struct nnipc_reader *in, struct nnipc_writer *out);
int serve_get_default_sensor(struct sensor_client *client, struct client_object *object,
			     struct nnipc_reader *in, struct nnipc_writer *out);
int serve_create_ashmem(struct sensor_client *client, struct client_object *object,
			struct nnipc_reader *in, struct nnipc_writer *out);
int serve_create_gralloc(struct sensor_client *client, struct client_object *object,
			 struct nnipc_reader *in, struct nnipc_writer *out);
int serve_create_queue(struct sensor_client *client, struct client_object *object,
		       struct nnipc_reader *in, struct nnipc_writer *out);
int serve_get_clients(struct sensor_client *client, struct client_object *object,
		      struct nnipc_reader *in, struct nnipc_writer *out);
/* IEventQueue */
int serve_queue_enable(struct sensor_client *client, struct client_object *object,
		       struct nnipc_reader *in, struct nnipc_writer *out);
int serve_queue_disable(struct sensor_client *client, struct client_object *object,
			struct nnipc_reader *in, struct nnipc_writer *out);
/* IDirectReportChannel */
int serve_channel_configure(struct sensor_client *client, struct client_object *object,
			    struct nnipc_reader *in, struct nnipc_writer *out);

#endif
