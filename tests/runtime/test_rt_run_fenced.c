// SPDX-License-Identifier: Apache-2.0
/* Computations with dependencies: by pointer, in memory objects, over several devices. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eventually.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"
#include "rt_graph.h"
#include "task_state.h"

#define N 4
#define FREE_TRANSFERS "NNAPI_TRANSFER_NS_PER_KIB=0", "NNAPI_STEP_NS=0"

struct io {
	ANeuralNetworksMemory *memory;
	float *a, *b, *out;
};

static void io_init(struct io *io)
{
	int fd = memfd_sealed(4096, 0);

	io->a = memfd_map(fd, 4096);
	io->b = io->a + 64;
	io->out = io->a + 128;
	RT_OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, fd, 0, &io->memory));
	close(fd);
	for (int i = 0; i < N; i++) {
		io->a[i] = (float)i - 2;
		io->b[i] = 10 * (float)(i + 1);
	}
}

static void io_fini(struct io *io)
{
	munmap(io->a, 4096);
	ANeuralNetworksMemory_free(io->memory);
}

static ANeuralNetworksExecution *in_memory(ANeuralNetworksCompilation *c, const struct io *io)
{
	ANeuralNetworksExecution *e = rt_execution(c);

	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, io->memory, 0,
							  N * sizeof(float)));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, io->memory, 256,
							  N * sizeof(float)));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, io->memory, 512,
							   N * sizeof(float)));
	return e;
}

static void check(const struct io *io)
{
	for (int i = 0; i < N; i++) {
		float d = (io->a[i] + io->b[i]) * io->b[i];

		assert_true(io->out[i] == (d < 0 ? -d : d));
	}
	memset(io->out, 0, N * sizeof(float));
}

#define CHAIN "c=ADD(a,b) d=MUL(c,b) e=ABS(d)"

TEST(in_memory_objects)
{
	static const char *const lists[] = { "dev", "one two", "old", "nnapi-reference", NULL };
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksEvent *event;
	uint32_t rank;
	struct io io;

	io_init(&io);
	for (size_t i = 0; i < 5; i++) {
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;

		RT_OK(rt_finish(model, lists[i], &c));
		e = in_memory(c, &io);
		for (int turn = 0; turn < 3; turn++) {
			RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0,
										    &event));
			RT_OK(ANeuralNetworksEvent_wait(event));
			RT_OK(ANeuralNetworksEvent_wait(event));
			check(&io);
			RT_OK(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &rank));
			assert_int_equal(rank, 1);
			ANeuralNetworksEvent_free(event);
		}
		/* once computed with an event, then without */
		RT_OK(ANeuralNetworksExecution_compute(e));
		check(&io);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	io_fini(&io);
	ANeuralNetworksModel_free(model);
}

/* Each begins when the one before has ended; the last is the proof of all. */
TEST(in_a_row)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksEvent *events[4] = { NULL };
	ANeuralNetworksExecution *e[4];
	float values[5][N] = { { 1, 2, 3, 4 } }, b[N] = { 10, 20, 30, 40 };

	for (int i = 0; i < 4; i++) {
		e[i] = rt_execution(c);
		RT_OK(ANeuralNetworksExecution_setInput(e[i], 0, NULL, values[i], sizeof(b)));
		RT_OK(ANeuralNetworksExecution_setInput(e[i], 1, NULL, b, sizeof(b)));
		RT_OK(ANeuralNetworksExecution_setOutput(e[i], 0, NULL, values[i + 1], sizeof(b)));
	}
	/* an asynchronous computation may be a dependency of others */
	RT_OK(ANeuralNetworksExecution_startCompute(e[0], &events[0]));
	for (uint32_t i = 1; i < 4; i++)
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
			e[i], (const ANeuralNetworksEvent *const *)events, i, 0, &events[i]));
	RT_OK(ANeuralNetworksEvent_wait(events[3]));
	for (int i = 0; i < N; i++)
		assert_true(values[4][i] == values[0][i] + 4 * b[i]);
	for (int i = 0; i < 4; i++) {
		ANeuralNetworksEvent_free(events[i]);
		ANeuralNetworksExecution_free(e[i]);
	}
	rt_free(NULL, c, model);
}

struct signaller {
	int fd;
	float *late;
};

