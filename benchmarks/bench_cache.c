// SPDX-License-Identifier: Apache-2.0
/*
 * prepareModelFromCache against prepareModel, for a model whose weights are most of it: how long
 * each takes until its callback, with the parts of loading apart. Reading is a pread() of the whole
 * file from the page cache; hashing its digest; the rest is verification, copying to the device and
 * the callback. A table for people, then one line of JSON.
 *
 *   bench_cache [DEVICE [MEGABYTES OF WEIGHTS]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache.h"

#define UNITS 512u
#define HUGE_PAGE (2ul << 20)
#define RUNS 7
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

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
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
static int64_t prepare(struct nnhal_device *dev, const struct nnmodel *m, const int *cache)
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
	int64_t start = now(), ns;

	if (m)
		dev->ops->prepare_model(dev, m, &config, answered, &a);
	else
		dev->ops->prepare_model_from_cache(dev, NNHAL_NO_TIME, cache, 1, NULL, 0, token,
						   answered, &a);
	pthread_mutex_lock(&a.lock);
	while (!a.called)
		pthread_cond_wait(&a.changed, &a.lock);
	pthread_mutex_unlock(&a.lock);
	ns = now() - start;
	if (a.status)
		die(m ? "prepare" : "load", a.message);
	a.model->ops->destroy(a.model);
	return ns;
}

/* The parts that can be done alone, as the library does them. */
static void read_and_hash(int fd, int64_t *read_ns, int64_t *hash_ns, size_t *size)
{
	uint8_t digest[NNHAL_CACHE_DIGEST], *bytes;
	struct stat st;
	int64_t start;
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
	*read_ns = now() - start;
	start = now();
	nnhal_cache_digest(bytes, *size, digest);
	*hash_ns = now() - start;
	free(bytes);
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_ms(int64_t *ns)
{
	qsort(ns, RUNS, sizeof(*ns), compare);
	return (double)ns[RUNS / 2] / 1e6;
}

int main(int argc, char **argv)
{
	unsigned long megabytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 64;
	int64_t ns[PARTS][RUNS];
	double ms[PARTS];
	struct nnhal_device *dev;
	char message[256];
	struct nnmodel *m;
	size_t size = 0;
	int fd;

	if (!megabytes || megabytes > MAX_MEGABYTES)
		die("megabytes", "1 to 400");
	if (nnhal_open(argc > 1 ? argv[1] : "cpu", &dev, message, sizeof(message)))
		die("open", message);
	m = make_model(megabytes);
	fd = memfd_create("cache", MFD_CLOEXEC);
	if (fd < 0)
		die("cache file", "no memfd");
	/* the parts in turn, so that what else the machine does meets all of them */
	for (int i = 0; i < RUNS; i++) {
		ns[PREPARE][i] = prepare(dev, m, NULL);
		ns[SAVE][i] = prepare(dev, m, &fd);
		ns[LOAD][i] = prepare(dev, NULL, &fd);
		read_and_hash(fd, &ns[READ][i], &ns[HASH][i], &size);
	}
	for (int i = 0; i < PARTS; i++) {
		ms[i] = median_ms(ns[i]);
		printf("%-18s %9.2f ms\n", names[i], ms[i]);
	}
	printf("%-18s %9.2f ms\n", "load, the rest", ms[LOAD] - ms[READ] - ms[HASH]);
	printf("load / prepare     %9.3f\n", ms[LOAD] / ms[PREPARE]);
	printf("{\"bench\": \"cache\", \"device\": \"%s\", \"bytes\": %zu", dev->ops->name(dev),
	       size);
	for (int i = 0; i < PARTS; i++)
		printf(", \"%s_ms\": %.3f", names[i], ms[i]);
	printf(", \"load_over_prepare\": %.4f}\n", ms[LOAD] / ms[PREPARE]);
	nnmodel_free(m);
	close(fd);
	dev->ops->destroy(dev);
	return 0;
}
