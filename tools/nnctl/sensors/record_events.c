// SPDX-License-Identifier: Apache-2.0
/* "nnctl sensors record": events into a file that the virtual sensors of nnaccel-sensord play. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "sensors/nnctl_sensors.h"
#include "values/nnsensors_values.h"

#define DEFAULT_RATE 50.0
#define PROGRESS_MS 200

/* The callbacks come from one thread; the main thread reads the counts. */
struct record {
	struct screen screen;
	FILE *file;
	int num_sensors, num_gone;
	_Atomic uint64_t events, lost;
	atomic_int error; /* errno of the file */
	atomic_bool died, all_gone;
};

static void on_event(void *cookie, const struct nnsensors_event *event)
{
	struct record *r = cookie;
	int ret;

	/* no sensor of the file has it: a notice, or additional information */
	if (event->type == NNSENSORS_TYPE_META_DATA ||
	    event->type == NNSENSORS_TYPE_ADDITIONAL_INFO || atomic_load(&r->error))
		return;
	ret = nnsensors_recording_put_event(r->file, event);
	if (!ret) {
		atomic_fetch_add(&r->events, 1);
		return;
	}
	atomic_store(&r->error, -ret);
	screen_end(&r->screen);
}

static void on_lost(void *cookie, uint64_t events)
{
	struct record *r = cookie;

	atomic_fetch_add(&r->lost, events);
}

static void on_sensor_gone(void *cookie, int32_t handle)
{
	struct record *r = cookie;

	complain("sensor %d was unplugged", handle);
	if (++r->num_gone < r->num_sensors)
		return;
	atomic_store(&r->all_gone, true);
	screen_end(&r->screen);
}

static void on_service_died(void *cookie)
{
	struct record *r = cookie;

	atomic_store(&r->died, true);
	screen_end(&r->screen);
}

static const struct nnsensors_event_queue_callback callback = {
	.size = sizeof(callback),
	.on_event = on_event,
	.on_lost = on_lost,
	.on_sensor_gone = on_sensor_gone,
	.on_service_died = on_service_died,
};

static int put_head(struct record *r, const struct nnsensors_info *infos)
{
	int ret = nnsensors_recording_begin(r->file);

	for (int i = 0; i < r->num_sensors && !ret; i++) {
		for (int k = 0; k < i; k++)
			if (infos[k].handle == infos[i].handle) {
				complain("sensor %d is named twice", infos[i].handle);
				return -1;
			}
		ret = nnsensors_recording_put_sensor(r->file, &infos[i]);
	}
	if (ret)
		complain("the file: %s", strerror(-ret));
	return ret ? -1 : 0;
}

static int record_events_enable(struct nnsensors_event_queue *queue,
				const struct nnsensors_info *infos, int count, int32_t period_us)
{
	enum nnsensors_result result;

	for (int i = 0; i < count; i++) {
		result = queue->ops->enable_sensor(queue, infos[i].handle, period_us, 0);
		if (result != NNSENSORS_OK) {
			complain("sensor %d: %s", infos[i].handle, nnsensors_result_name(result));
			return -1;
		}
	}
	return 0;
}

static int record_events_run(struct record *r, const struct choice *choice,
			     struct nnsensors_manager *manager, const struct nnsensors_info *infos)
{
	struct nnsensors_event_queue *queue;
	enum nnsensors_result result;
	int ret;

	if (put_head(r, infos))
		return -1;
	result = manager->ops->create_event_queue(manager, &callback, r, &queue);
	if (result != NNSENSORS_OK) {
		complain("an event queue: %s", nnsensors_result_name(result));
		return -1;
	}
	ret = record_events_enable(queue, infos, r->num_sensors,
				   choice_period_us(choice, DEFAULT_RATE));
	while (!ret && screen_wait(&r->screen, PROGRESS_MS))
		if (r->screen.live) {
			printf("\r%" PRIu64 " events, %" PRIu64 " lost ", atomic_load(&r->events),
			       atomic_load(&r->lost));
			fflush(stdout);
		}
	queue->ops->destroy(queue);
	return ret;
}

/* 0: the recording is whole as far as it goes. */
static int record_events_finish(struct record *r, const char *path, int ret)
{
	int error = atomic_load(&r->error);

	if (fclose(r->file) && !error)
		error = errno;
	if (ret)
		return 1;
	printf("%s%s: %" PRIu64 " events of %d sensors, %" PRIu64 " lost\n",
	       r->screen.live ? "\r\033[K" : "", path, atomic_load(&r->events), r->num_sensors,
	       atomic_load(&r->lost));
	if (error)
		complain("%s: %s", path, strerror(error));
	if (atomic_load(&r->died))
		complain("the service ended");
	return error || atomic_load(&r->died) || atomic_load(&r->all_gone) ? 1 : 0;
}

int sensors_record(int argc, char **argv)
{
	struct record r = { 0 };
	struct nnsensors_manager *manager;
	struct nnsensors_info *infos = NULL;
	struct choice choice;
	const char *path;
	int ret = 1;

	if (choice_parse(&choice, argc, argv, "socket rate seconds"))
		return USAGE_ERROR;
	if (choice.num_arguments < 2)
		return usage("record: the file or the sensors are missing");
	path = choice.arguments[0];
	r.num_sensors = choice.num_arguments - 1;
	if (screen_begin(&r.screen, choice.seconds))
		return 1;
	manager = choice_open(&choice);
	if (manager)
		infos = choice_find(manager, choice.arguments + 1, r.num_sensors);
	if (infos) {
		r.file = fopen(path, "we");
		if (r.file)
			ret = record_events_finish(&r, path,
						   record_events_run(&r, &choice, manager, infos));
		else
			complain("%s: %s", path, strerror(errno));
	}
	free(infos);
	if (manager)
		manager->ops->destroy(manager);
	screen_close(&r.screen);
	return ret;
}
