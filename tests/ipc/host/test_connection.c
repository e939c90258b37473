// SPDX-License-Identifier: Apache-2.0
/*
 * Connections: opening and what can be wrong with it, lanes, callbacks, the order of a death, and
 * what a worker may not do. With "limits": what takes too long; NNACCEL_WORKER_CALL_MS is small
 * then.
 */
#include "host_test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "eventually.h"
#include "fake_worker.h"
#include "messages/nnipc_messages.h"
#include "task_state.h"
#include "temp.h"

static int pid_of(struct nnipc_connection *c)
{
	struct nnipc_worker_facts facts;

	nnipc_connection_facts(c, &facts);
	return facts.pid;
}

/* ---- opening ---- */

TEST(test_open)
{
	struct nnipc_connection *c = host_open("plain");
	const struct nnipc_description *d = nnipc_connection_description(c);
	struct nnipc_worker_facts facts;
	char text[64];
	int pid;

	assert_string_equal(d->name, "fake");
	assert_string_equal(d->version, "1.0");
	assert_int_equal(d->num_model_cache, 1);
	nnipc_connection_facts(c, &facts);
	assert_int_equal(facts.how, NNIPC_WORKER);
	assert_string_equal(facts.layers.present, "user net");
	assert_string_equal(facts.layers.missing, "landlock");
	pid = facts.pid;
	assert_true(pid > 0 && !process_ended(pid));
	assert_false(nnipc_connection_is_dead(c));
	nnipc_connection_exit_reason(c, text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_equal(host_ask(c, FAKE_PID), pid);
	nnipc_connection_put(c);
	/* the last reference waits for the end */
	assert_true(process_ended(pid));
	assert_int_equal(host_deaths, 0);
}

TEST(test_open_fails)
{
	const struct {
		const char *manner;
		int error;
		const char *word;
	} cases[] = {
		{ "quits", -EPIPE, "it rains" },
		{ "refuses", -ECONNREFUSED, "not permitted" },
		{ "future", -EPROTO, "version 7" },
		{ "no-hello", -EPROTO, "no HELLO" },
		{ "open-fails", -ENODEV, "no card" },
		{ "open-garbage", -EPROTO, "malformed" },
		{ "open-dies", -EPIPE, "signal 6" },
		{ "nameless", -EPROTO, "malformed" },
		{ "mute", -ETIME, "HELLO was not answered" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nnipc_connection *c;
		char message[640] = "";
		struct nnipc_target t;

		assert_int_equal(nnipc_target_parse(host_spec(cases[i].manner, NULL), &t, NULL, 0),
				 0);
		if (nnipc_connection_open(&t, NULL, NULL, &c, message, sizeof(message)) !=
			    cases[i].error ||
		    !strstr(message, cases[i].word))
			fail_msg("%s: %s", cases[i].manner, message);
		assert_null(c);
		/* callers may pass no room for the reason */
		if (strcmp(cases[i].manner, "mute"))
			assert_int_equal(nnipc_connection_open(&t, NULL, NULL, &c, NULL, 0),
					 cases[i].error);
		nnipc_target_free(&t);
	}
}

static int note_spec(void *cookie, const char *spec)
{
	strcat(cookie, spec);
	strcat(cookie, ";");
	return 0;
}

static int stop_at_once(void *cookie, const char *spec)
{
	strcat(cookie, spec);
	return 42;
}

TEST(test_enumerate)
{
	char found[64] = "", message[256];
	struct nnipc_target t;

	assert_int_equal(nnipc_target_parse(host_spec("plain", NULL), &t, NULL, 0), 0);
	assert_int_equal(nnipc_connection_enumerate(&t, note_spec, found, message, sizeof(message)),
			 0);
	assert_string_equal(found, "one;two:with=option;");
	found[0] = '\0';
	assert_int_equal(
		nnipc_connection_enumerate(&t, stop_at_once, found, message, sizeof(message)), 42);
	assert_string_equal(found, "one");
	nnipc_target_free(&t);
}

/* ---- lanes ---- */

struct taker {
	struct nnipc_connection *c;
	_Atomic pid_t tid;
	struct nnipc_lane *lane;
	int error;
	atomic_bool done;
};

static void *take_lane(void *cookie)
{
	struct taker *t = cookie;

	t->tid = gettid();
	t->lane = nnipc_connection_lane(t->c, -1, &t->error);
	t->done = true;
	return NULL;
}

/* More lanes than a worker has: a thread waits for one, and gets it; or for the death. */
TEST(test_lanes_exhausted)
{
	struct nnipc_connection *c = host_open("plain");
	struct nnipc_lane *lanes[NNIPC_MAX_LANES];
	int error;

	for (uint32_t i = 0; i < NNIPC_MAX_LANES; i++) {
		lanes[i] = nnipc_connection_lane(c, -1, &error);
		assert_non_null(lanes[i]);
	}
	for (int i = 0; i < 2; i++) {
		struct taker t = { .c = c };
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, take_lane, &t), 0);
		assert_true(EVENTUALLY(t.tid && thread_asleep(t.tid)));
		assert_false(t.done);
		if (!i)
			nnipc_connection_give(c, lanes[7]);
		else
			kill(pid_of(c), SIGKILL);
		pthread_join(thread, NULL);
		if (!i) {
			assert_ptr_equal(t.lane, lanes[7]);
		} else {
			assert_null(t.lane);
			assert_int_equal(t.error, -EPIPE);
		}
	}
	for (uint32_t i = 0; i < NNIPC_MAX_LANES; i++)
		nnipc_connection_give(c, lanes[i]);
	nnipc_connection_put(c);
	assert_int_equal(host_deaths, 1);
}