static void *signal_later(void *cookie)
{
	struct signaller *s = cookie;

	/* the test has come to Event_wait() */
	if (!EVENTUALLY(thread_asleep(getpid())))
		return cookie;
	*s->late = 5;
	return eventfd_write(s->fd, 1) ? cookie : NULL;
}

/* The computation uses values that are written just before the fence signals. */
TEST(fences_from_outside)
{
	static const char *const lists[] = { "dev", "one two", "nnapi-reference", NULL };
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksEvent *fence, *event;
	struct io io;
	void *failed;

	io_init(&io);
	for (size_t i = 0; i < 4; i++) {
		struct signaller s = { .fd = eventfd(0, EFD_CLOEXEC), .late = &io.a[1] };
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;
		pthread_t thread;

		RT_OK(rt_finish(model, lists[i], &c));
		e = in_memory(c, &io);
		io.a[1] = 0;
		RT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(s.fd, &fence));
		assert_int_equal(pthread_create(&thread, NULL, signal_later, &s), 0);
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
			e, (const ANeuralNetworksEvent *const *)&fence, 1, 0, &event));
		RT_OK(ANeuralNetworksEvent_wait(event));
		assert_int_equal(pthread_join(thread, &failed), 0);
		assert_null(failed);
		assert_true(io.a[1] == 5);
		check(&io);
		ANeuralNetworksEvent_free(event);
		ANeuralNetworksEvent_free(fence);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
		close(s.fd);
	}
	io_fini(&io);
	ANeuralNetworksModel_free(model);
}

/* A fence that ends in an error: no computation, and no event. */
TEST(broken_fence)
{
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksCompilation *c = rt_compile(model, "dev", NULL);
	ANeuralNetworksEvent *fence, *event;
	struct io io;
	int ends[2];

	io_init(&io);
	for (int pointers = 0; pointers < 2; pointers++) {
		ANeuralNetworksExecution *e;

		assert_int_equal(pipe(ends), 0);
		RT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &fence));
		close(ends[1]); /* hangs up without a signal */
		e = pointers ? rt_execution(c) : in_memory(c, &io);
		if (pointers) {
			RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, io.a,
								N * sizeof(float)));
			RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, io.b,
								N * sizeof(float)));
			RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, io.out,
								 N * sizeof(float)));
		}
		event = (void *)1;
		assert_int_equal(ANeuralNetworksExecution_startComputeWithDependencies(
					 e, (const ANeuralNetworksEvent *const *)&fence, 1, 0,
					 &event),
				 ANEURALNETWORKS_OP_FAILED);
		assert_null(event);
		assert_true(io.out[0] == 0);
		RT_NULL(ANeuralNetworksEvent_wait(event));
		ANeuralNetworksEvent_free(fence);
		ANeuralNetworksExecution_free(e);
		close(ends[0]);
	}
	io_fini(&io);
	rt_free(NULL, c, model);
}

/* A device that fails at once: its code without fallback, results with. */
TEST(failing_device)
{
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	ANeuralNetworksEvent *event;
	struct io io;

	io_init(&io);
	RT_OK(rt_finish(model, NULL, &c));
	assert_string_equal(rt_plan_text(c), "=bad:ADD+MUL+ABS");
	e = in_memory(c, &io);
	for (int turn = 0; turn < 2; turn++) {
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0, &event));
		RT_OK(ANeuralNetworksEvent_wait(event));
		ANeuralNetworksEvent_free(event);
		check(&io);
	}
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksCompilation_free(c);
	c = rt_compile(model, "bad", NULL);
	e = in_memory(c, &io);
	for (int turn = 0; turn < 2; turn++) {
		event = (void *)1;
		assert_int_equal(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0,
										       0, &event),
				 ANEURALNETWORKS_UNAVAILABLE_DEVICE);
		assert_null(event);
	}
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksCompilation_free(c);
	io_fini(&io);
	ANeuralNetworksModel_free(model);
}

