// SPDX-License-Identifier: Apache-2.0
/* Calls on a connection: one at a time, with a limit, and no trust in the answer. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/nnsensors_client.h"
#include "messages/sensor_messages.h"

struct nnipc_writer *sensor_call_begin(struct sensor_connection *c)
{
	if (sensor_connection_is_dead(c))
		return NULL;
	pthread_mutex_lock(&c->call);
	if (!atomic_load(&c->dead))
		return &c->lane.out;
	pthread_mutex_unlock(&c->call);
	return NULL;
}

void sensor_call_end(struct sensor_connection *c)
{
	nnipc_writer_reset(&c->lane.out);
	nnipc_frame_clear(&c->lane.in);
	pthread_mutex_unlock(&c->call);
}

/* What stands for a call that did not run, or whose answer did not come. */
static enum nnsensors_result call_failed(struct sensor_connection *c, uint32_t method, int error)
{
	char why[96];

	switch (error) {
	case -EOPNOTSUPP:
		return NNSENSORS_INVALID_OPERATION;
	case -EBADMSG:
		return NNSENSORS_UNKNOWN_ERROR;
	case -EMFILE:
	case -ENOMEM:
	case -ENOBUFS:
	case -ETOOMANYREFS:
		/* the lane is as good as before */
		return NNSENSORS_NO_MEMORY;
	case -EPIPE:
		sensor_connection_end(c, NULL);
		return NNSENSORS_NO_INIT;
	case -ESTALE:
		snprintf(why, sizeof(why), "it forgot the object of %s",
			 sensor_method_name(method));
		break;
	case -ETIME:
		snprintf(why, sizeof(why), "%s was not answered in time",
			 sensor_method_name(method));
		break;
	case -EPROTO:
		snprintf(why, sizeof(why), "invalid answer to %s", sensor_method_name(method));
		break;
	default:
		snprintf(why, sizeof(why), "%s: %s", sensor_method_name(method), strerror(-error));
		break;
	}
	sensor_connection_end(c, why);
	return NNSENSORS_NO_INIT;
}

enum nnsensors_result sensor_call_run(struct sensor_connection *c, uint32_t method, uint64_t oid,
				      struct nnipc_reader **results)
{
	struct nnipc_reader *r = &c->lane.in.reader;
	enum nnsensors_result result;
	int ret;

	*results = NULL;
	ret = nnipc_lane_call(&c->lane, method, oid, c->call_ns);
	if (ret)
		return call_failed(c, method, ret);
	result = sensor_get_result(r);
	if (r->error)
		return sensor_call_refuse(c, "an answer without a result");
	*results = r;
	return result;
}

enum nnsensors_result sensor_call_check(struct sensor_connection *c, enum nnsensors_result result,
					struct nnipc_reader *results)
{
	switch (nnipc_reader_end(results)) {
	case 0:
		return result;
	case -ENOMEM:
		return NNSENSORS_NO_MEMORY;
	default:
		return sensor_call_refuse(c, "malformed results");
	}
}

enum nnsensors_result sensor_call_refuse(struct sensor_connection *c, const char *why)
{
	sensor_connection_end(c, why);
	return NNSENSORS_NO_INIT;
}

enum nnsensors_result sensor_call_finish(struct sensor_connection *c, uint32_t method, uint64_t oid)
{
	struct nnipc_reader *results;
	enum nnsensors_result result;

	result = sensor_call_run(c, method, oid, &results);
	if (results)
		result = sensor_call_check(c, result, results);
	sensor_call_end(c);
	return result;
}

void sensor_call_destroy(struct sensor_connection *c, uint32_t method, uint64_t oid)
{
	if (sensor_call_begin(c))
		sensor_call_finish(c, method, oid);
}