/* All lanes are in calls that end no more: one more call ends all the same. */
TEST(test_lanes_stay_exhausted)
{
	struct nnipc_connection *c = host_open("plain");
	struct nnipc_lane *lanes[NNIPC_MAX_LANES];
	int error = 0;

	for (uint32_t i = 0; i < NNIPC_MAX_LANES; i++) {
		lanes[i] = nnipc_connection_lane(c, -1, &error);
		assert_non_null(lanes[i]);
	}
	/* a deadline that has passed, and one that is far away; without one */
	assert_null(nnipc_connection_lane(c, 1, &error));
	assert_int_equal(error, -ETIME);
	assert_null(nnipc_connection_lane(c, INT64_MAX, &error));
	assert_int_equal(error, -EBUSY);
	assert_null(nnipc_connection_lane(c, -1, &error));
	assert_int_equal(error, -EBUSY);
	/* with a lane the deadline is the vendor library's */
	nnipc_connection_give(c, lanes[0]);
	lanes[0] = nnipc_connection_lane(c, 1, &error);
	assert_non_null(lanes[0]);
	for (uint32_t i = 0; i < NNIPC_MAX_LANES; i++)
		nnipc_connection_give(c, lanes[i]);
	nnipc_connection_put(c);
	assert_int_equal(host_deaths, 0);
}

TEST(test_refusals_of_calls)
{
	struct nnipc_connection *c = host_open("plain");

	/* a worker that does not know a method goes on */
	assert_int_equal(host_call(c, 0x999, 0), -EOPNOTSUPP);
	assert_int_equal(host_ask(c, FAKE_PID), pid_of(c));
	nnipc_connection_put(c);
	assert_int_equal(host_deaths, 0);
}

TEST(test_release)
{
	struct nnipc_connection *c = host_open("plain");

	for (uint64_t i = 1; i <= 1000; i++)
		nnipc_connection_release(c, i);
	assert_true(EVENTUALLY(host_ask(c, FAKE_RELEASES) == 1000));
	nnipc_connection_put(c);
}

/* ---- callbacks ---- */

struct note {
	atomic_uint calls;
	int error;
	char text[16];
	struct nnipc_connection *put; /* to be dropped in the callback */
	atomic_bool *gate; /* to be waited for in the callback */
	bool refuse;
};

