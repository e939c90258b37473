// SPDX-License-Identifier: Apache-2.0
/*
 * Finding and opening devices: nodes of the nnaccel driver, and the device in process. What devices
 * offer beyond IDevice.
 */
#include <dirent.h>
#include <errno.h>
#include <libudev.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnhal.h"
#include "nnhal_config.h"
#include "nnutil_node.h"
#include "nnutil_log.h"
#include "nnutil_process.h"
#include "nnutil_text.h"

#include "base/nnhal_base.h"
#include "driver/nnhal_driver.h"
#include "transport/transport.h"
#include "values/nnhal_values.h"

/* Nodes of the nnaccel driver: those that udev knows, and those that sysfs does not show. */

/* ---- by udev ---- */

static int known_cards_each(int (*found)(void *cookie, const char *spec), void *cookie)
{
	struct udev_enumerate *enumerate;
	struct udev_list_entry *entry;
	char names[NNUTIL_NODE_NAME];
	struct udev *udev;
	int ret = 0;

	udev = udev_new();
	if (!udev)
		return -ENOMEM;
	enumerate = udev_enumerate_new(udev);
	if (!enumerate) {
		udev_unref(udev);
		return -ENOMEM;
	}
	for (size_t i = 0; i < NNUTIL_NODE_KINDS; i++) {
		udev_enumerate_add_match_subsystem(enumerate, nnutil_node_kinds[i].subsystem);
		snprintf(names, sizeof(names), "%s[0-9]*", nnutil_node_kinds[i].prefix);
		udev_enumerate_add_match_sysname(enumerate, names);
	}
	udev_enumerate_scan_devices(enumerate);
	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(enumerate))
	{
		struct udev_device *node, *parent;
		const char *driver;

		node = udev_device_new_from_syspath(udev, udev_list_entry_get_name(entry));
		if (!node)
			continue;
		parent = udev_device_get_parent(node);
		driver = parent ? udev_device_get_driver(parent) : NULL;
		if (driver && !strcmp(driver, "nnaccel"))
			ret = found(cookie, udev_device_get_sysname(node));
		udev_device_unref(node);
		if (ret)
			break;
	}
	udev_enumerate_unref(enumerate);
	udev_unref(udev);
	return ret;
}

/* ---- by opening ---- */

/* sysfs shows every node, or none: where it shows this one, udev has decided. */
static bool is_hidden(const struct nnutil_node_kind *kind, const char *name)
{
	char path[NNUTIL_NODE_PATH];

	snprintf(path, sizeof(path), "%s%.*s", kind->class, NNUTIL_NODE_NAME, name);
	return access(path, F_OK) != 0;
}

static bool is_ours(const char *name)
{
	char path[NNUTIL_NODE_PATH], message[256];
	struct nnhal_transport *t;
	int ret;

	nnutil_node_path(name, path);
	ret = nnhal_transport_kernel_open(path, &t, message, sizeof(message));
	if (!ret)
		t->ops->destroy(t);
	/* a render node that may not be opened is rather a graphics card's */
	if (ret == -EACCES || ret == -EPERM)
		return nnutil_node_kind(name) == &nnutil_node_kinds[0];
	/* of another driver, or gone */
	return ret != -ENODEV && ret != -ENOENT && ret != -ENXIO;
}

static int hidden_cards_each(const struct nnutil_node_kind *kind,
			     int (*found)(void *cookie, const char *spec), void *cookie)
{
	int count, i, ret = 0;
	struct dirent **nodes;

	errno = 0;
	count = scandir(kind->folder, &nodes, kind->entry, versionsort);
	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (i = 0; i < count; i++) {
		if (!ret && is_hidden(kind, nodes[i]->d_name) && is_ours(nodes[i]->d_name))
			ret = found(cookie, nodes[i]->d_name);
		free(nodes[i]);
	}
	free(nodes);
	return ret;
}

/*
 * Call @found with "accelN" or "renderDN" for each node of our driver, until it returns nonzero.
 * First come the nodes that udev knows, in its order; then those that sysfs does not show, as in a
 * container that hides /sys: each is opened. Of these, an accel node that may not be opened counts
 * as ours, so that opening it gives the reason; one of another driver does not.
 *
 * Return: 0, what @found returned, or -ENOMEM.
 */
