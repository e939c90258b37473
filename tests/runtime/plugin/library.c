// SPDX-License-Identifier: Apache-2.0
/* The entry of the vendor library. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testdev.h"

static int enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	const char *list = getenv("NNHAL_TEST_DEVICES");
	char *copy, *spec, *save = NULL;
	int ret = 0;

	copy = strdup(list ? list : "");
	if (!copy)
		return -ENOMEM;
	for (spec = strtok_r(copy, " ", &save); spec && !ret; spec = strtok_r(NULL, " ", &save)) {
		struct testdev_config *config = testdev_config_parse(spec);

		if (config && !testdev_gone(config))
			ret = found(cookie, spec);
		testdev_config_put(config);
	}
	free(copy);
	return ret;
}

static int open_spec(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	struct nnhal_device *inner = NULL, *below = NULL;
	struct testdev_config *config;
	int ret;

	*dev = NULL;
	config = spec ? testdev_config_parse(spec) : NULL;
	if (!config) {
		snprintf(message, size, "not a description of a test device");
		return -EINVAL;
	}
	if (testdev_gone(config)) {
		snprintf(message, size, "%s is gone", config->name);
		ret = -ENODEV;
		goto out;
	}
	ret = nnhal_open(config->inner ? config->inner : "cpu", &inner, message, size);
	if (ret)
		goto out;
	if (config->level < 8) {
		below = inner;
		ret = nnhal_view_create(below, (enum nnhal_version)(config->level - 1), &inner);
		if (ret) {
			inner = NULL;
			snprintf(message, size, "no view of feature level %u", config->level);
			goto out;
		}
	}
	ret = testdev_create(inner, below, config, dev);
out:
	if (ret) {
		if (inner)
			inner->ops->destroy(inner);
		if (below)
			below->ops->destroy(below);
		testdev_config_put(config);
	}
	return ret;
}

/* What the runtime has chosen, for its tests. */
__attribute__((visibility("default"))) void nnhal_use_amx(bool use)
{
	setenv("NNHAL_TEST_AMX", use ? "yes" : "no", 1);
}

__attribute__((visibility("default"))) const struct nnhal_driver nnhal_driver = {
	.abi_version = NNHAL_ABI_VERSION,
	.size = sizeof(nnhal_driver),
	.name = "testdev",
	.enumerate = enumerate,
	.open = open_spec,
};
