// SPDX-License-Identifier: Apache-2.0
/*
 * Always on: what the accelerometer measures is classified on the accelerator, over and over, and
 * no byte of it is copied. The accelerator's memory is the memory of a direct channel:
 * nnaccel-sensord writes its records there, and a reusable execution has the same memory as its
 * input, 128 records of 26 floats. The model (models/motion) takes x, y and z out of them itself.
 *
 * The channel is a ring of exactly one window, so that at any time it holds the last 128 samples;
 * the model was trained with the oldest at any place. A new classification begins when 16 more have
 * come, right behind a record, and in most cases is over before the next one is written. Where it
 * is not, the oldest of the samples may already be the newest, or half of both; it is counted.
 *
 *	always_on [--device D] [--model FILE] [--socket PATH] [--sensor HANDLE] [--windows N]
 */
#include <errno.h>
#include <getopt.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "nnhal.h"
#include "nnsensors_records.h"
#include "nnimport.h"

#define WINDOW 128u
#define HOP 16u
#define CLASSES 4u
#define LATENCIES 4096u
/* The first sample has to come within this time, and each of the others. */
#define SILENCE_NS 10000000000ll

static const char *const labels[CLASSES] = { "still", "walk", "shake", "fall" };

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "always_on: %s: %s\n", what, why);
	exit(1);
}

static int64_t boottime_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* ---- the accelerator ---- */

static struct nnmodel *load_model(const char *path)
{
	static uint8_t bytes[1 << 20];
	struct nnimport import;
	struct nnmodel *model;
	FILE *file = fopen(path, "re");
	size_t size;

	if (!file)
		die(path, strerror(errno));
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (nnimport_read(bytes, size, &import))
		die(path, import.message);
	model = import.model;
	import.model = NULL;
	nnimport_free(&import);
	return model;
}

struct preparation {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool done;
	struct nnhal_prepared_model *model;
	char message[256];
};

static void prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message)
{
	struct preparation *p = cookie;

	pthread_mutex_lock(&p->lock);
	p->model = model;
	snprintf(p->message, sizeof(p->message), "%s",
		 message && *message ? message : nnhal_status_name(status));
	p->done = true;
	pthread_cond_signal(&p->cond);
	pthread_mutex_unlock(&p->lock);
}

static struct nnhal_prepared_model *prepare(struct nnhal_device *device,
					    const struct nnmodel *model)
{
	const struct nnhal_prepare_config config = {
		.size = sizeof(config),
		.preference = NNHAL_SUSTAINED_SPEED,
		.priority = NNHAL_PRIORITY_MEDIUM,
		.deadline_ns = NNHAL_NO_TIME,
	};
	struct preparation p = { .lock = PTHREAD_MUTEX_INITIALIZER,
				 .cond = PTHREAD_COND_INITIALIZER };

	device->ops->prepare_model(device, model, &config, prepared, &p);
	pthread_mutex_lock(&p.lock);
	while (!p.done)
		pthread_cond_wait(&p.cond, &p.lock);
	pthread_mutex_unlock(&p.lock);
	if (!p.model)
		die(device->ops->name(device), p.message);
	return p.model;
}

struct memory {
	int fd;
	size_t size;
	const void *data; /* for reading */
};

static struct memory memory_of(struct nnhal_device *device, size_t size)
{
	struct memory memory = { .size = size };
	int ret = nnhal_memory_create(device, size, &memory.fd);

	if (ret)
		die("memory of the device", strerror(-ret));
	memory.data = mmap(NULL, size, PROT_READ, MAP_SHARED, memory.fd, 0);
	if (memory.data == MAP_FAILED)
		die("memory of the device", strerror(errno));
	return memory;
}

static struct nnhal_execution *execution_of(struct nnhal_prepared_model *model,
					    const struct memory *records,
					    const struct memory *scores)
{
	const struct nnhal_request_pool pools[] = {
		{ .memory = { .fd = records->fd, .prot = PROT_READ, .size = records->size } },
		{ .memory = { .fd = scores->fd,
			      .prot = PROT_READ | PROT_WRITE,
			      .size = scores->size } },
	};
	const struct nnhal_request_argument in = { .pool = 0, .length = records->size },
					    out = { .pool = 1, .length = scores->size };
	const struct nnhal_request request = {
		.size = sizeof(request),
		.inputs = &in,
		.outputs = &out,
		.num_inputs = 1,
		.num_outputs = 1,
		.pools = pools,
		.num_pools = 2,
	};
	const struct nnhal_execution_config config = { .size = sizeof(config),
						       .loop_timeout_ns = NNHAL_NO_TIME };
	struct nnhal_execution *execution;
	enum nnhal_status status =
		model->ops->create_reusable_execution(model, &request, &config, &execution);

	if (status != NNHAL_NONE)
		die("reusable execution", nnhal_status_name(status));
	return execution;
}

