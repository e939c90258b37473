// SPDX-License-Identifier: Apache-2.0
/*
 * prepareModelFromCache against prepareModel, for a model that is mostly weights, or of a file: the
 * time until the callback, the processor time of the process in it, and the parts of loading.
 * Reading is a pread() of the whole file from the page cache, hashing is its digest; the rest is
 * verification, the copy to the device and the callback. Each preparation begins when the device
 * has done with the one before. Prints a table, then one line of JSON.
 *
 *   bench_cache [DEVICE [MEGABYTES OF WEIGHTS | MODEL.tflite]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench_model.h"
#include "cache/nnhal_cache.h"
#include "nnhal.h"

#define UNITS 512u
#define HUGE_PAGE (2ul << 20)
#define RUNS 15
#define MAX_MEGABYTES 400ul

enum part { PREPARE, SAVE, LOAD, READ, HASH, PARTS };
static const char *const names[PARTS] = { "prepare", "prepare_and_save", "load", "read", "hash" };

struct answer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool called;
	enum nnhal_status status;
	struct nnhal_prepared_model *model;
	char message[256];
};

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "bench_cache: %s: %s\n", what, why);
	exit(1);
}

static int64_t clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Time that passes, and processor time of the process. */
struct span {
	int64_t wall, cpu;
};

static struct span now(void)
{
	return (struct span){ clock_now(CLOCK_MONOTONIC), clock_now(CLOCK_PROCESS_CPUTIME_ID) };
}

static struct span since(struct span start)
{
	struct span end = now();

	return (struct span){ end.wall - start.wall, end.cpu - start.cpu };
}

static void answered(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message)
{
	struct answer *a = cookie;

	pthread_mutex_lock(&a->lock);
	a->called = true;
	a->status = status;
	a->model = model;
	snprintf(a->message, sizeof(a->message), "%s", message ? message : "");
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

/* FULLY_CONNECTED layers of 1 MiB of weights each. */
static struct nnmodel *make_model(unsigned long megabytes)
{
	const uint32_t dims[] = { 1, UNITS }, weights_dims[] = { UNITS, UNITS }, units = UNITS;
	struct nnmodel *m = nnmodel_new();
	float *weights = malloc(UNITS * UNITS * sizeof(float)), bias[UNITS] = { 0 };
	uint32_t first, prev, next, w, b, act;

	if (!m || !weights)
		die("model", "out of memory");
	for (uint32_t i = 0; i < UNITS * UNITS; i++)
		weights[i] = (float)((int)(i * 2654435761u >> 20) - 2048) / 65536.0f;
	first = prev = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 2, 0, 0);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_RELU);
	for (unsigned long i = 0; i < megabytes; i++) {
		w = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, weights_dims, 2, 0,
						  0);
		b = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, &units, 1, 0, 0);
		next = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 2, 0, 0);
		weights[i] += 1;
		if (nnmodel_set_value(m, w, weights, UNITS * UNITS * sizeof(float)) ||
		    nnmodel_set_value(m, b, bias, sizeof(bias)) ||
		    nnmodel_add_operation(m, NNMODEL_FULLY_CONNECTED,
					  (uint32_t[]){ prev, w, b, act }, 4, &next, 1) < 0)
			die("model", "cannot be built");
		prev = next;
	}
	if (nnmodel_set_io(m, &first, 1, &prev, 1))
		die("model", "cannot be built");
	free(weights);
	return m;
}

/* From the call until the callback. @m NULL: from the cache. */
static struct span prepare(struct nnhal_device *dev, const struct nnmodel *m, const int *cache)
{
	static const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 42 };
	struct nnhal_prepare_config config = {
		.size = sizeof(config),
		.preference = NNHAL_SUSTAINED_SPEED,
		.priority = NNHAL_PRIORITY_MEDIUM,
		.deadline_ns = NNHAL_NO_TIME,
		.model_cache = cache,
		.num_model_cache = cache ? 1 : 0,
		.token = cache ? token : NULL,
	};
	struct answer a = { .lock = PTHREAD_MUTEX_INITIALIZER,
			    .changed = PTHREAD_COND_INITIALIZER };
	struct span start = now(), ns;

	if (m)
		dev->ops->prepare_model(dev, m, &config, answered, &a);
	else
		dev->ops->prepare_model_from_cache(dev, NNHAL_NO_TIME, cache, 1, NULL, 0, token,
						   answered, &a);
	pthread_mutex_lock(&a.lock);
	while (!a.called)
		pthread_cond_wait(&a.changed, &a.lock);
	pthread_mutex_unlock(&a.lock);
	ns = since(start);
	if (a.status)
		die(m ? "prepare" : "load", a.message);
	a.model->ops->destroy(a.model);
	return ns;
}

