// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl sensors watch": on a terminal a view of each sensor's values and figures, elsewhere a line
 * for each event and the figures at the end. A sensor has a queue of its own, so that what is lost
 * is counted by sensor.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "nnutil_clock.h"
#include "sensors/nnctl_sensors.h"

/* The times of a sensor's events: rate, how even it is, how late the events come. */

#define SERIES_MAX 4096u

/* struct series - of all events: count and rate; of the last SERIES_MAX: the spread */
struct series {
	uint64_t events;
	int64_t first_ns, last_ns; /* stamps */
	int64_t intervals[SERIES_MAX], delays[SERIES_MAX];
};

/* struct series_figures - NAN where there are too few events */
struct series_figures {
	double rate_hz; /* between the first and the last event */
	double jitter_p50_ms, jitter_p99_ms; /* distance of an interval from the median interval */
	double delay_p50_ms, delay_p99_ms; /* from the stamp to here */
};

/* @now_ns: CLOCK_BOOTTIME, as stamps are */
static void series_add(struct series *series, int64_t stamp_ns, int64_t now_ns)
{
	series->delays[series->events % SERIES_MAX] = now_ns - stamp_ns;
	if (series->events)
		series->intervals[(series->events - 1) % SERIES_MAX] = stamp_ns - series->last_ns;
	else
		series->first_ns = stamp_ns;
	series->last_ns = stamp_ns;
	series->events++;
}

static int watch_compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double part_ms(const int64_t *sorted, size_t count, double part)
{
	return count ? (double)sorted[(size_t)((double)(count - 1) * part)] / 1e6 : (double)NAN;
}

/* Not while another thread adds. */
static struct series_figures series_figures(const struct series *series)
{
	struct series_figures figures = { .rate_hz = NAN };
	const uint64_t intervals = series->events ? series->events - 1 : 0;
	size_t count = intervals < SERIES_MAX ? (size_t)intervals : SERIES_MAX;
	int64_t sorted[SERIES_MAX], median;

	if (intervals && series->last_ns > series->first_ns)
		figures.rate_hz =
			(double)intervals * 1e9 / (double)(series->last_ns - series->first_ns);
	memcpy(sorted, series->intervals, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), watch_compare);
	median = count ? sorted[(count - 1) / 2] : 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = llabs(sorted[i] - median);
	qsort(sorted, count, sizeof(*sorted), watch_compare);
	figures.jitter_p50_ms = part_ms(sorted, count, 0.5);
	figures.jitter_p99_ms = part_ms(sorted, count, 0.99);
	count = series->events < SERIES_MAX ? (size_t)series->events : SERIES_MAX;
	memcpy(sorted, series->delays, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), watch_compare);
	figures.delay_p50_ms = part_ms(sorted, count, 0.5);
	figures.delay_p99_ms = part_ms(sorted, count, 0.99);
	return figures;
}

#define DEFAULT_RATE 20.0
#define REDRAW_MS 200

struct watch;

/* A sensor; everything behind queue belongs to watch.lock. */
struct watched {
	struct watch *watch;
	struct nnsensors_info info;
	char name[NNSENSORS_NAME_MAX];
	struct nnsensors_event_queue *queue;
	struct series series;
	struct nnsensors_event last;
	uint64_t lost;
	bool gone;
};

struct watch {
	pthread_mutex_t lock;
	struct screen screen;
	struct watched *sensors;
	int num_sensors, num_gone;
	bool lines; /* a line for each event */
	bool died;
};

static void on_event(void *cookie, const struct nnsensors_event *event)
{
	const int64_t now = nnutil_boottime_ns();
	struct watched *w = cookie;
	char text[256];

	pthread_mutex_lock(&w->watch->lock);
	series_add(&w->series, event->timestamp, now);
	w->last = *event;
	pthread_mutex_unlock(&w->watch->lock);
	if (w->watch->lines)
		printf("%.9f  %s  %s %s\n", (double)event->timestamp / 1e9, w->name,
		       sensor_text_values(event, text, sizeof(text)), sensor_text_unit(&w->info));
}