static int noted(void *cookie, int error, uint32_t method, struct nnipc_reader *in)
{
	struct note *n = cookie;

	n->error = error;
	if (in) {
		const void *bytes = nnipc_get_raw(in, 4);

		assert_non_null(bytes);
		memcpy(n->text, bytes, 4);
	}
	assert_true(method == NNIPC_NOTIFY_PREPARED || method == NNIPC_NOTIFY_EXECUTED);
	if (n->gate)
		EVENTUALLY(atomic_load(n->gate));
	nnipc_connection_put(n->put);
	n->calls++;
	return n->refuse ? -EBADMSG : 0;
}

TEST(test_callbacks)
{
	struct nnipc_connection *c = host_open("plain");
	atomic_bool gate = false;
	struct note blocked = { .gate = &gate }, notes[20] = { 0 };
	uint64_t numbers[20], number;

	number = nnipc_callback_add(c, NNIPC_NOTIFY_EXECUTED, noted, &blocked);
	assert_int_equal(host_notify(c, NNIPC_NOTIFY_EXECUTED, number, 1, "slow", 4), 0);
	for (int i = 0; i < 20; i++) {
		numbers[i] = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &notes[i]);
		assert_true(numbers[i] > number);
		number = numbers[i];
	}
	/* in another order; one that blocks stops no other */
	for (int i = 19; i >= 0; i--)
		assert_int_equal(host_notify(c, NNIPC_NOTIFY_PREPARED, numbers[i], 1, "text", 4),
				 0);
	for (int i = 0; i < 20; i++) {
		assert_true(EVENTUALLY(notes[i].calls == 1));
		assert_int_equal(notes[i].error, 0);
		assert_string_equal(notes[i].text, "text");
		/* it has been called: nothing is to be removed */
		assert_false(nnipc_callback_remove(c, numbers[i]));
	}
	assert_int_equal(blocked.calls, 0);
	gate = true;
	assert_true(EVENTUALLY(blocked.calls == 1));
	number = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &notes[0]);
	assert_true(nnipc_callback_remove(c, number));
	nnipc_connection_put(c);
	assert_int_equal(notes[0].calls, 1);
	assert_int_equal(host_deaths, 0);
}

/* The last reference may be dropped in a callback: the worker ends in peace. */
TEST(test_put_in_callback)
{
	struct nnipc_connection *c = host_open("plain");
	atomic_bool gate = false;
	struct note note = { .put = c, .gate = &gate };
	uint64_t number = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &note);
	const int pid = pid_of(c);

	nnipc_connection_get(c);
	assert_int_equal(host_notify(c, NNIPC_NOTIFY_PREPARED, number, 1, "last", 4), 0);
	nnipc_connection_put(c);
	gate = true;
	assert_true(EVENTUALLY(note.calls == 1 && process_ended(pid)));
	assert_int_equal(host_deaths, 0);
}

/* Stops the I/O thread of a connection, which alone waits for four descriptors. */
static atomic_bool io_stopped;

int __real_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	int ret = __real_poll(fds, count, ms);

	if (count == 4)
		assert_true(EVENTUALLY(!io_stopped));
	return ret;
}

/*
 * What the worker sent before it died arrives, also if another thread sees the death before the I/O
 * thread reads it.
 */
TEST(test_answers_before_the_death)
{
	struct nnipc_connection *c = host_open("plain");
	struct note notes[4] = { 0 };
	uint64_t numbers[4];

	for (int i = 0; i < 4; i++)
		numbers[i] = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &notes[i]);
	io_stopped = true;
	for (int i = 0; i < 3; i++)
		assert_int_equal(host_notify(c, NNIPC_NOTIFY_PREPARED, numbers[i], 1, "text", 4),
				 0);
	assert_int_equal(host_call(c, FAKE_KILL, SIGKILL), -EPIPE);
	assert_true(nnipc_connection_is_dead(c));
	io_stopped = false;
	for (int i = 0; i < 4; i++) {
		assert_true(EVENTUALLY(notes[i].calls == 1));
		assert_int_equal(notes[i].error, i < 3 ? 0 : -EPIPE);
		assert_string_equal(notes[i].text, i < 3 ? "text" : "");
	}
	nnipc_connection_put(c);
	assert_int_equal(host_deaths, 1);
	host_deaths = 0;
}