/* Shapes that are not known before: refused for outputs, waited for between steps. */
TEST(unknown_shapes)
{
	ANeuralNetworksModel *model = rt_graph("AB>E", "C=ADD(A,B) D=MUL(C,B) E=ABS(D)", NULL);
	const uint32_t dims[] = { N };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksEvent *event;
	struct io io;

	io_init(&io);
	RT_OK(rt_finish(model, "one two", &c));
	for (int known = 0; known < 2; known++) {
		ANeuralNetworksExecution *e = rt_execution(c);
		int result;

		RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, &type, io.memory, 0,
								  N * sizeof(float)));
		RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, &type, io.memory, 256,
								  N * sizeof(float)));
		RT_OK(ANeuralNetworksExecution_setOutputFromMemory(
			e, 0, known ? &type : NULL, io.memory, 512, N * sizeof(float)));
		event = (void *)1;
		result = ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0,
									       &event);
		assert_int_equal(result,
				 known ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA);
		if (known) {
			RT_OK(ANeuralNetworksEvent_wait(event));
			check(&io);
			ANeuralNetworksEvent_free(event);
		} else {
			assert_null(event);
			/* that was its computation */
			RT_BAD_STATE(ANeuralNetworksExecution_compute(e));
		}
		ANeuralNetworksExecution_free(e);
	}
	io_fini(&io);
	rt_free(NULL, c, model);
}

/* ---- devices that return at once ---- */

/* The application waits for the fence; the outputs are written when it signals. */
TEST(real_fences)
{
	static const char *const lists[] = { "async", "a1 a2" };
	static const char *const plans[] = { "=async:ADD+MUL+ABS", "a1:ADD a2:MUL a1:ABS" };
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksEvent *event, *outside;
	struct io io;
	uint32_t n;
	int fd;

	io_init(&io);
	for (int i = 0; i < 4; i++) {
		const bool pointers = i >= 2;
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;

		RT_OK(rt_finish(model, lists[i % 2], &c));
		assert_string_equal(rt_plan_text(c), plans[i % 2]);
		e = pointers ? rt_execution(c) : in_memory(c, &io);
		if (pointers) {
			RT_OK(ANeuralNetworksExecution_setReusable(e, true));
			RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, io.a,
								N * sizeof(float)));
			RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, io.b,
								N * sizeof(float)));
			RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, io.memory,
									   512, N * sizeof(float)));
		}
		for (int turn = 0; turn < 3; turn++) {
			RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0,
										    &event));
			RT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
			assert_true(fd > 0);
			/* until a thread waits for the event it is not over */
			RT_BAD_STATE(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &n));
			RT_BAD_STATE(ANeuralNetworksExecution_compute(e));
			RT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &outside));
			close(fd);
			RT_OK(ANeuralNetworksEvent_wait(outside));
			check(&io);
			ANeuralNetworksEvent_free(outside);
			if (turn < 2)
				RT_OK(ANeuralNetworksEvent_wait(event));
			ANeuralNetworksEvent_free(event); /* waits */
			RT_OK(ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, &n));
			assert_int_equal(n, N);
			/* the staging memory can be used by others again */
			RT_OK(ANeuralNetworksExecution_compute(e));
			check(&io);
		}
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	io_fini(&io);
	ANeuralNetworksModel_free(model);
}

/* Two in flight at a time, staged each for itself, and freed before they end. */
TEST(several_in_flight)
{
	static const char *const lists[] = { "async", "a1 a2" };
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksExecution *e[3];
	ANeuralNetworksEvent *events[3];
	ANeuralNetworksCompilation *c;
	struct io io[3];

	for (int i = 0; i < 2; i++) {
		RT_OK(rt_finish(model, lists[i], &c));
		for (int k = 0; k < 3; k++) {
			float a[N], b[N];

			io_init(&io[k]);
			io[k].a[0] = (float)k;
			memcpy(a, io[k].a, sizeof(a));
			memcpy(b, io[k].b, sizeof(b));
			e[k] = rt_execution(c);
			RT_OK(ANeuralNetworksExecution_setInput(e[k], 0, NULL, a, sizeof(a)));
			RT_OK(ANeuralNetworksExecution_setInput(e[k], 1, NULL, b, sizeof(b)));
			RT_OK(ANeuralNetworksExecution_setOutputFromMemory(
				e[k], 0, NULL, io[k].memory, 512, N * sizeof(float)));
			RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e[k], NULL, 0,
										    0, &events[k]));
			memset(a, 0xff, sizeof(a));
			memset(b, 0xff, sizeof(b));
		}
		for (int k = 0; k < 3; k++)
			ANeuralNetworksExecution_free(e[k]);
		for (int k = 2; k >= 0; k--) {
			RT_OK(ANeuralNetworksEvent_wait(events[k]));
			check(&io[k]);
			ANeuralNetworksEvent_free(events[k]);
			io_fini(&io[k]);
		}
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