static int cards_each(int (*found)(void *cookie, const char *spec), void *cookie)
{
	int ret = known_cards_each(found, cookie);

	for (size_t i = 0; i < NNUTIL_NODE_KINDS && !ret; i++)
		ret = hidden_cards_each(&nnutil_node_kinds[i], found, cookie);
	return ret;
}

/* Whether the device in process may use AMX: the application (nnhal_use_amx()), or its user. */

static atomic_bool refused;

NNHAL_EXPORT void nnhal_use_amx(bool use)
{
	atomic_store(&refused, !use);
}

/* Whether programs of devices that are opened now may use AMX. */
static bool amx_wanted(void)
{
	return !atomic_load(&refused) && nnutil_env_bool("NNACCEL_AMX", true);
}

#define MAX_THREADS 256u
/* MiB: a TiB */
#define MAX_QUOTA (1u << 20)
/* Without a setting. */
#define DEFAULT_THREADS 4u

static int driver_enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	int ret = cards_each(found, cookie);

	return ret ? ret : found(cookie, "cpu");
}

/* A number up to @most, which @where has; none: @number stays. */
static int parse_number(const char *text, const char *where, unsigned int most,
			unsigned int *number, char *message, size_t size)
{
	uint64_t n;

	if (!text || !*text)
		return 0;
	if (nnutil_parse_u64(text, 10, 1, most, &n)) {
		snprintf(message, size, "%s must be a number from 1 to %u, not \"%s\"", where, most,
			 text);
		return -EINVAL;
	}
	*number = (unsigned int)n;
	return 0;
}

static unsigned int default_threads(void)
{
	unsigned int processors = nnutil_processors();

	return processors < DEFAULT_THREADS ? processors : DEFAULT_THREADS;
}

/*
 * "cpu", "cpu:threads=N"; NNACCEL_THREADS counts if the former has no number. NNACCEL_JOB_THREADS:
 * of these, for one job. NNACCEL_PROGRAM_QUOTA: MiB of loaded programs.
 */
static int parse_config(const char *spec, struct nnhal_inproc_config *config, char *message,
			size_t size)
{
	const char *text = getenv("NNACCEL_THREADS");
	const char *where = "NNACCEL_THREADS";
	int ret;

	if (spec[3]) {
		if (strncmp(spec + 3, ":threads=", 9)) {
			snprintf(message, size,
				 "unknown option in \"%s\": the only one is cpu:threads=N", spec);
			return -EINVAL;
		}
		text = spec + 12;
		where = "threads";
	}
	*config = (struct nnhal_inproc_config){ .amx = amx_wanted() };
	ret = parse_number(text, where, MAX_THREADS, &config->engines, message, size);
	if (!ret)
		ret = parse_number(getenv("NNACCEL_JOB_THREADS"), "NNACCEL_JOB_THREADS",
				   MAX_THREADS, &config->job, message, size);
	if (!ret)
		ret = parse_number(getenv("NNACCEL_PROGRAM_QUOTA"), "NNACCEL_PROGRAM_QUOTA",
				   MAX_QUOTA, &config->quota, message, size);
	if (!config->engines)
		config->engines = default_threads();
	return ret;
}

static int first_card(void *cookie, const char *spec)
{
	return nnutil_node_path(spec, cookie);
}

static int open_transport(const char *spec, struct nnhal_transport **t, char *message, size_t size)
{
	struct nnhal_inproc_config config;
	char node[NNUTIL_NODE_PATH] = "";
	int ret;

	if (!spec) {
		if (cards_each(first_card, node) == 1) {
			ret = nnhal_transport_kernel_open(node, t, message, size);
			if (!ret)
				return 0;
		}
		spec = "cpu";
	}
	if (!strncmp(spec, "cpu", 3)) {
		ret = parse_config(spec, &config, message, size);
		return ret ? ret : nnhal_transport_inproc_open(&config, t, message, size);
	}
	if (spec[0] == '/')
		return nnhal_transport_kernel_open(spec, t, message, size);
	if (nnutil_node_path(spec, node))
		return nnhal_transport_kernel_open(node, t, message, size);
	snprintf(
		message, size,
		"no device \"%s\": use cpu, accelN or renderDN, a path like /dev/accel/accel0, or one of them behind worker: or service:",
		spec);
	return -EINVAL;
}

