// SPDX-License-Identifier: Apache-2.0
#include "serve/backends.h"

#include <stdlib.h>
#include <string.h>

#include "core/sensor_list.h"
#include "fusion/fused_sensors.h"
#include "iio/iio_sensors.h"
#include "nnutil_log.h"
#include "virtual/virtual_sensors.h"

static int start_virtual(const struct sensord_config *config)
{
	char message[512];
	int ret = 0;

	for (size_t i = 0; !ret && i < config->num_virtual; i++) {
		ret = virtual_sensors_add(config->virtual_files[i], message, sizeof(message));
		if (ret)
			nnutil_log(NNUTIL_LOG_ERROR, "%s", message);
	}
	return ret;
}

/* A build without libiio, or without fusion, has fewer rows. */
static struct backend {
	const char *name;
	int (*start)(void);
	void (*stop)(void);
	bool runs; /* the main thread's */
} backends[] = {
#ifdef SENSORD_IIO
	{ "iio", iio_sensors_start, iio_sensors_stop, false },
#endif
#ifdef SENSORD_FUSION
	{ "fusion", fused_sensors_start, fused_sensors_stop, false },
#endif
	{ NULL, NULL, NULL, false },
};

static bool is_wanted(const struct sensord_config *config, const struct backend *b)
{
	return !strcmp(b->name, "iio") ? config->iio : config->fusion;
}

int backends_start(const struct sensord_config *config)
{
	const int ret = start_virtual(config);
	int error;

	if (ret) {
		sensor_list_clear();
		return ret;
	}
	for (struct backend *b = backends; b->name; b++) {
		if (!is_wanted(config, b))
			continue;
		error = b->start();
		b->runs = !error;
		if (error)
			nnutil_log(NNUTIL_LOG_ERROR, "sensors of %s cannot be served: %s", b->name,
				   strerror(-error));
	}
	return 0;
}

void backends_stop(void)
{
	struct backend *b = backends;

	while (b->name)
		b++;
	/* fused sensors live on the others */
	while (b-- != backends)
		if (b->runs)
			b->stop();
	sensor_list_clear();
}