/* Errors after the call has returned are reported by waiting for the event. */
TEST(late_failure)
{
	static const char *const lists[] = { "bad", NULL };
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	ANeuralNetworksEvent *event;
	struct io io;
	uint32_t n;

	io_init(&io);
	for (int i = 0; i < 2; i++) {
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;

		RT_OK(rt_finish(model, lists[i], &c));
		assert_string_equal(rt_plan_text(c), "=bad:ADD+MUL+ABS");
		e = in_memory(c, &io);
		for (int turn = 0; turn < 2; turn++) {
			RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0,
										    &event));
			assert_int_equal(ANeuralNetworksEvent_wait(event),
					 ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
			assert_int_equal(ANeuralNetworksEvent_wait(event),
					 ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
			ANeuralNetworksEvent_free(event);
			RT_BAD_STATE(ANeuralNetworksExecution_getOutputOperandRank(e, 0, &n));
		}
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	io_fini(&io);
	ANeuralNetworksModel_free(model);
}

/* ---- fences of user space ---- */

struct maker {
	int signal;
	float *late;
};

static void make_fence(struct maker *m, struct io *io, ANeuralNetworksEvent **event)
{
	int fence;

	io->a[1] = 0;
	m->late = &io->a[1];
	assert_int_equal(nnutil_fence_create(&fence, &m->signal), 0);
	RT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, event));
	close(fence);
}

static void *end_later(void *cookie)
{
	struct maker *m = cookie;

	/* the test waits */
	if (!EVENTUALLY(thread_asleep(getpid())))
		return cookie;
	*m->late = 5;
	nnutil_fence_signal(m->signal, 0);
	return NULL;
}

static bool has_signalled(const ANeuralNetworksEvent *event)
{
	struct pollfd p = { .events = POLLIN };
	int n;

	RT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &p.fd));
	n = poll(&p, 1, 0);
	close(p.fd);
	return n == 1;
}

/* Devices take them and return at once; for a device that does not take them the host waits. */
TEST(from_user_space)
{
	/* our own library makes such fences with NNACCEL_FENCES=1 */
	const char *own = getenv("NNACCEL_FENCES");
	const struct {
		const char *list;
		bool at_once;
	} cases[] = {
		{ "async", true },
		{ "a1 a2", true },
		{ "plain", own && !strcmp(own, "1") },
		{ "kernel", false },
		{ "a1 k2", false },
		{ "k1 a2", false },
		{ "nnapi-reference", false },
	};
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	struct io io;

	io_init(&io);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ANeuralNetworksEvent *fence, *event;
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e;
		struct maker m;
		pthread_t thread;
		void *failed;

		RT_OK(rt_finish(model, cases[i].list, &c));
		e = in_memory(c, &io);
		make_fence(&m, &io, &fence);
		if (!cases[i].at_once)
			assert_int_equal(pthread_create(&thread, NULL, end_later, &m), 0);
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
			e, (const ANeuralNetworksEvent *const *)&fence, 1, 0, &event));
		if (cases[i].at_once) {
			assert_false(has_signalled(event));
			assert_true(io.out[0] == 0);
			assert_int_equal(pthread_create(&thread, NULL, end_later, &m), 0);
		}
		RT_OK(ANeuralNetworksEvent_wait(event));
		assert_int_equal(pthread_join(thread, &failed), 0);
		assert_null(failed);
		assert_true(io.a[1] == 5);
		check(&io);
		/* again, with the fence that has signalled */
		ANeuralNetworksEvent_free(event);
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
			e, (const ANeuralNetworksEvent *const *)&fence, 1, 0, &event));
		RT_OK(ANeuralNetworksEvent_wait(event));
		check(&io);
		ANeuralNetworksEvent_free(event);
		ANeuralNetworksEvent_free(fence);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	io_fini(&io);
	ANeuralNetworksModel_free(model);
}