/* ---- what a worker may not do ---- */

static void dies_of(struct nnipc_connection *c, const char *word)
{
	char exit_reason[640];

	assert_true(EVENTUALLY(nnipc_connection_is_dead(c)));
	nnipc_connection_exit_reason(c, exit_reason, sizeof(exit_reason));
	if (!strstr(exit_reason, word))
		fail_msg("%s: %s", word, exit_reason);
	assert_true(EVENTUALLY(process_ended(pid_of(c))));
	assert_int_equal(host_deaths, 1);
	host_deaths = 0;
	assert_int_equal(host_call(c, FAKE_PID, 0), -EPIPE);
	assert_int_equal(nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, NULL), 0);
	nnipc_connection_release(c, 1);
	nnipc_connection_put(c);
}

TEST(test_notified_twice)
{
	struct nnipc_connection *c = host_open("plain");
	struct note note = { 0 }, other = { 0 };
	uint64_t number = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &note);

	nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &other);
	host_notify(c, NNIPC_NOTIFY_PREPARED, number, 2, "text", 4);
	dies_of(c, "unexpected message");
	/* the first one counts; the worker's death is the other one's answer */
	assert_true(EVENTUALLY(other.calls == 1 && note.calls == 1));
	assert_int_equal(note.error, 0);
	assert_int_equal(other.error, -EPIPE);
}

TEST(test_notified_of_nothing)
{
	struct nnipc_connection *c = host_open("plain");
	struct note note = { 0 };
	uint64_t number;

	host_notify(c, NNIPC_NOTIFY_PREPARED, 4711, 1, "text", 4);
	dies_of(c, "unexpected message");

	c = host_open("plain");
	number = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &note);
	host_notify(c, NNIPC_NOTIFY_EXECUTED, number, 1, "text", 4);
	dies_of(c, "unexpected message");
	assert_true(EVENTUALLY(note.calls == 1));
	assert_int_equal(note.error, -EPIPE);

	c = host_open("plain");
	note = (struct note){ .refuse = true };
	number = nnipc_callback_add(c, NNIPC_NOTIFY_PREPARED, noted, &note);
	host_notify(c, NNIPC_NOTIFY_PREPARED, number, 1, "text", 4);
	dies_of(c, "malformed");
	assert_int_equal(note.calls, 1);

	/* bytes that are no message */
	c = host_open("plain");
	host_call(c, FAKE_GARBAGE, 0);
	dies_of(c, "malformed");
}

TEST(test_wrong_reply)
{
	struct nnipc_connection *c = host_open("plain");

	assert_int_equal(host_call(c, FAKE_WRONG_SERIAL, 0), -EPIPE);
	dies_of(c, "invalid reply");

	/* a lane that hangs up is the end, even if the process goes on */
	c = host_open("plain");
	assert_int_equal(host_call(c, FAKE_HANG_UP, 0), -EPIPE);
	dies_of(c, "worker");
}

/* ---- death ---- */

#define CALLERS 8
#define CALLBACKS 16

struct caller {
	struct nnipc_connection *c;
	int ret;
	bool was_dead;
	_Atomic pid_t tid;
};

static void *hang_on(void *cookie)
{
	struct caller *caller = cookie;

	caller->tid = gettid();
	caller->ret = host_call(caller->c, FAKE_HANG, 0);
	caller->was_dead = nnipc_connection_is_dead(caller->c);
	return NULL;
}

static struct nnipc_ring *new_ring(void)
{
	struct nnipc_ring *ring;
	int fd;

