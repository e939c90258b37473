// SPDX-License-Identifier: Apache-2.0
/* Sensors from a file: all of it, or nothing. */
#include "virtual/sensord_virtual.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_file.h"
#include "nnutil_log.h"

/* The devices that are there so far. */
struct added {
	struct sensor_device *devices[VIRTUAL_SENSORS_MAX + VIRTUAL_RECORDINGS_MAX];
	unsigned int n;
};

struct source {
	const char *path; /* of the file */
	char *message;
	size_t size;
};

static int virtual_sensors_refuse(const struct source *source, unsigned int line, int error,
				  const char *why)
{
	return nnutil_refuse(source->message, source->size, error, "%s: line %u: %s", source->path,
			     line, why);
}

/* ---- generated ---- */

/* All sensors of the device of sensor @first, unless an earlier one has done that. */
static int add_device_of(const struct source *source, const struct virtual_config *config,
			 unsigned int first, struct added *added)
{
	const struct virtual_sensor *sensors[SENSORS_PER_DEVICE];
	const char *name = config->sensors[first].device;
	unsigned int n = 0;
	int ret;

	for (unsigned int i = 0; i < config->num_sensors; i++) {
		if (strcmp(config->sensors[i].device, name) != 0)
			continue;
		if (i < first)
			return 0;
		if (n == SENSORS_PER_DEVICE)
			return virtual_sensors_refuse(source, config->sensors[i].line, -EINVAL,
						      "too many sensors of one device");
		sensors[n++] = &config->sensors[i];
	}
	ret = virtual_device_add(name, sensors, n, &added->devices[added->n]);
	if (ret)
		return virtual_sensors_refuse(
			source, config->sensors[first].line, ret,
			ret == -EINVAL ? "a sensor of this name and type is there already"
				       : strerror(-ret));
	added->n++;
	return 0;
}

/* ---- recorded ---- */

static int find_file(const struct source *source, const char *name, char *path, size_t size)
{
	const char *slash = strrchr(source->path, '/');
	const int folder = name[0] != '/' && slash ? (int)(slash - source->path) + 1 : 0;

	return snprintf(path, size, "%.*s%s", folder, source->path, name) < (int)size
		       ? 0
		       : -ENAMETOOLONG;
}

static int add_recording(const struct source *source, const struct virtual_recording *wanted,
			 struct added *added)
{
	struct nnsensors_recording recording;
	char path[2 * VIRTUAL_PATH_MAX], why[400] = "";
	const char *slash;
	int ret = find_file(source, wanted->path, path, sizeof(path));

	if (ret)
		return virtual_sensors_refuse(source, wanted->line, ret, strerror(-ret));
	ret = nnsensors_recording_read(path, &recording, why, sizeof(why));
	if (!ret) {
		slash = strrchr(path, '/');
		ret = played_device_add(slash ? slash + 1 : path, &recording, wanted->prefix,
					wanted->once, &added->devices[added->n], why, sizeof(why));
	}
	if (ret)
		return virtual_sensors_refuse(
			source, wanted->line, ret,
			why[0]		 ? why
			: ret == -EINVAL ? "one of its sensors is there already: use prefix"
					 : strerror(-ret));
	added->n++;
	return 0;
}

/* ---- all ---- */

static int add_all(const struct source *source, const struct virtual_config *config,
		   struct added *added)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < config->num_sensors; i++)
		ret = add_device_of(source, config, i, added);
	for (unsigned int i = 0; !ret && i < config->num_recordings; i++)
		ret = add_recording(source, &config->recordings[i], added);
	for (unsigned int i = 0; i < added->n; i++) {
		if (ret)
			device_remove(added->devices[i]);
		device_put(added->devices[i]);
	}
	return ret;
}

int virtual_sensors_add(const char *path, char *message, size_t size)
{
	const struct source source = { path, message, size };
	struct virtual_config config;
	struct added added = { .n = 0 };
	size_t length;
	char *text, why[200];
	int ret = nnutil_read_file(path, VIRTUAL_FILE_MAX, &text, &length);

	if (ret)
		return nnutil_refuse(message, size, ret, "%s: %s", path, strerror(-ret));
	ret = virtual_config_parse(text, length, &config, why, sizeof(why));
	free(text);
	if (ret)
		return nnutil_refuse(message, size, ret, "%s: %s", path, why);
	ret = add_all(&source, &config, &added);
	virtual_config_fini(&config);
	return ret;
}
