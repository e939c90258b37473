// SPDX-License-Identifier: Apache-2.0
/* The entry of the library: the devices that there are. A board looks for its node here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conv8.h"

#define SPEC "conv8"

static int enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	return found(cookie, SPEC);
}

static int open_spec(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	*dev = NULL;
	if (spec && strcmp(spec, SPEC)) {
		snprintf(message, size, "no device \"%s\": this library has " SPEC, spec);
		return -ENODEV;
	}
	return conv8_device_create(dev);
}

__attribute__((visibility("default"))) const struct nnhal_driver nnhal_driver = {
	.abi_version = NNHAL_ABI_VERSION,
	.size = sizeof(nnhal_driver),
	.name = "conv8",
	.enumerate = enumerate,
	.open = open_spec,
};