	assert_int_equal(nnipc_ring_create(4096, &fd, &ring), 0);
	close(fd);
	return ring;
}

static void *read_ring(void *ring)
{
	const uint8_t *packet;
	uint32_t size;

	return (void *)(intptr_t)nnipc_ring_get(ring, &packet, &size, -1);
}

TEST(test_death)
{
	struct nnipc_connection *c = host_open("plain");
	struct nnipc_watched_rings rings = { .rings = { new_ring(), new_ring() } }, late = { 0 };
	struct nnipc_watched_rings gone = { .rings = { new_ring(), NULL } };
	struct caller callers[CALLERS];
	pthread_t threads[CALLERS], reader;
	struct note notes[CALLBACKS] = { 0 };
	const int pid = pid_of(c);
	char exit_reason[640];
	void *ret;

	assert_int_equal(nnipc_connection_watch(c, &rings), 0);
	assert_int_equal(nnipc_connection_watch(c, &gone), 0);
	nnipc_connection_unwatch(c, &gone);
	assert_int_equal(pthread_create(&reader, NULL, read_ring, rings.rings[1]), 0);
	for (int i = 0; i < CALLERS; i++) {
		callers[i] = (struct caller){ .c = c };
		assert_int_equal(pthread_create(&threads[i], NULL, hang_on, &callers[i]), 0);
	}
	for (int i = 0; i < CALLERS; i++)
		assert_true(EVENTUALLY(callers[i].tid && thread_asleep(callers[i].tid)));
	for (int i = 0; i < CALLBACKS; i++)
		assert_true(nnipc_callback_add(c, NNIPC_NOTIFY_EXECUTED, noted, &notes[i]) > 0);

	kill(pid, SIGKILL);
	for (int i = 0; i < CALLERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(callers[i].ret, -EPIPE);
		assert_true(callers[i].was_dead);
	}
	assert_int_equal(host_deaths, 1);
	for (int i = 0; i < CALLBACKS; i++) {
		assert_true(EVENTUALLY(notes[i].calls == 1));
		assert_int_equal(notes[i].error, -EPIPE);
	}
	pthread_join(reader, &ret);
	assert_int_equal((intptr_t)ret, -EPIPE);
	assert_int_equal(nnipc_ring_put(rings.rings[0], "x", 1), -EPIPE);
	assert_int_equal(nnipc_ring_put(gone.rings[0], "x", 1), 0);
	assert_int_equal(nnipc_connection_watch(c, &late), -EPIPE);

	nnipc_connection_exit_reason(c, exit_reason, sizeof(exit_reason));
	assert_non_null(strstr(exit_reason, "of it: signal 9"));
	assert_non_null(strstr(exit_reason, "IPreparedModel::execute x16"));
	assert_non_null(strstr(exit_reason, "x8"));
	assert_non_null(strstr(exit_reason, "restart: never"));
	assert_true(process_ended(pid));

	nnipc_connection_unwatch(c, &rings);
	nnipc_ring_free(rings.rings[0]);
	nnipc_ring_free(rings.rings[1]);
	nnipc_ring_free(gone.rings[0]);
	nnipc_connection_put(c);
	assert_int_equal(host_deaths, 1);
	for (int i = 0; i < CALLBACKS; i++)
		assert_int_equal(notes[i].calls, 1);
}

TEST(test_ends)
{
	struct nnipc_connection *c = host_open("plain");

	assert_int_equal(host_call(c, FAKE_EXIT, 7), -EPIPE);
	dies_of(c, "exit status 7");
	c = host_open("plain");
	assert_int_equal(host_call(c, FAKE_KILL, SIGSEGV), -EPIPE);
	dies_of(c, "signal 11");
	/* without a call its end is noticed all the same */
	c = host_open("plain");
	kill(pid_of(c), SIGKILL);
	dies_of(c, "signal 9");
}

