// SPDX-License-Identifier: Apache-2.0
/* IEventQueue. */
#include "core/sensord_core.h"
#include "serve/sensord_serve.h"

#define NS_PER_US 1000ll

static int64_t ns_of_us(int64_t us)
{
	int64_t ns;

	return __builtin_mul_overflow(us, NS_PER_US, &ns) ? INT64_MAX : ns;
}

/* Takes over the reference to the sensor's device. */
static enum nnsensors_result queue_servant_enable(struct sensor_client *client,
						  struct client_object *o, struct sensor *sensor,
						  int64_t period_ns, int64_t latency_ns)
{
	const int32_t handle = sensor->info.handle;
	struct enabled_sensor *entry = enabled_sensors_find(&o->sensors, handle);

	/* what counts is the rate that the client would get */
	if (!permission_allows(&client->config->rules, &client->person, sensor->info.type,
			       sensor_period_for(sensor, period_ns))) {
		device_put(sensor->device);
		return NNSENSORS_PERMISSION_DENIED;
	}
	return client_object_enable(client, o, entry, sensor, handle, period_ns, latency_ns);
}

int serve_queue_enable(struct sensor_client *client, struct client_object *object,
		       struct nnipc_reader *in, struct nnipc_writer *out)
{
	enum nnsensors_result result = NNSENSORS_BAD_VALUE;
	struct sensor_queue_enable args;
	struct sensor *sensor = NULL;
	int ret;

	sensor_get_queue_enable(in, &args);
	ret = nnipc_reader_end(in);
	if (ret)
		return ret;
	if (args.period_us >= 0 && args.latency_us >= 0)
		sensor = sensor_list_get(args.handle);
	if (sensor)
		result = queue_servant_enable(client, object, sensor, ns_of_us(args.period_us),
					      ns_of_us(args.latency_us));
	nnipc_put_u32(out, result);
	return 0;
}

int serve_queue_disable(struct sensor_client *client, struct client_object *object,
			struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct sensor_queue_disable args;
	int ret;

	(void)client;
	sensor_get_queue_disable(in, &args);
	ret = nnipc_reader_end(in);
	if (ret)
		return ret;
	nnipc_put_u32(out, enabled_sensors_stop(&object->sensors, args.handle)
				   ? NNSENSORS_OK
				   : NNSENSORS_BAD_VALUE);
	return 0;
}