static void on_lost(void *cookie, uint64_t events)
{
	struct watched *w = cookie;

	pthread_mutex_lock(&w->watch->lock);
	w->lost += events;
	pthread_mutex_unlock(&w->watch->lock);
}

static void on_sensor_gone(void *cookie, int32_t handle)
{
	struct watched *w = cookie;
	struct watch *watch = w->watch;

	(void)handle;
	pthread_mutex_lock(&watch->lock);
	w->gone = true;
	if (++watch->num_gone == watch->num_sensors)
		screen_end(&watch->screen);
	pthread_mutex_unlock(&watch->lock);
}

static void on_service_died(void *cookie)
{
	struct watched *w = cookie;

	pthread_mutex_lock(&w->watch->lock);
	w->watch->died = true;
	screen_end(&w->watch->screen);
	pthread_mutex_unlock(&w->watch->lock);
}

static const struct nnsensors_event_queue_callback callback = {
	.size = sizeof(callback),
	.on_event = on_event,
	.on_lost = on_lost,
	.on_sensor_gone = on_sensor_gone,
	.on_service_died = on_service_died,
};

static int watch_start(struct watched *w, struct nnsensors_manager *manager, int32_t period_us)
{
	enum nnsensors_result result =
		manager->ops->create_event_queue(manager, &callback, w, &w->queue);

	if (result == NNSENSORS_OK)
		result = w->queue->ops->enable_sensor(w->queue, w->info.handle, period_us, 0);
	if (result == NNSENSORS_OK)
		return 0;
	complain("%s: %s", w->name, nnsensors_result_name(result));
	return -1;
}

/* A rate says something of sensors that run at one. */
static bool has_rate(const struct watched *w)
{
	return (w->info.flags & NNSENSORS_FLAG_MODE_MASK) == NNSENSORS_FLAG_CONTINUOUS;
}

static const char *watch_figure(double value, int digits, char *text, size_t size)
{
	if (isnan(value))
		return "-";
	snprintf(text, size, "%.*f", digits, value);
	return text;
}

static struct series_figures figures_of(const struct watched *w)
{
	struct series_figures f = series_figures(&w->series);

	if (!has_rate(w))
		f.rate_hz = f.jitter_p50_ms = f.jitter_p99_ms = (double)NAN;
	return f;
}

static void watch_row(struct watch *watch, struct watched *w)
{
	const struct series_figures f = figures_of(w);
	char values[256] = "-", cells[5][24];

	if (w->gone)
		snprintf(values, sizeof(values), "(unplugged)");
	else if (w->series.events)
		sensor_text_values(&w->last, values, sizeof(values));
	screen_line(&watch->screen,
		    "%6d  %-24.24s %9s %9s %9s %9s %9s %8" PRIu64 " %6" PRIu64 "  %.60s %s",
		    w->info.handle, w->name, watch_figure(f.rate_hz, 2, cells[0], sizeof(cells[0])),
		    watch_figure(f.jitter_p50_ms, 3, cells[1], sizeof(cells[1])),
		    watch_figure(f.jitter_p99_ms, 3, cells[2], sizeof(cells[2])),
		    watch_figure(f.delay_p50_ms, 3, cells[3], sizeof(cells[3])),
		    watch_figure(f.delay_p99_ms, 3, cells[4], sizeof(cells[4])), w->series.events,
		    w->lost, values, sensor_text_unit(&w->info));
}

static void watch_draw(struct watch *watch)
{
	screen_draw(&watch->screen);
	screen_line(&watch->screen, "%6s  %-24s %9s %9s %9s %9s %9s %8s %6s  %s", "HANDLE", "NAME",
		    "RATE Hz", "JITTER ms", "p99", "DELAY ms", "p99", "EVENTS", "LOST", "VALUES");
	pthread_mutex_lock(&watch->lock);
	for (int i = 0; i < watch->num_sensors; i++)
		watch_row(watch, &watch->sensors[i]);
	pthread_mutex_unlock(&watch->lock);
	fflush(stdout);
}

