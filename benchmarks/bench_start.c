// SPDX-License-Identifier: Apache-2.0
/*
 * Start-up: the time before the first result of an application, each time in a new process. Loading
 * (exec to main(), minus that of a program with the C library alone), enumerating devices, building
 * the model, compiling it, compiling it with an empty and with a filled cache folder, the first and
 * the second execution. Medians of rounds in which the kinds take turns. Prints a table, then a
 * line of JSON per model.
 *
 *   bench_start [--rounds N] [--devices NAME,...] MODEL.tflite ...
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nnhal.h"
#include "runtime/nnctl_runtime.h"
#include "nnclient.h"
#include "nnimport.h"

#define MAX_ROUNDS 200
#define MAX_ARGUMENTS 64

enum kind { PLAIN, CACHE_MISS, CACHE_HIT, BARE, KINDS };
enum { LOAD, ENUMERATE, MODEL, COMPILE, FIRST, SECOND, STEPS };

struct child {
	int64_t ns[STEPS];
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void __attribute__((noreturn)) die(const char *what, const char *why)
{
	fprintf(stderr, "bench_start: %s: %s\n", what, why);
	exit(1);
}

/* ---- in a child ---- */

static void *read_model(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	void *bytes;

	if (!f || fstat(fileno(f), &st))
		die(path, "cannot be read");
	*size = (size_t)st.st_size;
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, f) != *size)
		die(path, "cannot be read");
	fclose(f);
	return bytes;
}

static void allocate(const struct nnmodel *model, struct runtime_argument *args)
{
	const struct nnmodel_subgraph *g = &model->main;

	if (g->num_inputs + g->num_outputs > MAX_ARGUMENTS)
		die("model", "too many inputs and outputs");
	for (uint32_t i = 0; i < g->num_inputs + g->num_outputs; i++) {
		uint32_t n = i < g->num_inputs ? g->inputs[i] : g->outputs[i - g->num_inputs];
		uint64_t bytes;

		if (nnmodel_operand_bytes(&g->operands[n], &bytes))
			die("model", "a shape is unknown");
		args[i] = (struct runtime_argument){ calloc(1, bytes), bytes };
	}
}

static int64_t compute(ANeuralNetworksCompilation *c, const struct nnmodel *model,
		       const struct runtime_argument *args)
{
	const struct runtime_arguments all = { args, args + model->main.num_inputs,
					       model->main.num_inputs, model->main.num_outputs };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	int64_t start = now_ns();

	if (runtime_compute(c, &all, 0, false, &result))
		die("compute", result.message);
	start = now_ns() - start;
	nnhal_execution_result_clear(&result);
	return start;
}

static int measure(const char *path, const char *devices, const char *cache, int64_t started)
{
	static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = "bench_start";
	struct child c = { .ns = { [LOAD] = now_ns() - started } };
	struct runtime_argument args[MAX_ARGUMENTS];
	struct nnimport import;
	ANeuralNetworksCompilation *compilation;
	struct runtime_model model;
	char message[512];
	uint32_t count;
	size_t size;
	void *bytes;
	int64_t at;

	bytes = read_model(path, &size);
	if (nnimport_read(bytes, size, &import))
		die(path, import.message);
	allocate(import.model, args);

	at = now_ns();
	if (ANeuralNetworks_getDeviceCount(&count))
		die("getDeviceCount", "failed");
	c.ns[ENUMERATE] = now_ns() - at;
	at = now_ns();
	if (runtime_model_create(import.model, &model, message, sizeof(message)))
		die("model", message);
	c.ns[MODEL] = now_ns() - at;
	at = now_ns();
	if (runtime_compilation_create(model.model, devices, &compilation, message,
				       sizeof(message)))
		die("compilation", message);
	if (cache && ANeuralNetworksCompilation_setCaching(compilation, cache, token))
		die("setCaching", cache);
	if (ANeuralNetworksCompilation_finish(compilation))
		die("compilation", "failed (set NNAPI_LOG=info for the reason)");
	c.ns[COMPILE] = now_ns() - at;
	c.ns[FIRST] = compute(compilation, import.model, args);
	c.ns[SECOND] = compute(compilation, import.model, args);
	return write(STDOUT_FILENO, &c, sizeof(c)) == sizeof(c) ? 0 : 1;
}

/* ---- in the parent ---- */

