// SPDX-License-Identifier: Apache-2.0
#include "serve/sensord_serve.h"

#include <string.h>

#include "core/sensord_core.h"
#include "fusion/sensord_fusion.h"
#include "iio/sensord_iio.h"
#include "nnutil_log.h"
#include "virtual/sensord_virtual.h"

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

/* The main thread's. */
static bool iio_runs, fusion_runs;

/* Whether it runs now. */
static bool start(const char *name, bool is_wanted, int (*sensors_start)(void))
{
	const int error = is_wanted ? sensors_start() : 0;

	if (error)
		nnutil_log(NNUTIL_LOG_ERROR, "sensors of %s cannot be served: %s", name,
			   strerror(-error));
	return is_wanted && !error;
}

int backends_start(const struct sensord_config *config)
{
	const int ret = start_virtual(config);

	if (ret) {
		sensor_list_clear();
		return ret;
	}
	iio_runs = start("iio", config->iio, iio_sensors_start);
	/* fused sensors live on the others */
	fusion_runs = start("fusion", config->fusion, fused_sensors_start);
	return 0;
}

void backends_stop(void)
{
	if (fusion_runs)
		fused_sensors_stop();
	if (iio_runs)
		iio_sensors_stop();
	sensor_list_clear();
}
