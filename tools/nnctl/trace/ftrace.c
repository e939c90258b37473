// SPDX-License-Identifier: Apache-2.0
#include "trace/nnctl_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "nnutil_file.h"
#include "nnutil_text.h"

#define PREFIX "nnctl-"

struct trace_ftrace {
	struct tracefs_instance *instance;
	char *marker;
};

/* Remove the instances of recorders that were killed. */
static void remove_stale(void)
{
	char **names = tracefs_instances("^" PREFIX "[0-9][0-9]*$");

	for (int i = 0; names && names[i]; i++) {
		struct tracefs_instance *old;
		uint64_t pid;

		if (nnutil_parse_u64(names[i] + strlen(PREFIX), 10, 1, INT32_MAX, &pid) ||
		    !kill((pid_t)pid, 0) || errno != ESRCH)
			continue;
		old = tracefs_instance_alloc(NULL, names[i]);
		if (old) {
			tracefs_instance_destroy(old);
			tracefs_instance_free(old);
		}
	}
	tracefs_list_free(names);
}

/* A kernel without the driver's events is no error; without an event of @events it is. */
static int enable_events(struct tracefs_instance *instance, char *const *events, size_t count,
			 char *why, size_t size)
{
	/*
	 * Rare events. Enabled events also make ftrace remember the names and ids of threads.
	 */
	static const char *const processes[] = { "sched_process_exec", "sched_process_fork",
						 "sched_process_exit" };
	char system[128];

	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++)
		tracefs_event_enable(instance, "sched", processes[i]);
	tracefs_event_enable(instance, "task", "task_rename");
	tracefs_event_enable(instance, "nnaccel", NULL);
	for (size_t i = 0; i < count; i++) {
		const char *colon = strchr(events[i], ':');

		snprintf(system, sizeof(system), "%.*s", colon ? (int)(colon - events[i]) : 127,
			 events[i]);
		if (tracefs_event_enable(instance, system, colon ? colon + 1 : NULL) < 0) {
			snprintf(why, size, "the kernel has no event %s", events[i]);
			return -1;
		}
	}
	return 0;
}

struct trace_ftrace *trace_ftrace_open(int64_t buffer_kb, char *const *events, size_t num_events,
				       char *why, size_t why_size)
{
	struct trace_ftrace *t = calloc(1, sizeof(*t));
	char name[32];

	if (!t || !tracefs_tracing_dir()) {
		snprintf(why, why_size, t ? "tracefs is not mounted" : "out of memory");
		free(t);
		return NULL;
	}
	remove_stale();
	snprintf(name, sizeof(name), PREFIX "%d", (int)getpid());
	t->instance = tracefs_instance_create(name);
	if (!t->instance) {
		snprintf(why, why_size, "cannot create an ftrace instance in %s: %s",
			 tracefs_tracing_dir(), strerror(errno));
		free(t);
		return NULL;
	}
	tracefs_trace_off(t->instance);
	t->marker = tracefs_instance_get_file(t->instance, "trace_marker");
	if (!t->marker || access(t->marker, W_OK))
		snprintf(why, why_size, "the ftrace instance has no writable trace_marker");
	else if (tracefs_instance_file_write(t->instance, "trace_clock", "boot") < 0)
		snprintf(why, why_size, "the kernel has no trace clock \"boot\"");
	else if (tracefs_instance_set_buffer_size(t->instance, (size_t)buffer_kb, -1))
		snprintf(why, why_size, "cannot allocate buffers of %lld KiB per processor: %s",
			 (long long)buffer_kb, strerror(errno));
	else if (!enable_events(t->instance, events, num_events, why, why_size)) {
		/* the option may be missing: marks carry their process */
		tracefs_option_enable(t->instance, TRACEFS_OPTION_RECORD_TGID);
		return t;
	}
	trace_ftrace_close(t);
	return NULL;
}

const char *trace_ftrace_marker(const struct trace_ftrace *t)
{
	return t->marker;
}

int trace_ftrace_start(struct trace_ftrace *t)
{
	return tracefs_trace_on(t->instance) ? -errno : 0;
}

void trace_ftrace_stop(struct trace_ftrace *t)
{
	tracefs_trace_off(t->instance);
}

/* "overrun: N" and "dropped events: N" of each processor. */
static unsigned long long count_lost(struct trace_ftrace *t)
{
	static const char *const words[] = { "\noverrun: ", "\ndropped events: " };
	unsigned long long lost = 0;
	uint64_t number;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		char path[64], *stats;

		snprintf(path, sizeof(path), "per_cpu/cpu%ld/stats", cpu);
		stats = tracefs_instance_file_read(t->instance, path, NULL);
		if (!stats)
			continue;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			const char *at = strstr(stats, words[i]);

			if (at)
				at += strlen(words[i]);
			if (at && !nnutil_scan_u64(&at, 10, 0, UINT64_MAX, &number))
				lost += number;
		}
		free(stats);
	}
	return lost;
}

int trace_ftrace_save(struct trace_ftrace *t, int fd, unsigned long long *lost)
{
	char buffer[65536];
	int in, ret = 0;
	ssize_t n;

	*lost = count_lost(t);
	in = tracefs_instance_file_open(t->instance, "trace", O_RDONLY);
	if (in < 0)
		return -errno;
	while (!ret) {
		n = read(in, buffer, sizeof(buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			ret = -errno;
		if (n <= 0)
			break;
		ret = nnutil_write_all(fd, buffer, (size_t)n);
	}
	close(in);
	return ret;
}

void trace_ftrace_close(struct trace_ftrace *t)
{
	if (!t)
		return;
	tracefs_event_disable(t->instance, NULL, NULL);
	tracefs_put_tracing_file(t->marker);
	tracefs_instance_destroy(t->instance);
	tracefs_instance_free(t->instance);
	free(t);
}