/* A worker that does not end when it should, is killed. */
TEST(test_stubborn)
{
	struct nnipc_connection *c = host_open("stubborn");
	const int pid = pid_of(c);

	nnipc_connection_put(c);
	assert_true(EVENTUALLY(process_ended(pid)));
	assert_int_equal(host_deaths, 0);
}

/* ---- the log ---- */

static int print(struct nnipc_connection *c, uint32_t times, const char *line)
{
	struct nnipc_lane *lane;
	int ret;

	lane = nnipc_connection_lane(c, -1, &ret);
	assert_non_null(lane);
	nnipc_put_u32(&lane->out, times);
	nnipc_put_text(&lane->out, line);
	ret = nnipc_call(c, lane, FAKE_PRINT, 0, NNIPC_LIMIT_CALL, -1);
	nnipc_connection_give(c, lane);
	return ret;
}

/* Its last line is in the exit reason; a flood of lines stops nothing, and most of them are left
 * out.
 */
TEST(test_log)
{
	struct nnipc_connection *c = host_open("plain");
	char line[1000], before[32], *log;
	int file = temp_file(0), saved = descriptors_begin_stderr(file);
	long size;

	snprintf(before, sizeof(before), "worker %d: ", pid_of(c));
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(print(c, 20000, line), 0);
	assert_int_equal(print(c, 1, "nnapi: the \033[31mlast one"), 0);
	assert_int_equal(host_call(c, FAKE_EXIT, 1), -EPIPE);
	dies_of(c, "the ?[31mlast one");
	descriptors_end_stderr(saved);
	size = lseek(file, 0, SEEK_END);
	assert_true(size > 0 && size < 100 * 1000);
	log = calloc(1, (size_t)size + 1);
	assert_non_null(log);
	assert_int_equal(pread(file, log, (size_t)size, 0), size);
	assert_non_null(strstr(log, before));
	assert_non_null(strstr(log, "exit status 1"));
	assert_null(strchr(log, '\033'));
	free(log);
	close(file);
}

static void environment(struct nnipc_connection *c, const char *name, const char *expected)
{
	struct nnipc_lane *lane;
	char *value;
	int ret;

	lane = nnipc_connection_lane(c, -1, &ret);
	assert_non_null(lane);
	nnipc_put_text(&lane->out, name);
	assert_int_equal(nnipc_call(c, lane, FAKE_ENVIRONMENT, 0, NNIPC_LIMIT_CALL, -1), 0);
	value = nnipc_get_text(&lane->in.reader, 256);
	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
	free(value);
	nnipc_connection_give(c, lane);
}

TEST(test_environment)
{
	struct nnipc_connection *c;

	setenv("SECRET", "42", 1);
	setenv("NNHAL_TEST_SOMETHING", "1", 1);
	setenv("LC_TIME", "C", 1);
	setenv("LANGUAGES", "many", 1);
	setenv("LD_PRELOAD_NOT", "x", 1);
	c = host_open("plain");
	environment(c, "SECRET", NULL);
	environment(c, "LANGUAGES", NULL);
	environment(c, "LD_PRELOAD_NOT", NULL);
	environment(c, "PATH", NULL);
	environment(c, "NNHAL_TEST_SOMETHING", "1");
	environment(c, "LC_TIME", "C");
	nnipc_connection_put(c);
}

/* ---- fork ---- */

static struct nnipc_connection *inherited;
static struct nnipc_lane *inherited_lane;
static uint32_t descriptors_of_parent;

