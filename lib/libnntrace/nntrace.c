// SPDX-License-Identifier: Apache-2.0
/* Writing marks: one write(2) each, to trace_marker or to a text file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "nntrace.h"
#include "nntrace_op.h"
#include "sink.h"

/*
 * nntrace_state is 0 when off, else session << SESSION_SHIFT | sink, and a scope keeps it in its
 * upper half with the number of its begins in the lower one. Sessions count up: a scope of an
 * earlier session writes nothing more.
 */
#define SESSION_SHIFT 2
#define SINK_MASK 3U

/*
 * There is no constructor: tracing counts as on until the first trace point reads the environment.
 */
#define UNREAD UINT32_MAX

uint32_t nntrace_state = UNREAD;

static struct {
	pthread_mutex_t lock; /* start and stop; never taken by a trace point */
	uint32_t last; /* the last nntrace_state that was on */
	/* opened at the first use of a sink and then only replaced, never closed */
	int fd[NNTRACE_SINKS];
	uint64_t dropped;
	char pid[16]; /* of this process: "1234" */
	unsigned int pid_len;
	int detail;
} trace = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.fd = { -1, -1, -1 },
};

/* initial-exec: the first use in a thread allocates nothing */
static __thread unsigned int muted __attribute__((tls_model("initial-exec")));

_Static_assert(NNTRACE_SINKS <= SINK_MASK + 1, "a sink fits its bits of the state");

/* After fork(): another thread of the parent may have held the lock. */
static void learn_pid(void)
{
	pthread_mutex_init(&trace.lock, NULL);
	trace.pid_len = (unsigned int)snprintf(trace.pid, sizeof(trace.pid), "%d", (int)getpid());
}

/* Room for a mark and, in a file, the columns before it. */
#define LINE_MAX_BYTES (NNTRACE_MARK_MAX + 160)