/* ---- the sensor ---- */

static struct nnsensors_direct_channel *channel_into(struct nnsensors_manager *manager,
						     const struct memory *records)
{
	struct nnsensors_direct_channel *channel;
	enum nnsensors_result result;
	struct statfs fs;
	const bool dmabuf = !fstatfs(records->fd, &fs) && fs.f_type == DMA_BUF_MAGIC;

	result = dmabuf ? manager->ops->create_gralloc_direct_channel(manager, records->fd,
								      records->size, &channel)
			: manager->ops->create_ashmem_direct_channel(
				  manager, records->fd, records->size, records->size, &channel);
	if (result != NNSENSORS_OK)
		die("direct channel", nnsensors_result_name(result));
	printf("channel of %u records in a %s of the device\n", WINDOW,
	       dmabuf ? "dma-buf" : "memfd");
	return channel;
}

static void start(struct nnsensors_manager *manager, struct nnsensors_direct_channel *channel,
		  int32_t handle)
{
	struct nnsensors_info info = { .size = sizeof(info) };
	enum nnsensors_result result;
	int32_t token;

	if (handle < 0) {
		result = manager->ops->get_default_sensor(manager, NNSENSORS_TYPE_ACCELEROMETER,
							  &info);
		if (result != NNSENSORS_OK)
			die("accelerometer", nnsensors_result_name(result));
		handle = info.handle;
	}
	result = channel->ops->configure(channel, handle, NNSENSORS_RATE_NORMAL, &token);
	if (result != NNSENSORS_OK)
		die("direct report", nnsensors_result_name(result));
}

/* A direct channel wakes no reader: sleep until the next record is due, then look often. */
static void wait_for(int64_t due_ns)
{
	const int64_t now = boottime_ns(), at = due_ns > now ? due_ns : now + 200000;
	const struct timespec ts = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };

	clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &ts, NULL);
}

/* The next record's stamp. *@period_ns: between records, as far as known. */
static int64_t next_record(struct nnsensors_reader *reader, int64_t *last_ns, int64_t *period_ns)
{
	const int64_t begin = boottime_ns();
	struct nnsensors_record record;
	uint64_t lost;
	int ret;

	while (!(ret = nnsensors_reader_take(reader, &record, &lost))) {
		if (boottime_ns() - begin > SILENCE_NS)
			die("sensor", "no records come");
		wait_for(*last_ns + *period_ns);
	}
	if (ret < 0)
		die("channel", strerror(-ret));
	if (*last_ns)
		*period_ns = (record.timestamp - *last_ns) / (int64_t)(lost + 1);
	*last_ns = record.timestamp;
	return record.timestamp;
}

/* ---- both ---- */

struct counts {
	unsigned int windows, of_class[CLASSES], overtaken;
	double latencies_ms[LATENCIES];
};

