// SPDX-License-Identifier: Apache-2.0
/* Plain C without the project's headers: it is compiled beside foreign libraries, too. */
#include "peers/serve.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A clock costs some 0.2 us: what is between two readings takes at least so long. */
#define LEAST_BATCH_NS 200000
#define MAX_BATCH 4096
#define MAX_SAMPLES 512

struct times {
	int64_t thread, process, wall;
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t peer_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static struct times times_now(void)
{
	return (struct times){ clock_ns(CLOCK_THREAD_CPUTIME_ID),
			       clock_ns(CLOCK_PROCESS_CPUTIME_ID), peer_now_ns() };
}

/* Where to fill in @times: one run of @batch. */
static int sample(const struct peer *peer, int batch, struct times *times)
{
	const struct times begin = times_now();
	struct times end;

	for (int i = 0; i < batch; i++)
		if (peer->run(peer->cookie))
			return -1;
	end = times_now();
	*times = (struct times){ (end.thread - begin.thread) / batch,
				 (end.process - begin.process) / batch,
				 (end.wall - begin.wall) / batch };
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(const struct times *samples, int count, size_t member)
{
	int64_t values[MAX_SAMPLES];

	for (int i = 0; i < count; i++)
		memcpy(&values[i], (const char *)&samples[i] + member, sizeof(values[i]));
	qsort(values, (size_t)count, sizeof(values[0]), by_value);
	return values[count / 2];
}

static int play_round(const struct peer *peer, int64_t budget, int *batch)
{
	static struct times samples[MAX_SAMPLES];
	int64_t spent = 0;
	int count = 0;

	while (!*batch) { /* the first round finds out; its first run is a warm-up */
		struct times one;
		int n = 1;

		if (sample(peer, 1, &one))
			return -1;
		do {
			if (sample(peer, n, &one))
				return -1;
			*batch = n;
			n *= 2;
		} while (one.process * *batch < LEAST_BATCH_NS && n <= MAX_BATCH);
	}
	do {
		if (sample(peer, *batch, &samples[count]))
			return -1;
		spent += samples[count].process * *batch;
		count++;
	} while (spent < budget && count < MAX_SAMPLES);
	printf("{\"runs\":%d,\"batch\":%d,\"thread_ns\":%" PRId64 ",\"process_ns\":%" PRId64
	       ",\"wall_ns\":%" PRId64 "}\n",
	       count * *batch, *batch, median(samples, count, offsetof(struct times, thread)),
	       median(samples, count, offsetof(struct times, process)),
	       median(samples, count, offsetof(struct times, wall)));
	return 0;
}

static void print_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmHWM:", 6))
			kib = strtol(line + 6, NULL, 10);
	if (f)
		fclose(f);
	printf("{\"peak_kib\":%ld}\n", kib);
}

int peer_refuse(const char *why)
{
	printf("{\"error\":\"");
	for (; *why; why++)
		if (*why == '"' || *why == '\\' || (unsigned char)*why < ' ')
			putchar('\'');
		else
			putchar(*why);
	puts("\"}");
	return 1;
}

int peer_serve(const struct peer *peer)
{
	char line[64];
	int batch = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("{\"first_ns\":%" PRId64 ",\"prepare_ns\":%" PRId64
	       ",\"nodes\":%d,\"taken\":%d,\"pieces\":%d,"
	       "\"kinds\":{\"float32\":%d,\"int8\":%d,\"uint8\":%d}}\n",
	       clock_ns(CLOCK_PROCESS_CPUTIME_ID), peer->prepare_ns, peer->nodes, peer->taken,
	       peer->pieces, peer->float32s, peer->int8s, peer->uint8s);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "round ", 6)) {
			if (play_round(peer, strtoll(line + 6, NULL, 10), &batch))
				return peer_refuse("the model failed in a round");
		} else if (!strcmp(line, "memory\n")) {
			print_memory();
		} else {
			return peer_refuse("unknown command");
		}
	}
	return 0;
}

/* Whether the file beside the model has exactly the input's bytes. */
static int fill_from_file(const char *path, int i, void *data, size_t size)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX];
	FILE *f;
	int good;

	snprintf(name, sizeof(name), "%.*sin0_%d.bin", slash ? (int)(slash + 1 - path) : 0, path,
		 i);
	f = fopen(name, "rb");
	if (!f)
		return 0;
	good = fread(data, 1, size, f) == size && fgetc(f) == EOF;
	fclose(f);
	return good;
}

void peer_fill(const char *path, int i, enum peer_fill how, void *data, size_t size)
{
	uint32_t x = 1;

	if (fill_from_file(path, i, data, size))
		return;
	if (how == PEER_BYTES) {
		for (size_t k = 0; k < size; k++) {
			x = x * 1664525u + 1013904223u;
			((uint8_t *)data)[k] = (uint8_t)(x >> 24);
		}
		return;
	}
	for (size_t k = 0; k < size / sizeof(float); k++) {
		float f;

		x = x * 1664525u + 1013904223u;
		f = (float)(x >> 8) / (1 << 23) - 1;
		memcpy((char *)data + sizeof(f) * k, &f, sizeof(f));
	}
}