/* Parts that can be measured alone, with the functions of the library. */
static void read_and_hash(int fd, struct span *read_ns, struct span *hash_ns, size_t *size)
{
	uint8_t digest[NNHAL_CACHE_DIGEST], *bytes;
	struct span start;
	struct stat st;
	void *memory;
	size_t done;
	ssize_t n;

	start = now();
	if (fstat(fd, &st) || posix_memalign(&memory, HUGE_PAGE, (size_t)st.st_size))
		die("cache file", "cannot be read");
	bytes = memory;
	*size = (size_t)st.st_size;
	madvise(bytes, *size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	for (done = 0; done < *size; done += (size_t)n) {
		n = pread(fd, bytes + done, *size - done, (off_t)done);
		if (n <= 0)
			die("cache file", "cannot be read");
	}
	*read_ns = since(start);
	start = now();
	nnhal_cache_digest(bytes, *size, digest);
	*hash_ns = since(start);
	free(bytes);
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_ms(const struct span *spans, bool cpu)
{
	int64_t ns[RUNS];

	for (int i = 0; i < RUNS; i++)
		ns[i] = cpu ? spans[i].cpu : spans[i].wall;
	qsort(ns, RUNS, sizeof(*ns), compare);
	return (double)ns[RUNS / 2] / 1e6;
}

static struct nnmodel *model_of(const char *what)
{
	char *end;
	unsigned long megabytes = strtoul(what, &end, 10);

	if (*end)
		return bench_file_model(what);
	if (!megabytes || megabytes > MAX_MEGABYTES)
		die("megabytes", "1 to 400");
	return make_model(megabytes);
}

int main(int argc, char **argv)
{
	double ms[PARTS], cpu_ms[PARTS];
	struct span spans[PARTS][RUNS];
	struct nnhal_device *dev;
	char message[256];
	struct nnmodel *m;
	size_t size = 0;
	int fd;

	if (nnhal_open(argc > 1 ? argv[1] : "cpu", &dev, message, sizeof(message)))
		die("open", message);
	m = model_of(argc > 2 ? argv[2] : "64");
	fd = memfd_create("cache", MFD_CLOEXEC);
	if (fd < 0)
		die("cache file", "no memfd");
	/* the parts take turns, so that other load affects all of them */
	for (int i = 0; i < RUNS; i++) {
		spans[PREPARE][i] = prepare(dev, m, NULL);
		spans[SAVE][i] = prepare(dev, m, &fd);
		spans[LOAD][i] = prepare(dev, NULL, &fd);
		read_and_hash(fd, &spans[READ][i], &spans[HASH][i], &size);
	}
	for (int i = 0; i < PARTS; i++) {
		ms[i] = median_ms(spans[i], false);
		cpu_ms[i] = median_ms(spans[i], true);
		printf("%-18s %9.2f ms %9.2f ms of a processor\n", names[i], ms[i], cpu_ms[i]);
	}
	printf("load / prepare     %9.3f    %9.3f\n", ms[LOAD] / ms[PREPARE],
	       cpu_ms[LOAD] / cpu_ms[PREPARE]);
	printf("{\"bench\": \"cache\", \"device\": \"%s\", \"bytes\": %zu", dev->ops->name(dev),
	       size);
	for (int i = 0; i < PARTS; i++)
		printf(", \"%s_ms\": %.3f, \"%s_cpu_ms\": %.3f", names[i], ms[i], names[i],
		       cpu_ms[i]);
	printf(", \"load_over_prepare\": %.4f, \"load_over_prepare_cpu\": %.4f}\n",
	       ms[LOAD] / ms[PREPARE], cpu_ms[LOAD] / cpu_ms[PREPARE]);
	nnmodel_free(m);
	close(fd);
	dev->ops->destroy(dev);
	return 0;
}