static void classify(struct nnhal_execution *execution, const struct memory *scores,
		     int64_t stamp_ns, struct counts *counts)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status =
		execution->ops->execute_synchronously(execution, NNHAL_NO_TIME, &result);
	const float *score = scores->data;
	unsigned int best = 0;
	double latency_ms;

	if (status != NNHAL_NONE)
		die("execution", result.message[0] ? result.message : nnhal_status_name(status));
	nnhal_execution_result_clear(&result);
	latency_ms = (double)(boottime_ns() - stamp_ns) / 1e6;
	for (unsigned int i = 1; i < CLASSES; i++)
		if (score[i] > score[best])
			best = i;
	counts->latencies_ms[counts->windows++ % LATENCIES] = latency_ms;
	counts->of_class[best]++;
	printf("%.3f  %-5s  %.3f  %.3f ms\n", (double)stamp_ns / 1e9, labels[best],
	       (double)score[best], latency_ms);
	fflush(stdout);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int report(struct counts *counts, struct nnhal_device *device)
{
	struct nnhal_counters c = { .size = sizeof(c) };
	const unsigned int n = counts->windows < LATENCIES ? counts->windows : LATENCIES;
	int ret = nnhal_device_get_counters(device, &c);
	uint64_t copied;

	qsort(counts->latencies_ms, n, sizeof(double), compare);
	printf("%u windows:", counts->windows);
	for (unsigned int i = 0; i < CLASSES; i++)
		printf(" %s %u", labels[i], counts->of_class[i]);
	printf("\nsensor's stamp to result: median %.3f ms, p99 %.3f ms\n",
	       counts->latencies_ms[(n - 1) / 2],
	       counts->latencies_ms[(unsigned int)(0.99 * (n - 1))]);
	printf("windows with a newer record before their end: %u\n", counts->overtaken);
	if (ret)
		die("counters", strerror(-ret));
	copied = c.bytes_staged_in + c.bytes_staged_out + c.bytes_bounced;
	printf("%s: %llu bytes used in place, %llu bytes copied\n", device->ops->name(device),
	       (unsigned long long)c.bytes_in_place, (unsigned long long)copied);
	return copied || !c.bytes_in_place ? 1 : 0;
}

struct arguments {
	const char *device, *model, *socket;
	int32_t sensor;
	unsigned int windows;
};

static struct arguments parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "model", required_argument, NULL, 'm' },
		{ "socket", required_argument, NULL, 's' },
		{ "sensor", required_argument, NULL, 'h' },
		{ "windows", required_argument, NULL, 'w' },
		{ 0 },
	};
	struct arguments a = {
		.device = "cpu", .model = "models/motion/model.tflite", .sensor = -1, .windows = 32
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			a.device = optarg;
			break;
		case 'm':
			a.model = optarg;
			break;
		case 's':
			a.socket = optarg;
			break;
		case 'h':
			a.sensor = atoi(optarg);
			break;
		case 'w':
			a.windows = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc || !a.windows)
		die("arguments", "see the head of examples/always_on.c");
	return a;
}

int main(int argc, char **argv)
{
	static struct counts counts;
	const struct arguments a = parse(argc, argv);
	struct nnmodel *model = load_model(a.model);
	struct nnsensors_direct_channel *channel;
	struct nnhal_prepared_model *prepared_model;
	struct nnsensors_manager *manager;
	struct nnhal_execution *execution;
	struct nnsensors_reader reader;
	struct memory records, scores;
	struct nnhal_device *device;
	int64_t stamp = 0, last = 0, period = 1000000;
	char message[256] = "";
	int ret;

	if (nnhal_open(a.device, &device, message, sizeof(message)))
		die(a.device, message);
	prepared_model = prepare(device, model);
	records = memory_of(device, WINDOW * sizeof(struct nnsensors_record));
	scores = memory_of(device, CLASSES * sizeof(float));
	execution = execution_of(prepared_model, &records, &scores);

	if (nnsensors_manager_open(a.socket, &manager, message, sizeof(message)))
		die("sensors", message);
	channel = channel_into(manager, &records);
	nnsensors_reader_init(&reader, records.data, records.size);
	start(manager, channel, a.sensor);

	for (unsigned int i = 0; i < WINDOW - HOP; i++)
		next_record(&reader, &last, &period);
	while (counts.windows < a.windows) {
		uint32_t counter;

		for (unsigned int i = 0; i < HOP; i++)
			stamp = next_record(&reader, &last, &period);
		classify(execution, &scores, stamp, &counts);
		/* the place of the next record: the window's oldest, unless the writer is there */
		counter = __atomic_load_n(&reader.ring[reader.next % WINDOW].counter,
					  __ATOMIC_ACQUIRE);
		counts.overtaken += counter != reader.counter - (WINDOW - 1);
	}
	ret = report(&counts, device);

	channel->ops->destroy(channel);
	manager->ops->destroy(manager);
	execution->ops->destroy(execution);
	prepared_model->ops->destroy(prepared_model);
	munmap((void *)records.data, records.size);
	munmap((void *)scores.data, scores.size);
	close(records.fd);
	close(scores.fd);
	device->ops->destroy(device);
	nnmodel_free(model);
	return ret;
}