static int in_child(void)
{
	struct nnipc_watched_rings node = { 0 };
	char text[64];
	int error;

	CHECK(nnipc_connection_inherited(inherited) && nnipc_connection_is_dead(inherited));
	CHECK(!nnipc_connection_lane(inherited, -1, &error) && error == -EPIPE);
	CHECK(nnipc_call(inherited, inherited_lane, FAKE_PID, 0, NNIPC_LIMIT_CALL, -1) == -EPIPE);
	nnipc_connection_give(inherited, inherited_lane);
	CHECK(!nnipc_callback_add(inherited, NNIPC_NOTIFY_PREPARED, noted, NULL));
	CHECK(!nnipc_callback_remove(inherited, 1));
	CHECK(nnipc_connection_watch(inherited, &node) == -EPIPE);
	CHECK(nnipc_connection_protocol_error(inherited, "nothing") == -EPIPE);
	nnipc_connection_release(inherited, 1);
	nnipc_connection_exit_reason(inherited, text, sizeof(text));
	/* sockets, log, wake-up and pidfd of the worker are the parent's */
	CHECK(descriptors_open() < descriptors_of_parent - 3);
	nnipc_connection_put(inherited);
	nnipc_connection_put(inherited);
	return 0;
}

TEST(test_fork)
{
	struct note note = { 0 };
	pid_t worker;
	uint64_t number;
	int error;

	inherited = host_open("plain");
	worker = pid_of(inherited);
	inherited_lane = nnipc_connection_lane(inherited, -1, &error);
	number = nnipc_callback_add(inherited, NNIPC_NOTIFY_PREPARED, noted, &note);
	descriptors_of_parent = descriptors_open();
	child_run(NULL, in_child);
	assert_int_equal(host_ask(inherited, FAKE_PID), worker);
	assert_int_equal(host_notify(inherited, NNIPC_NOTIFY_PREPARED, number, 1, "text", 4), 0);
	assert_true(EVENTUALLY(note.calls == 1));
	nnipc_connection_give(inherited, inherited_lane);
	nnipc_connection_put(inherited);
	assert_true(EVENTUALLY(process_ended(worker)));
	assert_int_equal(host_deaths, 0);
}

/* ---- limits ---- */

TEST(test_hangs)
{
	struct nnipc_connection *c = host_open("plain");
	struct nnipc_lane *lane;
	int error;

	assert_int_equal(host_call(c, FAKE_HANG, 0), -EPIPE);
	dies_of(c, "did not return in");

	/* work has no limit of its own, but a deadline */
	c = host_open("plain");
	lane = nnipc_connection_lane(c, -1, &error);
	assert_int_equal(nnipc_call(c, lane, FAKE_HANG, 0, NNIPC_LIMIT_WORK, 1), -EPIPE);
	nnipc_connection_give(c, lane);
	dies_of(c, "did not return in 5000 ms");
}

/* It reads no more: objects are released for a while, then its time is over. */
TEST(test_deaf)
{
	struct nnipc_connection *c = host_open("plain");

	assert_int_equal(host_call(c, FAKE_DEAF, 0), 0);
	for (uint64_t i = 1; !nnipc_connection_is_dead(c); i++)
		nnipc_connection_release(c, i);
	dies_of(c, "does not read");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(test_open),
		HOST_TEST(test_open_fails),
		HOST_TEST(test_enumerate),
		HOST_TEST(test_lanes_exhausted),
		HOST_TEST(test_refusals_of_calls),
		HOST_TEST(test_release),
		HOST_TEST(test_callbacks),
		HOST_TEST(test_put_in_callback),
		HOST_TEST(test_answers_before_the_death),
		HOST_TEST(test_notified_twice),
		HOST_TEST(test_notified_of_nothing),
		HOST_TEST(test_wrong_reply),
		HOST_TEST(test_death),
		HOST_TEST(test_ends),
		HOST_TEST(test_stubborn),
		HOST_TEST(test_log),
		HOST_TEST(test_environment),
		HOST_TEST(test_fork),
	};
	const struct CMUnitTest limits[] = {
		HOST_TEST(test_hangs),
		HOST_TEST(test_deaf),
		HOST_TEST(test_lanes_stay_exhausted),
	};

	if (argc < 2)
		return 2;
	host_init(argv[1]);
	if (argc > 2)
		return cmocka_run_group_tests_name("ipc-connection-limits", limits, NULL, NULL);
	return cmocka_run_group_tests_name("ipc-connection", tests, NULL, NULL);
}
