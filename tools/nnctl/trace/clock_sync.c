// SPDX-License-Identifier: Apache-2.0
#include "trace/nnctl_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <xf86drm.h>

#include "base/nnctl_base.h"
#include "drm/nnaccel_accel.h"
#include "nnutil_clock.h"
#include "nnutil_node.h"
#include "session/nnctl_session.h"

#define READINGS 100
#define READINGS_IN_TRACE 16

/* A descriptor of the card. -1: the node cannot be opened, or (ENOTTY) has another driver. */
static int open_card(const char *node)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!drmIoctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "nnaccel"))
		return fd;
	close(fd);
	errno = ENOTTY;
	return -1;
}

static int read_clock(int fd, struct drm_nnaccel_clock *clock)
{
	struct drm_nnaccel_dev_query query = {
		.type = DRM_NNACCEL_QUERY_CLOCK,
		.size = sizeof(*clock),
		.pointer = (uintptr_t)clock,
	};

	memset(clock, 0, sizeof(*clock));
	if (drmIoctl(fd, DRM_IOCTL_NNACCEL_DEV_QUERY, &query))
		return -errno;
	return query.size < sizeof(*clock) || clock->after_ns < clock->before_ns ? -EPROTO : 0;
}

/* The best of @count readings of one generation. */
static int best_reading(int fd, int count, struct drm_nnaccel_clock *best)
{
	struct drm_nnaccel_clock c;
	int ret;

	ret = read_clock(fd, best);
	for (int i = 1; i < count && !ret; i++) {
		ret = read_clock(fd, &c);
		if (!ret && (c.generation != best->generation ||
			     c.after_ns - c.before_ns < best->after_ns - best->before_ns))
			*best = c;
	}
	return ret;
}

static void clock_read(void *cookie, const char *node)
{
	struct drm_nnaccel_clock clock;
	int fd = open_card(node);

	(void)cookie;
	if (fd < 0)
		return;
	best_reading(fd, READINGS_IN_TRACE, &clock);
	close(fd);
}

void trace_clocks_read(void)
{
	nnutil_nodes_each(clock_read, NULL);
}

/* CLOCK_BOOTTIME minus CLOCK_MONOTONIC, which is the time of suspends, give or take *@bound. */
static int64_t boottime_ahead(int64_t *bound)
{
	int64_t ahead = 0;

	*bound = INT64_MAX;
	for (int i = 0; i < 10; i++) {
		int64_t before = nnutil_monotonic_ns(), boot = nnutil_boottime_ns();
		int64_t after = nnutil_monotonic_ns();

		if ((after - before + 1) / 2 >= *bound)
			continue;
		*bound = (after - before + 1) / 2;
		ahead = boot - before - (after - before) / 2;
	}
	return ahead;
}

static void clock_sync_show(const char *node, const struct drm_nnaccel_clock *c, cJSON *list)
{
	uint64_t width = c->after_ns - c->before_ns;
	int64_t offset = (int64_t)(c->before_ns + width / 2 - c->device_ns), ahead, ahead_bound;
	uint64_t bound = (width + 1) / 2;
	char text[32];
	cJSON *j;

	if (!list) {
		printf("%s: host = card %+.9f s, +-%.3f us (CLOCK_MONOTONIC; generation %u, best of %d readings)\n",
		       node, (double)offset / 1e9, (double)bound / 1e3, c->generation, READINGS);
		return;
	}
	j = cJSON_CreateObject();
	cJSON_AddStringToObject(j, "node", node);
	cJSON_AddNumberToObject(j, "generation", c->generation);
	cJSON_AddNumberToObject(j, "readings", READINGS);
	/* as text: ns since 1970, which a card may count, do not fit a double */
	snprintf(text, sizeof(text), "%" PRId64, offset);
	cJSON_AddStringToObject(j, "monotonic_minus_card_ns", text);
	cJSON_AddNumberToObject(j, "bound_ns", (double)bound);
	ahead = boottime_ahead(&ahead_bound);
	snprintf(text, sizeof(text), "%" PRId64, offset + ahead);
	cJSON_AddStringToObject(j, "boottime_minus_card_ns", text);
	cJSON_AddNumberToObject(j, "boottime_bound_ns", (double)bound + (double)ahead_bound);
	cJSON_AddItemToArray(list, j);
}

static int sync_node(const char *node, bool wanted, cJSON *list)
{
	struct drm_nnaccel_clock best;
	int fd = open_card(node), ret;

	if (fd < 0) {
		if (wanted || errno != ENOTTY)
			complain("%s: %s", node,
				 errno == ENOTTY ? "not an nnaccel card" : strerror(errno));
		return wanted ? -1 : 0;
	}
	ret = best_reading(fd, READINGS, &best);
	close(fd);
	if (ret == -EINVAL) {
		complain(
			"%s: the driver is older than version 1.1 and cannot read the card's clock; update it",
			node);
		return -1;
	}
	if (ret) {
		complain("%s: %s", node,
			 ret == -ENOLINK ? "the card does not answer; nnctl doctor says what to do"
					 : strerror(-ret));
		return -1;
	}
	clock_sync_show(node, &best, list);
	return 1;
}

/* How many nodes were read, and how many could not be. */
struct sync {
	cJSON *list;
	int found, failed;
};

static void sync_any(void *cookie, const char *node)
{
	struct sync *sync = cookie;
	int ret = sync_node(node, false, sync->list);

	sync->failed += ret < 0;
	sync->found += ret > 0;
}

int trace_clock_sync(int argc, char **argv)
{
	struct sync sync = { 0 };
	char node[NNUTIL_NODE_PATH];
	struct options o;
	int ret;

	ret = options_parse(&o, argc, argv, "device json");
	if (ret)
		return ret;
	if (o.device && strchr(o.device, ':') && o.device[0] != '/')
		return usage("--device %s: the clock is that of a card; name its node", o.device);
	if (o.json)
		sync.list = cJSON_CreateArray();
	if (o.device) {
		ret = sync_node(nnutil_node_path(o.device, node) ? node : o.device, true,
				sync.list);
		sync.failed = ret < 0;
		sync.found = ret > 0;
	} else {
		nnutil_nodes_each(sync_any, &sync);
	}
	if (!sync.found && !sync.failed) {
		complain("no nnaccel card was found; nnctl doctor says what to do");
		sync.failed = 1;
	}
	if (sync.list)
		json_print(sync.list);
	return sync.failed ? 1 : 0;
}