/*
 * A fence that fails, or whose maker dies, while two computations behind each other wait for it:
 * both events end in error. Afterwards there are no computations behind it.
 */
TEST(failing_in_user_space)
{
	static const char *const lists[] = { "async", "a1 a2" };
	ANeuralNetworksModel *model = rt_graph("ab>e", CHAIN, NULL);
	struct io io;

	io_init(&io);
	for (int i = 0; i < 4; i++) {
		ANeuralNetworksEvent *fence, *first, *second;
		ANeuralNetworksCompilation *c;
		ANeuralNetworksExecution *e[2];
		struct maker m;

		RT_OK(rt_finish(model, lists[i % 2], &c));
		e[0] = in_memory(c, &io);
		e[1] = in_memory(c, &io);
		make_fence(&m, &io, &fence);
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
			e[0], (const ANeuralNetworksEvent *const *)&fence, 1, 0, &first));
		RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
			e[1], (const ANeuralNetworksEvent *const *)&first, 1, 0, &second));
		if (i < 2)
			nnutil_fence_signal(m.signal, -EFAULT);
		else
			nnutil_fd_close(m.signal);
		assert_int_equal(ANeuralNetworksEvent_wait(second), ANEURALNETWORKS_OP_FAILED);
		assert_int_equal(ANeuralNetworksEvent_wait(first), ANEURALNETWORKS_OP_FAILED);
		assert_int_equal(ANeuralNetworksEvent_wait(fence), ANEURALNETWORKS_OP_FAILED);
		assert_true(io.out[0] == 0);
		ANeuralNetworksEvent_free(second);
		second = (void *)1;
		assert_int_equal(ANeuralNetworksExecution_startComputeWithDependencies(
					 e[1], (const ANeuralNetworksEvent *const *)&fence, 1, 0,
					 &second),
				 ANEURALNETWORKS_OP_FAILED);
		assert_null(second);
		ANeuralNetworksEvent_free(first);
		ANeuralNetworksEvent_free(fence);
		for (int k = 0; k < 2; k++)
			ANeuralNetworksExecution_free(e[k]);
		ANeuralNetworksCompilation_free(c);
	}
	io_fini(&io);
	ANeuralNetworksModel_free(model);
}

int main(int argc, char **argv)
{
	static const char asynchronous[] =
		"name=async,fence=1,delay_ms=20 name=a1,ops=ADD+ABS,fence=1,delay_ms=10 "
		"name=a2,ops=MUL,fence=1,delay_ms=10";
	static const char mixed[] =
		"name=async,fence=1 name=plain name=a1,ops=ADD+ABS,fence=1 name=a2,ops=MUL,fence=1 "
		"name=kernel,fence=1,kernel_fences=1 "
		"name=k1,ops=ADD+ABS,fence=1,kernel_fences=1 name=k2,ops=MUL,kernel_fences=1";
	static const char devices[] =
		"name=dev name=one,ops=ADD+ABS name=two,ops=MUL name=old,level=3";
	const struct rt_case cases[] = {
		RT_CASE_ENV(in_memory_objects, devices, FREE_TRANSFERS),
		RT_CASE_ENV(in_a_row, devices, FREE_TRANSFERS),
		RT_CASE_ENV(fences_from_outside, devices, FREE_TRANSFERS),
		RT_CASE_ENV(broken_fence, devices, FREE_TRANSFERS),
		RT_CASE_ENV(failing_device,
			    "name=bad,exec=0.1,fail=execute:DEVICE_UNAVAILABLE,"
			    "fail=fenced:DEVICE_UNAVAILABLE",
			    FREE_TRANSFERS),
		RT_CASE_ENV(unknown_shapes, devices, FREE_TRANSFERS),
		RT_CASE_ENV(real_fences, asynchronous, FREE_TRANSFERS),
		RT_CASE_ENV(several_in_flight, asynchronous, FREE_TRANSFERS),
		RT_CASE_ENV(from_user_space, mixed, FREE_TRANSFERS),
		RT_CASE_ENV(failing_in_user_space, mixed, FREE_TRANSFERS),
		RT_CASE_ENV(late_failure,
			    "name=bad,exec=0.1,fence=1,fail=execute:RESOURCE_EXHAUSTED_TRANSIENT",
			    FREE_TRANSFERS),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
