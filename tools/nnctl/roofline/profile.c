// SPDX-License-Identifier: Apache-2.0
#include "roofline/nnctl_roofline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/nnctl_base.h"

#define MARK "]op "
#define RUNS "20" /* where the caller names no number */

/* ---- reading ---- */

static struct profile_op *profile_find(struct profile *p, const struct profile_op *like)
{
	struct profile_op *ops;

	for (size_t i = 0; i < p->count; i++)
		if (p->ops[i].graph == like->graph && p->ops[i].number == like->number)
			return &p->ops[i];
	ops = reallocarray(p->ops, p->count + 1, sizeof(*ops));
	if (!ops)
		return NULL;
	p->ops = ops;
	ops[p->count] = *like;
	return &ops[p->count++];
}

static int profile_add(struct profile *p, const struct profile_op *mark, int64_t ns, uint64_t times)
{
	struct profile_op *op = profile_find(p, mark);

	if (!op)
		return -ENOMEM;
	if (op->count == op->room) {
		const size_t room = op->room ? 2 * op->room : 64;
		int64_t *samples = reallocarray(op->samples, room, sizeof(*samples));

		if (!samples)
			return -ENOMEM;
		op->samples = samples;
		op->room = room;
	}
	op->samples[op->count++] = ns;
	op->ran += times;
	/* of the last time: in a loop shapes may change */
	op->macs = mark->macs;
	op->elements = mark->elements;
	op->bytes = mark->bytes;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
	const struct profile_op *x = a, *y = b;

	if (x->graph != y->graph)
		return x->graph < y->graph ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The first operation of the model runs once in each run. */
static void profile_finish(struct profile *p)
{
	qsort(p->ops, p->count, sizeof(*p->ops), by_place);
	for (size_t i = 0; i < p->count; i++) {
		struct profile_op *op = &p->ops[i];

		qsort(op->samples, op->count, sizeof(*op->samples), by_value);
		op->ns = op->samples[op->count / 2];
		op->times = (double)op->ran / (double)p->ops[0].ran;
	}
}

/* After @label; NULL: it is not there, or no number follows. */
static const char *profile_number(const char *at, const char *label, uint64_t *value)
{
	char *end;

	if (!at || strncmp(at, label, strlen(label)))
		return NULL;
	at += strlen(label);
	*value = strtoull(at, &end, 10);
	return end > at ? end : NULL;
}

/* Up to a blank, which is skipped. */
static const char *word(const char *at, char *text, size_t size)
{
	const size_t len = at ? strcspn(at, " \n") : 0;

	if (!at || !len || len >= size || at[len] != ' ')
		return NULL;
	memcpy(text, at, len);
	text[len] = '\0';
	return at + len + 1;
}

static bool profile_parse(const char *at, struct profile_op *op, uint64_t *ns, uint64_t *times)
{
	uint64_t graph = 0, place = 0;

	at = profile_number(at, "", &graph);
	at = profile_number(at, ".", &place);
	at = at && *at == ' ' ? word(at + 1, op->name, sizeof(op->name)) : NULL;
	at = word(at, op->type, sizeof(op->type));
	at = profile_number(at, "ns=", ns);
	at = profile_number(at, " macs=", &op->macs);
	at = profile_number(at, " elements=", &op->elements);
	at = profile_number(at, " bytes=", &op->bytes);
	at = profile_number(at, " times=", times);
	op->graph = (uint32_t)graph;
	op->number = (uint32_t)place;
	return at && *times;
}

int profile_read(FILE *trace, struct profile *profile)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	*profile = (struct profile){ 0 };
	while (!ret && getline(&line, &room, trace) > 0) {
		const char *mark = strstr(line, MARK);
		struct profile_op op = { 0 };
		uint64_t ns, times = 0;

		if (mark && profile_parse(mark + strlen(MARK), &op, &ns, &times))
			ret = profile_add(profile, &op, (int64_t)ns, times);
	}
	free(line);
	if (!ret && profile->count)
		profile_finish(profile);
	return ret;
}

void profile_free(struct profile *profile)
{
	for (size_t i = 0; i < profile->count; i++)
		free(profile->ops[i].samples);
	free(profile->ops);
	*profile = (struct profile){ 0 };
}

/* ---- running ---- */

/* In the child: standard output is dropped, standard error is the user's. */
static void __attribute__((noreturn)) run(int argc, char **argv, const char *target)
{
	static char program[] = "/proc/self/exe", option[] = "--runs", runs[] = RUNS;
	char **arguments = calloc((size_t)argc + 4, sizeof(*arguments));
	bool has_runs = false;
	int n = 0, null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (!arguments || null < 0)
		_exit(127);
	arguments[n++] = program;
	for (int i = 0; i < argc; i++) {
		has_runs |= !strncmp(argv[i], "--runs", 6);
		if (strcmp(argv[i], "--ops") && strcmp(argv[i], "--json"))
			arguments[n++] = argv[i];
	}
	if (!has_runs) {
		arguments[n++] = option;
		arguments[n++] = runs;
	}
	dup2(null, STDOUT_FILENO);
	setenv("NNTRACE", target, 1);
	setenv("NNTRACE_DETAIL", "2", 1);
	execv(program, arguments);
	complain("cannot run nnctl again: %s", strerror(errno));
	_exit(127);
}

/* Whether the child has done its work. */
static bool run_traced(int argc, char **argv, const char *path)
{
	char target[PATH_MAX + 8];
	int status;
	pid_t pid;

	snprintf(target, sizeof(target), "file:%s", path);
	fflush(NULL);
	pid = fork();
	if (!pid)
		run(argc, argv, target);
	if (pid < 0) {
		complain("cannot start a process: %s", strerror(errno));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static int read_trace(const char *path, struct profile *profile)
{
	FILE *trace = fopen(path, "re");
	int ret = trace ? profile_read(trace, profile) : -errno;

	if (trace)
		fclose(trace);
	if (ret)
		complain("the trace of the operations cannot be read: %s", strerror(-ret));
	else if (!profile->count)
		complain(
			"--ops: the device reports no times of operations; nnctl info shows its firmware");
	return ret || !profile->count ? -1 : 0;
}

int profile_run(int argc, char **argv, struct profile *profile)
{
	const char *folder = secure_getenv("TMPDIR");
	char path[PATH_MAX];
	int fd, ret = -1;

	*profile = (struct profile){ 0 };
	snprintf(path, sizeof(path), "%s/nnctl-ops-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return -1;
	}
	close(fd);
	if (run_traced(argc, argv, path))
		ret = read_trace(path, profile);
	unlink(path);
	return ret;
}
