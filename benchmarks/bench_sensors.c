// SPDX-License-Identifier: Apache-2.0
/*
 * What the sensor service costs, with virtual sensors in the real service and libnnsensors as it is
 * installed: the latency of an event from its stamp to the callback at 50, 200 and 800 Hz; the
 * service's processor time per event; how many clients one processor serves at 1 kHz; how many
 * events a second a direct channel takes. Then the ring alone: records a second, and torn ones that
 * a reader saw while the writer lapped it (there must be none). Prints a table, then one line of
 * JSON.
 *
 *   bench_sensors [--seconds N] [--records N] [--clients N] [--example PROGRAM] NNACCEL-SENSORD
 *
 * N seconds per measurement (default 5); records for the check of torn reads (default 10^7); most
 * clients (default 200); examples/always_on, which tells the latency from a sensor's stamp to the
 * result of an inference.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nnsensors.h"
#include "nnsensors_records.h"
#include "values/nnsensors_values.h"

#define NS_PER_S 1000000000ll
/* For the direct channel: sensors of so many devices, each with a thread in the service. */
#define CHANNEL_DEVICES 16u
#define SENSORS_PER_DEVICE 32u
#define CHANNEL_SENSORS (CHANNEL_DEVICES * SENSORS_PER_DEVICE)
#define RING_RECORDS 4096u