/* The columns that the kernel would write. */
static size_t put_columns(char *line, size_t size)
{
	char comm[17] = "";
	struct timespec now;
	int cpu = sched_getcpu(), n;

	clock_gettime(CLOCK_BOOTTIME, &now);
	if (prctl(PR_GET_NAME, comm, 0, 0, 0) || !comm[0])
		strcpy(comm, "<...>");
	for (char *c = comm; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
	/* readers want two characters, the first not a space */
	if (comm[0] == ' ')
		comm[0] = '_';
	if (!comm[1])
		strcpy(comm + 1, "_");
	n = snprintf(line, size,
		     "%16s-%-7d (%7s) [%03d] .... %5lld.%06ld: tracing_mark_write: ", comm,
		     (int)gettid(), trace.pid, cpu < 0 ? 0 : cpu, (long long)now.tv_sec,
		     now.tv_nsec / 1000);
	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

/*
 * Write one mark: @kind, the process id and, for a begin, its text. False: it was not written, and
 * is counted as dropped.
 */
static bool put_mark(uint32_t state, char kind, const char *mark, size_t len)
{
	enum nntrace_sink sink = state & SINK_MASK;
	int saved = errno;
	char line[LINE_MAX_BYTES];
	size_t at = 0;
	bool ok;

	if (sink == NNTRACE_SINK_FILE)
		at = put_columns(line, sizeof(line));
	line[at++] = kind;
	line[at++] = '|';
	memcpy(line + at, trace.pid, trace.pid_len);
	at += trace.pid_len;
	if (kind == 'B') {
		if (len > NNTRACE_MARK_MAX)
			len = NNTRACE_MARK_MAX;
		line[at++] = '|';
		memcpy(line + at, mark, len);
		at += len;
	}
	line[at++] = '\n';
	ok = write(__atomic_load_n(&trace.fd[sink], __ATOMIC_RELAXED), line, at) == (ssize_t)at;
	if (!ok)
		__atomic_fetch_add(&trace.dropped, 1, __ATOMIC_RELAXED);
	errno = saved;
	return ok;
}

static int start(const char *target);

static void read_environment(void)
{
	const char *detail = secure_getenv("NNTRACE_DETAIL");
	int saved = errno;

	trace.detail = !detail ? 0 : !strcmp(detail, "1") ? 1 : !strcmp(detail, "2") ? 2 : 0;
	learn_pid();
	pthread_atfork(NULL, NULL, learn_pid);
	start(secure_getenv("NNTRACE"));
	if (nntrace_state == UNREAD)
		__atomic_store_n(&nntrace_state, 0, __ATOMIC_RELEASE);
	errno = saved;
}

static void environment(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_environment);
}

nntrace_scope_t nntrace_begin(const char *mark, size_t len)
{
	uint32_t state = __atomic_load_n(&nntrace_state, __ATOMIC_ACQUIRE);

	if (state == UNREAD) {
		environment();
		state = __atomic_load_n(&nntrace_state, __ATOMIC_ACQUIRE);
	}
	if (!state || muted || !put_mark(state, 'B', mark, len))
		return 0;
	return (nntrace_scope_t)state << 32 | 1;
}

nntrace_scope_t nntrace_switch(nntrace_scope_t scope, const char *mark, size_t len)
{
	uint32_t state = (uint32_t)(scope >> 32);

	/*
	 * without a begin there is nothing to switch from: the switch would end a scope of the
	 * caller
	 */
	if (!scope || state != __atomic_load_n(&trace.last, __ATOMIC_ACQUIRE) ||
	    !put_mark(state, 'B', mark, len))
		return scope;
	return scope + 1;
}

void nntrace_end(nntrace_scope_t scope)
{
	uint32_t state = (uint32_t)(scope >> 32);

	if (state != __atomic_load_n(&trace.last, __ATOMIC_ACQUIRE))
		return;
	for (uint32_t n = (uint32_t)scope; n; n--)
		put_mark(state, 'E', NULL, 0);
}

static int start(const char *target)
{
	enum nntrace_sink sink;
	uint32_t state;
	int fd, ret;

	pthread_mutex_lock(&trace.lock);
	if (nntrace_state && nntrace_state != UNREAD) {
		ret = -EBUSY;
		goto out;
	}
	ret = nntrace_target_open(target, &sink, &fd);
	if (ret || sink == NNTRACE_SINK_NONE)
		goto out;
	if (trace.fd[sink] >= 0) {
		/* dup2() keeps the number: a thread may have read it and be about to write */
		ret = dup3(fd, trace.fd[sink], O_CLOEXEC) < 0 ? -errno : 0;
		close(fd);
		if (ret)
			goto out;
	} else {
		__atomic_store_n(&trace.fd[sink], fd, __ATOMIC_RELAXED);
	}
	state = ((trace.last >> SESSION_SHIFT) + 1) << SESSION_SHIFT | sink;
	__atomic_store_n(&trace.last, state, __ATOMIC_RELEASE);
	__atomic_store_n(&nntrace_state, state, __ATOMIC_RELEASE);
out:
	pthread_mutex_unlock(&trace.lock);
	return ret;
}

int nntrace_start(const char *target)
{
	environment();
	return start(target);
}

void nntrace_stop(void)
{
	environment();
	pthread_mutex_lock(&trace.lock);
	__atomic_store_n(&nntrace_state, 0, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&trace.lock);
}

void nntrace_mute(void)
{
	muted++;
}

void nntrace_unmute(void)
{
	if (muted)
		muted--;
}

int nntrace_detail(void)
{
	environment();
	return trace.detail;
}

int nntrace_muted(void)
{
	return muted > 0;
}

uint64_t nntrace_dropped(void)
{
	return __atomic_load_n(&trace.dropped, __ATOMIC_RELAXED);
}

void nntrace_op_mark(const struct nntrace_op *op)
{
	nntrace_scope_t scope;
	char text[320];
	int n;

	n = snprintf(text, sizeof(text),
		     NNTRACE_MARK("", NNTRACE_LAYER_CPU, NNTRACE_PHASE_UNSPECIFIED,
				  "op %" PRIu32 ".%" PRIu32 " %s %s ns=%" PRIu64 " macs=%" PRIu64
				  " elements=%" PRIu64 " bytes=%" PRIu64 " times=%" PRIu64),
		     op->graph, op->number, op->name, op->type, op->ns, op->macs, op->elements,
		     op->bytes, op->times);
	scope = nntrace_begin(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	nntrace_scope_end(&scope);
}
