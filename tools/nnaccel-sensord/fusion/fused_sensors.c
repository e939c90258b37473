// SPDX-License-Identifier: Apache-2.0
/*
 * Which fused devices there are. A thread follows the list of sensors: it is not the list's caller
 * that adds and removes fused devices, for that may be the thread of a base that is just lost.
 */
#include "fusion/sensord_fusion.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/sensord_core.h"
#include "nnutil_log.h"
#include "nnutil_process.h"

static const int32_t base_types[NUM_BASES] = {
	[BASE_ACCELEROMETER] = NNSENSORS_TYPE_ACCELEROMETER,
	[BASE_GYROSCOPE] = NNSENSORS_TYPE_GYROSCOPE,
	[BASE_MAGNETOMETER] = NNSENSORS_TYPE_MAGNETIC_FIELD,
};

/**
 * struct plan - what a group's device is made of
 * @kinds: its sensors; 0: no device
 * @handles: of its bases; 0: none
 */
struct plan {
	unsigned int kinds;
	int32_t handles[NUM_BASES];
};

/** The follower's; before it starts and after it ends, fused_sensors_start()'s and _stop()'s. */
static struct {
	struct plan plan;
	struct sensor_device *device;
	struct fused_memory memory;
} groups[NUM_FUSED_GROUPS];

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool running, changed, end;
} follower = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

/** The kinds whose type a sensor has that is not ours. */
static int kinds_in_hardware(unsigned int *kinds)
{
	struct nnsensors_info *infos;
	uint32_t count;
	const int ret = sensor_list_infos(&infos, &count);

	*kinds = 0;
	for (uint32_t i = 0; i < count; i++)
		for (unsigned int k = 0; k < NUM_FUSED_KINDS; k++)
			if (infos[i].type == fused_kind_row(k)->type &&
			    strcmp(infos[i].vendor, FUSION_VENDOR) != 0)
				*kinds |= KIND_BIT(k);
	free(infos);
	return ret;
}

/** @bases that no sensor of the group uses are given back and become NULL. */
static struct plan make_plan(enum fused_group group, unsigned int not_wanted,
			     struct sensor *bases[NUM_BASES])
{
	unsigned int present = 0, used = 0;
	struct plan plan = { 0 };
	struct sensor sensor;

	for (unsigned int i = 0; i < NUM_BASES; i++)
		if (bases[i])
			present |= BASE_BIT(i);
	for (unsigned int k = 0; k < NUM_FUSED_KINDS; k++) {
		const struct fused_kind_row *row = fused_kind_row(k);

		if (row->group != group || (not_wanted & KIND_BIT(k)) || (row->needs & ~present) ||
		    !fused_kind_sensor(k, bases, &sensor))
			continue;
		plan.kinds |= KIND_BIT(k);
		used |= row->uses;
	}
	for (unsigned int i = 0; i < NUM_BASES; i++) {
		if (!bases[i])
			continue;
		if (used & BASE_BIT(i)) {
			plan.handles[i] = bases[i]->info.handle;
		} else {
			device_put(bases[i]->device);
			bases[i] = NULL;
		}
	}
	return plan;
}

static void remove_group(enum fused_group group)
{
	if (!groups[group].device)
		return;
	device_remove(groups[group].device);
	device_put(groups[group].device);
	groups[group].device = NULL;
	groups[group].plan = (struct plan){ 0 };
}

static int update_group(enum fused_group group, unsigned int not_wanted)
{
	struct sensor *bases[NUM_BASES];
	struct plan plan;
	int ret;

	for (unsigned int i = 0; i < NUM_BASES; i++)
		bases[i] = sensor_list_default(base_types[i]);
	plan = make_plan(group, not_wanted, bases);
	if (!memcmp(&plan, &groups[group].plan, sizeof(plan))) {
		bases_put(bases);
		return 0;
	}
	remove_group(group);
	if (!plan.kinds)
		return 0;
	ret = fused_device_add(group, plan.kinds, bases, &groups[group].memory,
			       &groups[group].device);
	if (ret)
		return ret;
	groups[group].plan = plan;
	return 0;
}

static int update(void)
{
	unsigned int not_wanted;
	int ret = kinds_in_hardware(&not_wanted), group_ret;

	for (unsigned int g = 0; g < NUM_FUSED_GROUPS && ret != -ENOMEM; g++) {
		group_ret = update_group(g, not_wanted);
		if (group_ret) {
			nnutil_log(NNUTIL_LOG_WARNING, "%s: %s", fused_group_name(g),
				   strerror(-group_ret));
			ret = group_ret;
		}
	}
	return ret;
}

static void list_changed(void *cookie)
{
	(void)cookie;
	pthread_mutex_lock(&follower.lock);
	follower.changed = true;
	pthread_cond_signal(&follower.wake);
	pthread_mutex_unlock(&follower.lock);
}

static void *fused_sensors_follow(void *argument)
{
	pthread_mutex_lock(&follower.lock);
	while (!follower.end) {
		if (!follower.changed) {
			pthread_cond_wait(&follower.wake, &follower.lock);
			continue;
		}
		follower.changed = false;
		pthread_mutex_unlock(&follower.lock);
		/* what fails now is tried again at the next change */
		update();
		pthread_mutex_lock(&follower.lock);
	}
	pthread_mutex_unlock(&follower.lock);
	return argument;
}

int fused_sensors_start(void)
{
	sigset_t before;
	int ret;

	ret = update();
	if (ret) {
		fused_sensors_stop();
		return ret;
	}
	follower.end = false;
	follower.changed = true;
	nnutil_signals_block(&before);
	ret = pthread_create(&follower.thread, NULL, fused_sensors_follow, NULL);
	nnutil_signals_restore(&before);
	follower.running = !ret;
	if (ret) {
		fused_sensors_stop();
		return -ret;
	}
	pthread_setname_np(follower.thread, "fusion");
	sensor_list_on_change(list_changed, NULL);
	/* changes before the registration had no listener */
	list_changed(NULL);
	return 0;
}

void fused_sensors_stop(void)
{
	if (follower.running) {
		sensor_list_on_change(NULL, NULL);
		pthread_mutex_lock(&follower.lock);
		follower.end = true;
		pthread_cond_signal(&follower.wake);
		pthread_mutex_unlock(&follower.lock);
		pthread_join(follower.thread, NULL);
		follower.running = false;
	}
	for (unsigned int g = 0; g < NUM_FUSED_GROUPS; g++)
		remove_group(g);
}