#define CHECK(what)                 \
	do {                        \
		if (!(what))        \
			die(#what); \
	} while (0)

static pid_t service;
static char folder[64];
static const char *example;
static long seconds = 5, max_clients = 200;
static uint64_t torn_records = 10000000;

static void remove_folder(void)
{
	static const char *const names[] = { "socket", "sensor", "boards", "more-boards", "conf" };
	char path[128];

	for (unsigned int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void stop_service(void)
{
	if (service > 0) {
		kill(service, SIGTERM);
		waitpid(service, NULL, 0);
	}
	service = 0;
	remove_folder();
}

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_sensors: failed: %s\n", what);
	stop_service();
	exit(1);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void wait_ns(int64_t ns)
{
	struct timespec t = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/** Processor time of the service, of all its threads. */
static int64_t service_cpu_ns(void)
{
	clockid_t clock;

	CHECK(!clock_getcpuclockid(service, &clock));
	return clock_ns(clock);
}

/* ---- the service ---- */

static FILE *open_file(const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	CHECK(file);
	return file;
}

static void write_sensors(void)
{
	FILE *file = open_file("sensor");

	fputs("[sensor]\nname = clients'\ntype = accelerometer\nperiods = 1000 1000000\n"
	      "generator = sine\nfrequency = 1\namplitude = 1\nvalues = 0 0 9.81\n",
	      file);
	fclose(file);
	for (unsigned int i = 0; i < CHANNEL_SENSORS; i++) {
		/* a file has 256 at most */
		if (i % (CHANNEL_SENSORS / 2) == 0)
			file = open_file(i ? "more-boards" : "boards");
		fprintf(file,
			"[sensor]\nname = channel %u\ndevice = board %u\ntype = gyroscope\n"
			"rates = 50 200 1600\ngenerator = constant\nvalues = 1 2 3\n",
			i, i / SENSORS_PER_DEVICE);
		if ((i + 1) % (CHANNEL_SENSORS / 2) == 0)
			fclose(file);
	}
	file = open_file("conf");
	/* all clients are those of one user, which may have half of what there is */
	fprintf(file,
		"[limits]\nconnections = %ld\nconnections-per-user = %ld\nsensors = %u\n"
		"memory = 4096\nmemory-per-user = 2048\n"
		"events = 100000000\nevents-per-user = 50000000\n",
		2 * (max_clients + 8), max_clients + 8, CHANNEL_SENSORS);
	fclose(file);
}

static void on_first_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static struct nnsensors_manager *open_manager(void)
{
	struct nnsensors_manager *manager;
	char path[128], message[256] = "";
	int ret;

	snprintf(path, sizeof(path), "%s/socket", folder);
	ret = nnsensors_manager_open(path, &manager, message, sizeof(message));
	if (ret)
		die(message[0] ? message : strerror(-ret));
	return manager;
}

/** Start the service; on one processor, so that its time is what one serves. */
static void start_service(const char *program)
{
	char sensor[128], boards[128], more[128], conf[128], socket[128];
	struct stat st;

	strcpy(folder, "/tmp/bench-sensors-XXXXXX");
	CHECK(mkdtemp(folder));
	write_sensors();
	snprintf(sensor, sizeof(sensor), "%s/sensor", folder);
	snprintf(boards, sizeof(boards), "%s/boards", folder);
	snprintf(more, sizeof(more), "%s/more-boards", folder);
	snprintf(conf, sizeof(conf), "%s/conf", folder);
	snprintf(socket, sizeof(socket), "%s/socket", folder);
	service = fork();
	CHECK(service >= 0);
	if (!service) {
		on_first_processor();
		execl(program, program, "--listen", socket, "--config", conf, "--virtual", sensor,
		      "--virtual", boards, "--virtual", more, "--no-iio", "--no-fusion", "--log",
		      "error", (char *)NULL);
		_exit(127);
	}
	for (int tries = 0; stat(socket, &st); tries++) {
		CHECK(tries < 10000 && !waitpid(service, NULL, WNOHANG));
		wait_ns(1000000);
	}
}

static struct nnsensors_info find_default(struct nnsensors_manager *manager, int32_t type)
{
	struct nnsensors_info info = { .size = sizeof(info) };

	CHECK(manager->ops->get_default_sensor(manager, type, &info) == NNSENSORS_OK);
	return info;
}

/* ---- latency ---- */

struct latencies {
	_Atomic uint32_t count;
	uint32_t max;
	int64_t *ns;
};

static void note_latency(void *cookie, const struct nnsensors_event *event)
{
	struct latencies *l = cookie;
	const uint32_t n = atomic_load_explicit(&l->count, memory_order_relaxed);

	if (n >= l->max)
		return;
	l->ns[n] = clock_ns(CLOCK_BOOTTIME) - event->timestamp;
	atomic_store_explicit(&l->count, n + 1, memory_order_release);
}

static int compare_ns(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

struct latency {
	int64_t median, p99;
	uint32_t events;
};

static struct latency measure_latency(int hz)
{
	static const struct nnsensors_event_queue_callback callback = {
		.size = sizeof(callback),
		.on_event = note_latency,
	};
	struct nnsensors_manager *manager = open_manager();
	const struct nnsensors_info info = find_default(manager, NNSENSORS_TYPE_ACCELEROMETER);
	struct latencies l = { .max = (uint32_t)(seconds * hz) };
	struct nnsensors_event_queue *queue;
	struct latency result;

	l.ns = calloc(l.max, sizeof(*l.ns));
	CHECK(l.ns);
	CHECK(manager->ops->create_event_queue(manager, &callback, &l, &queue) == NNSENSORS_OK);
	CHECK(queue->ops->enable_sensor(queue, info.handle, 1000000 / hz, 0) == NNSENSORS_OK);
	for (int64_t end = clock_ns(CLOCK_MONOTONIC) + 3 * seconds * NS_PER_S;
	     atomic_load_explicit(&l.count, memory_order_acquire) < l.max &&
	     clock_ns(CLOCK_MONOTONIC) < end;)
		wait_ns(10000000);
	queue->ops->destroy(queue);
	manager->ops->destroy(manager);
	result.events = l.count;
	CHECK(result.events > 10);
	qsort(l.ns, result.events, sizeof(*l.ns), compare_ns);
	result.median = l.ns[result.events / 2];
	result.p99 = l.ns[(uint64_t)result.events * 99 / 100];
	free(l.ns);
	return result;
}

/* ---- clients at 1 kHz ---- */

struct client {
	struct nnsensors_manager *manager;
	struct nnsensors_event_queue *queue;
	_Atomic uint64_t events, lost;
};

static void count_event(void *cookie, const struct nnsensors_event *event)
{
	struct client *client = cookie;

	(void)event;
	atomic_fetch_add_explicit(&client->events, 1, memory_order_relaxed);
}

static void count_lost(void *cookie, uint64_t events)
{
	struct client *client = cookie;

	atomic_fetch_add_explicit(&client->lost, events, memory_order_relaxed);
}

/**
 * struct load - what clients got and cost
 * @rate: events a second, of all clients
 * @slowest: events a second of the client that got the fewest
 * @cpu: of the service, in parts of one processor
 */
struct load {
	uint64_t lost;
	double rate, slowest, cpu;
};

static void start_clients(struct client *clients, long n, int64_t latency_us)
{
	static const struct nnsensors_event_queue_callback callback = {
		.size = sizeof(callback),
		.on_event = count_event,
		.on_lost = count_lost,
	};

	for (long i = 0; i < n; i++) {
		struct client *c = &clients[i];
		struct nnsensors_info info;

		c->manager = open_manager();
		info = find_default(c->manager, NNSENSORS_TYPE_ACCELEROMETER);
		CHECK(c->manager->ops->create_event_queue(c->manager, &callback, c, &c->queue) ==
		      NNSENSORS_OK);
		CHECK(c->queue->ops->enable_sensor(c->queue, info.handle, 1000, latency_us) ==
		      NNSENSORS_OK);
	}
}

static struct load measure_clients(long n, int64_t latency_us)
{
	struct client *clients = calloc((size_t)n, sizeof(*clients));
	uint64_t *before = calloc((size_t)n, sizeof(*before));
	struct load load = { .slowest = 1e9 };
	int64_t start_ns, cpu_ns;
	double time_s;

	CHECK(clients && before);
	start_clients(clients, n, latency_us);
	for (long i = 0; i < n; i++)
		before[i] = atomic_load(&clients[i].events) + atomic_load(&clients[i].lost);
	start_ns = clock_ns(CLOCK_MONOTONIC);
	cpu_ns = service_cpu_ns();
	wait_ns(seconds * NS_PER_S);
	cpu_ns = service_cpu_ns() - cpu_ns;
	time_s = (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) * 1e-9;
	for (long i = 0; i < n; i++) {
		const uint64_t lost = atomic_load(&clients[i].lost);
		const double rate =
			(double)(atomic_load(&clients[i].events) + lost - before[i]) / time_s;

		load.lost += lost;
		load.rate += rate;
		if (rate < load.slowest)
			load.slowest = rate;
	}
	load.cpu = (double)cpu_ns * 1e-9 / time_s;
	for (long i = 0; i < n; i++) {
		clients[i].queue->ops->destroy(clients[i].queue);
		clients[i].manager->ops->destroy(clients[i].manager);
	}
	free(before);
	free(clients);
	return load;
}

/** Whether all clients got all that the sensor makes, to a part in 50 and a batch at the end. */
static bool is_served(const struct load *load, int64_t latency_us)
{
	const double batch = (double)latency_us / 1e3 / (double)seconds;

	return !load->lost && load->slowest >= 980 - batch;
}

/** The most clients that were served; prints a row for each number tried. */
static long most_clients(int64_t latency_us)
{
	static const long numbers[] = { 1, 10, 25, 50, 100, 200, 500, 1000 };
	long most = 0;

	for (unsigned int i = 0; i < 8 && numbers[i] <= max_clients; i++) {
		const struct load load = measure_clients(numbers[i], latency_us);

		printf("%5ld clients at 1 kHz, latency %3d ms %12.0f events/s %8.1f %% cpu %10.2f us "
		       "per event %8" PRIu64 " lost\n",
		       numbers[i], (int)(latency_us / 1000), load.rate, load.cpu * 100,
		       load.cpu / load.rate * 1e6, load.lost);
		if (!is_served(&load, latency_us))
			break;
		most = numbers[i];
	}
	return most;
}

/* ---- a direct channel ---- */

/** Counters of the channel so far: the largest there is. */
static uint32_t last_counter(const struct nnsensors_record *records, uint32_t n)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t counter = __atomic_load_n(&records[i].counter, __ATOMIC_ACQUIRE);

		if (counter > last)
			last = counter;
	}
	return last;
}

/** Gyroscopes, by handle. Returns how many. */
static uint32_t find_gyroscopes(struct nnsensors_manager *manager, int32_t *handles, uint32_t max)
{
	struct nnsensors_info *infos;
	uint32_t count, n = 0;

	CHECK(manager->ops->get_sensor_list(manager, &infos, &count) == NNSENSORS_OK);
	for (uint32_t i = 0; i < count && n < max; i++)
		if (infos[i].type == NNSENSORS_TYPE_GYROSCOPE)
			handles[n++] = infos[i].handle;
	free(infos);
	return n;
}

/** Sensors at 1.6 kHz on one channel, more and more until events are missing. Returns the most
 * events a second. */
static double measure_channel(void)
{
	static const uint32_t numbers[] = { 1, 8, 64, 128, 256, 512 };
	const size_t size = RING_RECORDS * sizeof(struct nnsensors_record);
	struct nnsensors_manager *manager = open_manager();
	struct nnsensors_direct_channel *channel;
	int32_t handles[CHANNEL_SENSORS], token;
	const int fd = memfd_create("bench", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint32_t num = find_gyroscopes(manager, handles, CHANNEL_SENSORS), running = 0;
	struct nnsensors_record *records;
	double most = 0;

	CHECK(fd >= 0 && !ftruncate(fd, (off_t)size));
	records = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(records != MAP_FAILED);
	CHECK(manager->ops->create_ashmem_direct_channel(manager, fd, size, size, &channel) ==
	      NNSENSORS_OK);
	for (unsigned int i = 0; i < 6 && numbers[i] <= num; i++) {
		const uint32_t wanted = numbers[i];
		uint32_t before;
		int64_t start_ns, cpu_ns;
		double time_s, rate, cpu;

		for (; running < wanted; running++)
			CHECK(channel->ops->configure(channel, handles[running],
						      NNSENSORS_RATE_VERY_FAST,
						      &token) == NNSENSORS_OK);
		start_ns = clock_ns(CLOCK_MONOTONIC);
		cpu_ns = service_cpu_ns();
		before = last_counter(records, RING_RECORDS);
		wait_ns(seconds * NS_PER_S);
		time_s = (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) * 1e-9;
		rate = (double)(last_counter(records, RING_RECORDS) - before) / time_s;
		cpu = (double)(service_cpu_ns() - cpu_ns) * 1e-9 / time_s;
		printf("direct channel, %3u sensors at 1.6 kHz   %12.0f events/s %8.1f %% cpu %10.2f us "
		       "per event\n",
		       running, rate, cpu * 100, cpu / rate * 1e6);
		if (rate > most)
			most = rate;
		if (rate < 1600 * 0.98 * running)
			break;
	}
	channel->ops->destroy(channel);
	manager->ops->destroy(manager);
	munmap(records, size);
	close(fd);
	return most;
}

/* ---- a sensor and a model ---- */

/** The example prints its own figures. */
static void run_example(const char *program)
{
	char socket[128];
	int status;
	pid_t pid;

	snprintf(socket, sizeof(socket), "%s/socket", folder);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		execl(program, program, "--socket", socket, "--windows", "64", (char *)NULL);
		_exit(127);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
}

/* ---- the ring alone ---- */

struct writer {
	struct nnsensors_record_ring ring;
	atomic_bool end;
	uint64_t written;
	int64_t cpu_ns;
};

/** Every word of a record says which one it is. */
static void *write_records(void *argument)
{
	struct writer *w = argument;
	struct nnsensors_record record = { .type = NNSENSORS_TYPE_ACCELEROMETER, .token = 1 };
	uint64_t n = 0;

	while (!atomic_load_explicit(&w->end, memory_order_relaxed)) {
		record.timestamp = (int64_t)n;
		for (unsigned int i = 0; i < 8; i++)
			record.u.data64[i] = n + i;
		nnsensors_record_ring_put(&w->ring, &record);
		n++;
	}
	w->written = n;
	w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static bool is_torn(const struct nnsensors_record *record)
{
	const uint64_t n = (uint64_t)record->timestamp;

	if (record->counter != nnsensors_record_counter(n))
		return true;
	for (unsigned int i = 0; i < 8; i++)
		if (record->u.data64[i] != n + i)
			return true;
	return false;
}

struct torn {
	uint64_t read, lost, torn;
	double writes_per_s, write_ns;
};

/** A reader takes @torn_records, while the writer goes round as fast as it can. */
static struct torn measure_torn(void)
{
	const size_t size = RING_RECORDS * sizeof(struct nnsensors_record);
	void *memory = aligned_alloc(64, size);
	struct nnsensors_reader reader;
	struct nnsensors_record record;
	struct writer writer = { 0 };
	struct torn result = { 0 };
	int64_t start_ns;
	pthread_t thread;
	uint64_t lost;

	CHECK(memory && !nnsensors_record_ring_init(&writer.ring, memory, size));
	nnsensors_reader_init(&reader, memory, size);
	start_ns = clock_ns(CLOCK_MONOTONIC);
	CHECK(!pthread_create(&thread, NULL, write_records, &writer));
	while (result.read < torn_records) {
		const int ret = nnsensors_reader_take(&reader, &record, &lost);

		CHECK(ret >= 0);
		if (!ret)
			continue;
		result.read++;
		result.lost += lost;
		result.torn += is_torn(&record);
	}
	atomic_store(&writer.end, true);
	pthread_join(thread, NULL);
	result.writes_per_s =
		(double)writer.written / ((double)(clock_ns(CLOCK_MONOTONIC) - start_ns) * 1e-9);
	result.write_ns = (double)writer.cpu_ns / (double)writer.written;
	nnsensors_record_ring_fini(&writer.ring);
	free(memory);
	return result;
}

/* ---- */

static uint64_t number(const char *text)
{
	char *end;
	const uint64_t n = strtoull(text, &end, 10);

	CHECK(n && !*end);
	return n;
}

static const char *take_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "records", required_argument, NULL, 'r' },
		{ "clients", required_argument, NULL, 'c' },
		{ "example", required_argument, NULL, 'e' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			seconds = (long)number(optarg);
		else if (option == 'r')
			torn_records = number(optarg);
		else if (option == 'c')
			max_clients = (long)number(optarg);
		else if (option == 'e')
			example = optarg;
		else
			break;
	}
	if (option != -1 || optind + 1 != argc) {
		fprintf(stderr, "usage: bench_sensors [--seconds N] [--records N] [--clients N] "
				"[--example PROGRAM] NNACCEL-SENSORD\n");
		exit(2);
	}
	return argv[optind];
}

int main(int argc, char **argv)
{
	static const int rates[] = { 50, 200, 800 };
	const char *program = take_options(argc, argv);
	struct latency latencies[3];
	long clients, batched;
	double channel;
	struct torn torn;

	setvbuf(stdout, NULL, _IOLBF, 0);
	start_service(program);
	for (unsigned int i = 0; i < 3; i++) {
		latencies[i] = measure_latency(rates[i]);
		printf("stamp to callback at %3d Hz            %12.1f us median %10.1f us p99\n",
		       rates[i], (double)latencies[i].median / 1e3, (double)latencies[i].p99 / 1e3);
	}
	clients = most_clients(0);
	batched = most_clients(100000);
	channel = measure_channel();
	if (example)
		run_example(example);
	stop_service();
	torn = measure_torn();
	printf("the ring alone, a writer and a reader    %12.0f records/s %8.1f ns per record\n",
	       torn.writes_per_s, torn.write_ns);
	printf("torn reads                              %12" PRIu64 " of %" PRIu64 ", %" PRIu64
	       " lost\n",
	       torn.torn, torn.read, torn.lost);
	printf("{\"bench\":\"sensors\",\"latency_50_ns\":%" PRId64 ",\"latency_50_p99_ns\":%" PRId64
	       ",\"latency_200_ns\":%" PRId64 ",\"latency_200_p99_ns\":%" PRId64
	       ",\"latency_800_ns\":%" PRId64 ",\"latency_800_p99_ns\":%" PRId64
	       ",\"clients\":%ld,\"clients_batched\":%ld,\"channel_events_s\":%.0f"
	       ",\"ring_records_s\":%.0f,\"torn\":%" PRIu64 ",\"read\":%" PRIu64 "}\n",
	       latencies[0].median, latencies[0].p99, latencies[1].median, latencies[1].p99,
	       latencies[2].median, latencies[2].p99, clients, batched, channel, torn.writes_per_s,
	       torn.torn, torn.read);
	return torn.torn ? 1 : 0;
}