/* Run @program with its arguments and the current time as the last one. */
static bool run_child(const char *const *arguments, struct child *child)
{
	char text[32], *argv[8];
	int pipes[2], status, n = 0;
	pid_t pid;
	bool good;

	while (arguments[n]) {
		argv[n] = (char *)arguments[n];
		n++;
	}
	if (pipe(pipes))
		return false;
	snprintf(text, sizeof(text), "%" PRId64, now_ns());
	argv[n++] = text;
	argv[n] = NULL;
	pid = vfork();
	if (!pid) {
		dup2(pipes[1], STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	close(pipes[1]);
	good = pid > 0 && read(pipes[0], child, sizeof(*child)) == sizeof(*child);
	close(pipes[0]);
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status && good;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_ms(struct child *of, int rounds, int step)
{
	int64_t values[MAX_ROUNDS];

	for (int i = 0; i < rounds; i++)
		values[i] = of[i].ns[step];
	qsort(values, (size_t)rounds, sizeof(values[0]), by_value);
	return (double)values[rounds / 2] / 1e6;
}

static void empty_folder(const char *folder)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -f '%s'/*", folder);
	if (system(command))
		die(folder, "cannot be emptied");
}

static void bench(const char *self, const char *bare, const char *path, const char *devices,
		  int rounds, const char *folder)
{
	static struct child children[KINDS][MAX_ROUNDS];
	const char *const runs[KINDS][6] = {
		[PLAIN] = { self, "--child", path, devices, "", NULL },
		[CACHE_MISS] = { self, "--child", path, devices, folder, NULL },
		[CACHE_HIT] = { self, "--child", path, devices, folder, NULL },
		[BARE] = { bare, NULL },
	};
	const char *name = strrchr(path, '/');
	double load, plain[STEPS], hit[STEPS], miss;

	for (int i = -1; i < rounds; i++) { /* round -1 does not count: it brings files into memory
					     */
		for (int kind = 0; kind < KINDS; kind++) {
			if (kind == CACHE_MISS)
				empty_folder(folder);
			if (!run_child(runs[kind], &children[kind][i < 0 ? 0 : i]))
				die(path, "a child failed");
		}
	}
	for (int s = 0; s < STEPS; s++) {
		plain[s] = median_ms(children[PLAIN], rounds, s);
		hit[s] = median_ms(children[CACHE_HIT], rounds, s);
	}
	miss = median_ms(children[CACHE_MISS], rounds, COMPILE);
	load = plain[LOAD] - median_ms(children[BARE], rounds, LOAD);
	/* "model.tflite" is named by its folder */
	while (name && name > path && name[-1] != '/')
		name--;
	name = name ? name : path;
	printf("%-34.*s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f\n",
	       (int)strcspn(name, "/"), name, load, plain[ENUMERATE], plain[MODEL], plain[COMPILE],
	       miss, hit[COMPILE], hit[COMPILE] / plain[COMPILE], plain[FIRST], hit[FIRST],
	       plain[SECOND]);
	printf("{\"bench\":\"start\",\"model\":\"%.*s\",\"load_ms\":%.3f,\"enumerate_ms\":%.3f,\"model_ms\":%.3f,"
	       "\"compile_ms\":%.3f,\"compile_and_cache_ms\":%.3f,\"from_cache_ms\":%.3f,\"from_cache_per_compile\":%.3f,"
	       "\"first_ms\":%.3f,\"first_from_cache_ms\":%.3f,\"second_ms\":%.3f}\n",
	       (int)strcspn(name, "/"), name, load, plain[ENUMERATE], plain[MODEL], plain[COMPILE],
	       miss, hit[COMPILE], hit[COMPILE] / plain[COMPILE], plain[FIRST], hit[FIRST],
	       plain[SECOND]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/bench-start-XXXXXX", self[512], bare[520];
	const char *devices = "";
	int rounds = 21, i;
	ssize_t n;

	if (argc == 6 && !strcmp(argv[1], "--child"))
		return measure(argv[2], *argv[3] ? argv[3] : NULL, *argv[4] ? argv[4] : NULL,
			       strtoll(argv[5], NULL, 10));
	for (i = 1; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "--rounds"))
			rounds = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--devices"))
			devices = argv[i + 1];
		else
			break;
	}
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (i >= argc || rounds < 1 || rounds > MAX_ROUNDS || n < 0 || !mkdtemp(folder)) {
		fputs("usage: bench_start [--rounds N] [--devices NAME,...] MODEL.tflite ...\n",
		      stderr);
		return 2;
	}
	self[n] = '\0';
	snprintf(bare, sizeof(bare), "%s_bare", self);
	printf("%-34s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "ms", "load", "devices", "model",
	       "compile", "+ cache", "cached", "ratio", "first", "cached", "second");
	for (; i < argc; i++)
		bench(self, bare, argv[i], devices, rounds, folder);
	empty_folder(folder);
	rmdir(folder);
	return 0;
}
