// SPDX-License-Identifier: Apache-2.0
/* A vendor library with a valid entry point and hostile functions behind it. */
#include <errno.h>
#include <string.h>

#include "nnhal.h"

static struct nnhal_device no_table, empty_table, short_table, no_name, no_version;
static struct nnhal_device *inner;

static const struct {
	const char *spec;
	struct nnhal_device *device;
} devices[] = {
	{ "nothing", NULL },
	{ "no-table", &no_table },
	{ "empty-table", &empty_table },
	{ "short-table", &short_table },
	{ "no-name", &no_name },
	{ "no-version", &no_version },
};
#define COUNT (sizeof(devices) / sizeof(devices[0]))

static int enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	int ret = found(cookie, NULL);

	for (size_t i = 0; i < COUNT && !ret; i++)
		ret = found(cookie, devices[i].spec);
	if (!ret)
		ret = found(cookie, "unknown");
	return ret ? ret : -EIO;
}

static void destroy(struct nnhal_device *dev)
{
	(void)dev;
}

static const char *null_text(struct nnhal_device *dev)
{
	(void)dev;
	return NULL;
}

static const char *some_text(struct nnhal_device *dev)
{
	(void)dev;
	return "text";
}

static int open_spec(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	static const struct nnhal_device_ops empty = { .size = sizeof(empty), .destroy = destroy };
	static struct nnhal_device_ops tables[3];

	if (!inner && nnhal_open("cpu", &inner, message, size))
		return -EIO;
	for (int i = 0; i < 3; i++) {
		tables[i] = *inner->ops;
		tables[i].destroy = destroy;
		tables[i].name = i == 1 ? null_text : some_text;
		tables[i].version = i == 2 ? null_text : some_text;
	}
	tables[0].size = offsetof(struct nnhal_device_ops, allocate);
	empty_table.ops = &empty;
	short_table.ops = &tables[0];
	no_name.ops = &tables[1];
	no_version.ops = &tables[2];
	for (size_t i = 0; i < COUNT; i++)
		if (!strcmp(spec, devices[i].spec)) {
			*dev = devices[i].device;
			return 0;
		}
	return 77; /* no errno, and no message */
}

__attribute__((visibility("default"))) const struct nnhal_driver nnhal_driver = {
	.abi_version = NNHAL_ABI_VERSION,
	.size = sizeof(nnhal_driver),
	.name = "hostile",
	.enumerate = enumerate,
	.open = open_spec,
};