static void add_figure(cJSON *j, const char *name, double value)
{
	if (isnan(value))
		cJSON_AddNullToObject(j, name);
	else
		cJSON_AddNumberToObject(j, name, value);
}

static void print_json(struct watch *watch)
{
	cJSON *list = cJSON_CreateArray(), *j;
	struct series_figures f;

	for (int i = 0; i < watch->num_sensors; i++) {
		const struct watched *w = &watch->sensors[i];

		f = figures_of(w);
		j = cJSON_CreateObject();
		cJSON_AddNumberToObject(j, "handle", w->info.handle);
		cJSON_AddStringToObject(j, "name", w->info.name);
		cJSON_AddNumberToObject(j, "events", (double)w->series.events);
		cJSON_AddNumberToObject(j, "lost", (double)w->lost);
		add_figure(j, "rate_hz", f.rate_hz);
		add_figure(j, "jitter_p50_ms", f.jitter_p50_ms);
		add_figure(j, "jitter_p99_ms", f.jitter_p99_ms);
		add_figure(j, "delay_p50_ms", f.delay_p50_ms);
		add_figure(j, "delay_p99_ms", f.delay_p99_ms);
		cJSON_AddBoolToObject(j, "unplugged", w->gone);
		cJSON_AddItemToArray(list, j);
	}
	json_print(list);
}

static int watch_run(struct watch *watch, const struct choice *choice,
		     struct nnsensors_manager *manager)
{
	int failed = 0;

	for (int i = 0; i < watch->num_sensors && !failed; i++)
		failed = watch_start(&watch->sensors[i], manager,
				     choice_period_us(choice, DEFAULT_RATE));
	while (!failed && screen_wait(&watch->screen, REDRAW_MS)) {
		if (watch->screen.live && !choice->json)
			watch_draw(watch);
		else
			fflush(stdout);
	}
	/* after this no callback runs */
	for (int i = 0; i < watch->num_sensors; i++)
		if (watch->sensors[i].queue)
			watch->sensors[i].queue->ops->destroy(watch->sensors[i].queue);
	if (failed)
		return 1;
	if (choice->json)
		print_json(watch);
	else
		watch_draw(watch);
	if (watch->died)
		complain("the service ended");
	else if (watch->num_gone)
		complain("%d of the sensors were unplugged", watch->num_gone);
	return watch->died || watch->num_gone ? 1 : 0;
}

int sensors_watch(int argc, char **argv)
{
	struct watch watch = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct nnsensors_manager *manager;
	struct nnsensors_info *infos = NULL;
	struct choice choice;
	int ret = 1;

	if (choice_parse(&choice, argc, argv, "socket rate seconds json"))
		return USAGE_ERROR;
	if (!choice.num_arguments)
		return usage("watch: the sensors are missing");
	if (screen_begin(&watch.screen, choice.seconds))
		return 1;
	watch.lines = !watch.screen.live && !choice.json;
	manager = choice_open(&choice);
	if (manager)
		infos = choice_find(manager, choice.arguments, choice.num_arguments);
	watch.sensors = infos ? calloc((size_t)choice.num_arguments, sizeof(*watch.sensors)) : NULL;
	if (watch.sensors) {
		watch.num_sensors = choice.num_arguments;
		for (int i = 0; i < watch.num_sensors; i++) {
			struct watched *w = &watch.sensors[i];

			w->watch = &watch;
			w->info = infos[i];
			screen_plain(infos[i].name, w->name, sizeof(w->name));
		}
		ret = watch_run(&watch, &choice, manager);
	}
	free(watch.sensors);
	free(infos);
	if (manager)
		manager->ops->destroy(manager);
	screen_close(&watch.screen);
	return ret;
}