NNHAL_EXPORT int nnhal_enumerate(const char *target, int (*found)(void *cookie, const char *spec),
				 void *cookie, char *message, size_t size)
{
	char unused[1];

	if (!message || !size) {
		message = unused;
		size = sizeof(unused);
	}
	message[0] = '\0';
	if (!target)
		return driver_enumerate(found, cookie);
	if (nnhal_proxy_spec(target))
		return nnhal_proxy_enumerate(target, found, cookie, message, size);
	snprintf(message, size,
		 "no devices behind \"%s\": use worker, worker=LIBRARY, service or service=SOCKET",
		 target);
	return -EINVAL;
}

NNHAL_EXPORT int nnhal_open(const char *spec, struct nnhal_device **out, char *message, size_t size)
{
	struct nnhal_transport *t;
	struct nnhal_dev *dev;
	char unused[1];
	int ret;

	/* to the analyser, finding a service is IPC */
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "nnhal_open");
	*out = NULL;
	if (!message || !size) {
		message = unused;
		size = sizeof(unused);
	}
	message[0] = '\0';
	if (nnhal_proxy_spec(spec))
		return nnhal_proxy_open(spec, out, message, size);
	ret = open_transport(spec, &t, message, size);
	if (ret)
		return ret;
	message[0] = '\0';
	ret = nnhal_dev_create(t, &dev, message, size);
	if (ret) {
		t->ops->destroy(t);
		return ret;
	}
	*out = &dev->base;
	return 0;
}

_Static_assert(NNHAL_ABI_VERSION == NNHAL_SONAME_VERSION, "soname and ABI version");

NNHAL_EXPORT const struct nnhal_driver nnhal_driver = {
	.abi_version = NNHAL_ABI_VERSION,
	.size = sizeof(nnhal_driver),
	.name = "nnaccel",
	.enumerate = driver_enumerate,
	.open = nnhal_open,
};

/*
 * ---- what devices offer beyond IDevice, for clients: devices of other libraries need not have it
 * ----
 */

/* Whether the table of a device is long enough for @op, and has it. */
#define HAS(dev, op)                                                                           \
	((dev)->ops->size >= offsetof(struct nnhal_device_ops, op) + sizeof((dev)->ops->op) && \
	 (dev)->ops->op)

NNHAL_EXPORT int nnhal_memory_create(struct nnhal_device *dev, uint64_t size, int *fd)
{
	int ret;

	*fd = -1;
	if (!dev || !dev->ops || size == 0)
		return -EINVAL;
	ret = HAS(dev, create_memory) ? dev->ops->create_memory(dev, size, fd) : -EOPNOTSUPP;
	if (ret)
		*fd = -1;
	return ret;
}

NNHAL_EXPORT int nnhal_device_get_info(struct nnhal_device *dev, struct nnhal_device_info *info)
{
	static const struct nnhal_device_info none;
	int ret;

	if (!nnmodel_sized_put(&nnhal_sized_info, info, &none) || !dev || !dev->ops)
		return -EINVAL;
	ret = HAS(dev, get_info) ? dev->ops->get_info(dev, info) : -EOPNOTSUPP;
	if (ret)
		nnmodel_sized_put(&nnhal_sized_info, info, &none);
	return ret;
}

NNHAL_EXPORT int nnhal_device_get_counters(struct nnhal_device *dev,
					   struct nnhal_counters *counters)
{
	static const struct nnhal_counters none;
	int ret;

	if (!nnmodel_sized_put(&nnhal_sized_counters, counters, &none) || !dev || !dev->ops)
		return -EINVAL;
	ret = HAS(dev, get_counters) ? dev->ops->get_counters(dev, counters) : -EOPNOTSUPP;
	if (ret)
		nnmodel_sized_put(&nnhal_sized_counters, counters, &none);
	return ret;
}
