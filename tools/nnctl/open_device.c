// SPDX-License-Identifier: Apache-2.0
#include "open_device.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"

#define MAX_SPEC 64

static atomic_flag said = ATOMIC_FLAG_INIT;

/* Cards come first. */
static int first(void *cookie, const char *spec)
{
	snprintf(cookie, MAX_SPEC, "%s", spec);
	return 1;
}

int device_open(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	char card[MAX_SPEC] = "";
	int ret;

	if (spec)
		return nnhal_open(spec, dev, message, size);
	nnhal_driver.enumerate(first, card);
	if (!strncmp(card, "accel", 5)) {
		ret = nnhal_open(card, dev, message, size);
		if (!ret)
			return 0;
		if (!atomic_flag_test_and_set(&said))
			complain(
				"warning: %s cannot be used: %s; the in-process device computes instead (nnctl doctor "
				"says what to do; --device chooses)",
				card, message[0] ? message : strerror(-ret));
	}
	return nnhal_open("cpu", dev, message, size);
}

static int warn_of(void *cookie, const char *spec)
{
	char path[MAX_SPEC + 16];

	(void)cookie;
	if (strncmp(spec, "accel", 5))
		return 0;
	snprintf(path, sizeof(path), "/dev/accel/%s", spec);
	if (access(path, R_OK | W_OK))
		complain(
			"warning: %s: %s; the runtime computes without it (nnctl doctor says what to do)",
			path, strerror(errno));
	return 0;
}

void device_warn(void)
{
	if (!atomic_flag_test_and_set(&said))
		nnhal_driver.enumerate(warn_of, NULL);
}
