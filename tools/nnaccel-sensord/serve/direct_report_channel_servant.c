// SPDX-License-Identifier: Apache-2.0
/* IDirectReportChannel. */
#include "core/sensord_core.h"
#include "serve/sensord_serve.h"

/* Handle of "all sensors", with STOP. */
#define ALL (-1)

static uint32_t highest_level(const struct sensor *sensor)
{
	return (sensor->info.flags & NNSENSORS_FLAG_DIRECT_REPORT_MASK) >>
	       NNSENSORS_FLAG_DIRECT_REPORT_SHIFT;
}

static bool has_direct_report(const struct client_object *o, const struct sensor *sensor)
{
	const uint32_t kind = o->memory == CHANNEL_ASHMEM ? NNSENSORS_FLAG_DIRECT_ASHMEM
							  : NNSENSORS_FLAG_DIRECT_GRALLOC;

	return highest_level(sensor) && sensor->info.flags & kind;
}

/* One that no sensor of the channel has: it stays a sensor's until STOP. */
static int32_t new_token(struct client_object *o)
{
	do
		o->last_token = o->last_token == INT32_MAX ? 1 : o->last_token + 1;
	while (enabled_sensors_find_token(&o->sensors, o->last_token));
	return o->last_token;
}

/* Start, or go on at another rate with the same token. Takes over the reference to the device. */
static enum nnsensors_result channel_servant_start(struct sensor_client *client,
						   struct client_object *o, struct sensor *sensor,
						   int64_t period_ns, int32_t *token)
{
	struct enabled_sensor *entry = enabled_sensors_find(&o->sensors, sensor->info.handle);
	const int32_t given = entry ? entry->subscription.token : new_token(o);
	const enum nnsensors_result result =
		client_object_enable(client, o, entry, sensor, given, period_ns, 0);

	if (result == NNSENSORS_OK)
		*token = given;
	return result;
}

/* Whether the client may have the sensor at @level, which is not STOP: *@period_ns. */
static enum nnsensors_result find_period(const struct sensor_client *client,
					 const struct sensor *sensor, uint32_t level,
					 int64_t *period_ns)
{
	if (level > highest_level(sensor))
		return NNSENSORS_BAD_VALUE;
	*period_ns = sensor_period_for_level(sensor, (enum nnsensors_rate_level)level);
	if (!*period_ns)
		return NNSENSORS_BAD_VALUE;
	return permission_allows(&client->config->rules, &client->person, sensor->info.type,
				 *period_ns)
		       ? NNSENSORS_OK
		       : NNSENSORS_PERMISSION_DENIED;
}

/* Takes over the reference to the device. */
static enum nnsensors_result channel_servant_configure(struct sensor_client *client,
						       struct client_object *o,
						       struct sensor *sensor, uint32_t level,
						       int32_t *token)
{
	enum nnsensors_result result;
	int64_t period_ns;

	if (!has_direct_report(o, sensor)) {
		result = NNSENSORS_INVALID_OPERATION;
	} else if (level == NNSENSORS_RATE_STOP) {
		enabled_sensors_stop(&o->sensors, sensor->info.handle);
		result = NNSENSORS_OK;
	} else {
		result = find_period(client, sensor, level, &period_ns);
		if (result == NNSENSORS_OK)
			return channel_servant_start(client, o, sensor, period_ns, token);
	}
	device_put(sensor->device);
	return result;
}

static enum nnsensors_result configure_handle(struct sensor_client *client, struct client_object *o,
					      int32_t handle, uint32_t level, int32_t *token)
{
	struct sensor *sensor;

	if (level > NNSENSORS_RATE_VERY_FAST)
		return NNSENSORS_BAD_VALUE;
	if (handle == ALL) {
		if (level != NNSENSORS_RATE_STOP)
			return NNSENSORS_BAD_VALUE;
		enabled_sensors_stop_all(&o->sensors);
		return NNSENSORS_OK;
	}
	sensor = sensor_list_get(handle);
	return sensor ? channel_servant_configure(client, o, sensor, level, token)
		      : NNSENSORS_NOT_EXIST;
}

int serve_channel_configure(struct sensor_client *client, struct client_object *object,
			    struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct sensor_channel_configure_results results = { 0 };
	struct sensor_channel_configure args;
	int ret;

	sensor_get_channel_configure(in, &args);
	ret = nnipc_reader_end(in);
	if (ret)
		return ret;
	nnipc_put_u32(out,
		      configure_handle(client, object, args.handle, args.level, &results.token));
	sensor_put_channel_configure_results(out, &results);
	return 0;
}
