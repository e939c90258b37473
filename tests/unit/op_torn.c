// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnfw_ops.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"
#include "nnutil_align.h"
#include "op_torn.h"
#include "test_case.h"

#define SCRATCH_ALIGN 64u
/* Bytes that one step writes: others are to see a part of it. */
#define WINDOW 4096u
/* Operands from this size on are run less often. */
#define LARGE_BYTES 65536u
#define SLOTS 3u

/* An operand's memory, or scratch memory, between two pages that nothing may touch. */
struct torn_buffer {
	uint8_t *map, *data, *image; /* image: the contents before a client wrote */
	size_t mapped, size;
	bool shared; /* a client writes to it */
};

static struct torn_plan {
	bool read;
	uint32_t every, sessions, runs;
	uint32_t calls[NNPROG_OP_COUNT];
} plan;

/* The client: a thread that writes between begin() and end(). */
static struct torn_client {
	pthread_t thread;
	bool started;
	struct torn_buffer *buffers[OP_MAX_IN + OP_MAX_OUT];
	uint32_t count;
	sem_t begin, begun, ended;
	atomic_bool stop;
} client;

/* Numbers of its own: those of the tests stay as they are. */
static uint64_t choices = 88172645463325252ull;

static uint32_t torn_random(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 32) % below);
}

/* ---- the plan ---- */

static void seen_write(void)
{
	const char *path = getenv("OP_TORN_SEEN");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	for (uint32_t op = 0; op < NNPROG_OP_COUNT; op++)
		if (nnfw_op_table[op] && nnfw_op_table[op]->run)
			fprintf(file, "%s %d\n", nnprog_op_find(op)->name, plan.calls[op] > 0);
	fclose(file);
}

static void plan_read(const char *text)
{
	uint32_t *const numbers[] = { &plan.every, &plan.sessions, &plan.runs };
	const char *at = text;
	char *end;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++, at = end) {
		*numbers[i] = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			fail_msg("OP_TORN is '%s', not three numbers", text);
	}
	atexit(seen_write);
}

static bool plan_is_due(uint32_t opcode)
{
	const char *text = getenv("OP_TORN");

	if (text && !plan.read)
		plan_read(text);
	plan.read = true;
	return plan.every && !(plan.calls[opcode]++ % plan.every);
}

/* ---- memory ---- */

static void buffer_open(struct torn_buffer *b, size_t size, size_t align, const void *contents,
			bool at_end)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = nnutil_align_up(size, page);

	b->size = size;
	b->mapped = room + 2 * page;
	b->map = mmap(NULL, b->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(b->map != MAP_FAILED);
	if (room)
		assert_int_equal(mprotect(b->map + page, room, PROT_READ | PROT_WRITE), 0);
	b->data = b->map + page + (at_end ? (room - size) / align * align : 0);
	b->image = malloc(size ? size : 1);
	assert_non_null(b->image);
	if (contents)
		memcpy(b->image, contents, size);
	else
		memset(b->image, 0xa5, size);
	memcpy(b->data, b->image, size);
}

static void buffer_close(struct torn_buffer *b)
{
	if (b->map)
		munmap(b->map, b->mapped);
	free(b->image);
}

/* ---- the client ---- */

static void client_write(struct torn_buffer *b, uint64_t *random)
{
	static const uint8_t bytes[] = { 0, 0xff, 0x80, 0x7f, 1 };
	size_t n = b->size < WINDOW ? b->size : WINDOW;
	size_t at = torn_random(random, (uint32_t)(b->size - n + 1)), from;

	switch (torn_random(random, 6)) {
	case 0:
	case 1:
		memcpy(b->data + at, b->image + at, n);
		break;
	case 2:
		memset(b->data + at, bytes[torn_random(random, sizeof(bytes))], n);
		break;
	case 3:
		/* valid numbers at other places */
		from = torn_random(random, (uint32_t)(b->size - n + 1)) & ~(size_t)7;
		memcpy(b->data + at, b->image + from, n);
		break;
	case 4:
		b->data[torn_random(random, (uint32_t)b->size)] =
			bytes[torn_random(random, sizeof(bytes))];
		break;
	default:
		b->data[torn_random(random, (uint32_t)b->size)] = (uint8_t)torn_random(random, 256);
		break;
	}
}

static void *client_main(void *unused)
{
	uint64_t state = choices ^ 1, *random = &state;

	(void)unused;
	for (;;) {
		sem_wait(&client.begin);
		sem_post(&client.begun);
		while (!atomic_load_explicit(&client.stop, memory_order_relaxed))
			client_write(client.buffers[torn_random(random, client.count)], random);
		sem_post(&client.ended);
	}
	return NULL;
}

static void client_add(struct torn_buffer *b)
{
	if (b->size && b->shared)
		client.buffers[client.count++] = b;
}

static void client_begin(void)
{
	if (!client.started) {
		client.started = true;
		assert_int_equal(sem_init(&client.begin, 0, 0), 0);
		assert_int_equal(sem_init(&client.begun, 0, 0), 0);
		assert_int_equal(sem_init(&client.ended, 0, 0), 0);
		assert_int_equal(pthread_create(&client.thread, NULL, client_main, NULL), 0);
	}
	if (!client.count)
		return;
	atomic_store_explicit(&client.stop, false, memory_order_relaxed);
	sem_post(&client.begin);
	sem_wait(&client.begun);
}

static void client_end(void)
{
	if (!client.count)
		return;
	atomic_store_explicit(&client.stop, true, memory_order_relaxed);
	sem_wait(&client.ended);
	client.count = 0;
}

/* ---- what has run, where it dies ---- */

static char now[128];
static struct sigaction before[NSIG];

static void on_signal(int number)
{
	static const char text[] = "torn: ";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ||
	    write(STDERR_FILENO, now, strlen(now)) < 0)
		_exit(1);
	/* what was there before gets the same fault */
	sigaction(number, &before[number], NULL);
}

static void watch(bool on)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE };
	struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], on ? &action : &before[signals[i]],
			  on ? &before[signals[i]] : NULL);
}

/* ---- runs ---- */

struct torn_run {
	const struct op_test *test;
	const struct nnfw_op *op;
	const struct nnfw_tensor *bounds;
	struct nnfw_op_ctx ctx;
	struct nnfw_progress in_progress;
	struct nnfw_crew crew;
	struct nnfw_tensor in[OP_MAX_IN], out[OP_MAX_OUT];
	struct torn_buffer in_memory[OP_MAX_IN], out_memory[OP_MAX_OUT], scratch;
};

/* A tick is a turn of the client as well: what takes several ticks is torn in every run. */
static int run_tick(struct nnfw_progress *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < client.count; i++)
		client_write(client.buffers[i], &choices);
	return 0;
}

/* As three threads might: the last piece first, each as small as it may be. */
static int run_split(struct nnfw_crew *crew, size_t units, size_t grain, nnfw_units_fn *fn,
		     void *arg)
{
	struct torn_run *r = (struct torn_run *)((char *)crew - offsetof(struct torn_run, crew));
	size_t pieces = (units + grain - 1) / grain;
	int ret = 0;

	while (pieces-- && !ret) {
		size_t end = (pieces + 1) * grain;

		ret = fn(arg, (uint32_t)(pieces % SLOTS), pieces * grain, end < units ? end : units,
			 &r->in_progress);
	}
	return ret;
}

/* The core copies what shape rules read, and what comes with a shape of its own. */
static bool run_owns_input(const struct torn_run *r, uint32_t i)
{
	return i < 32 && r->ctx.desc->value_inputs >> i & 1;
}

static void run_set_input(struct torn_run *r, uint32_t i, bool at_end)
{
	struct torn_buffer *b = &r->in_memory[i];
	struct nnfw_tensor *in = &r->in[i];

	*in = r->test->in[i];
	if (in->omitted)
		return;
	/* a program's constant, or the client's */
	in->constant = torn_random(&choices, 4) < (i ? 2 : 1);
	buffer_open(b, in->size, nnprog_dtype_size(in->dtype), in->data, at_end);
	b->shared = !in->constant && !run_owns_input(r, i);
	in->data = b->data;
	client_add(b);
}

static void run_set_output(struct torn_run *r, uint32_t i, bool at_end)
{
	struct torn_buffer *b = &r->out_memory[i];

	r->out[i] = r->bounds[i];
	if (r->out[i].omitted)
		return;
	buffer_open(b, r->out[i].size, nnprog_dtype_size(r->out[i].dtype), NULL, at_end);
	b->shared = !(r->ctx.desc->run_shapes >> i & 1);
	r->out[i].data = b->data;
	client_add(b);
}

/* As the core does: contents of constants only. */
static void *run_load(struct torn_run *r)
{
	struct nnfw_tensor in[OP_MAX_IN];
	struct nnfw_op_ctx ctx = r->ctx;
	size_t size = 0;
	void *state = NULL;

	if (!r->op->load || !torn_random(&choices, 3))
		return NULL;
	memcpy(in, r->in, sizeof(in));
	for (uint32_t i = 0; i < ctx.num_in; i++)
		if (!in[i].constant)
			in[i].data = NULL;
	ctx.in = in;
	ctx.crew = NULL;
	assert_int_equal(r->op->load(&ctx, &state, &size), 0);
	return state;
}

static void run_check(const struct torn_run *r, int ret)
{
	if (ret != 0 && ret != -EINVAL && ret != -ENOMEM)
		fail_msg("%s ends with %d", r->ctx.desc->name, ret);
	for (uint32_t i = 0; i < r->ctx.num_out && !ret; i++) {
		if (r->out[i].omitted)
			continue;
		assert_int_equal(r->out[i].rank, r->bounds[i].rank);
		for (uint32_t d = 0; d < r->out[i].rank; d++)
			assert_true(r->out[i].dims[d] <= r->bounds[i].dims[d]);
	}
}

static void session(struct torn_run *r, uint32_t number, uint32_t runs)
{
	bool at_end = torn_random(&choices, 3);
	size_t scratch;
	void *state;

	snprintf(now, sizeof(now), "%s of %s, call %u, session %u\n", r->ctx.desc->name,
		 nnprog_dtype_name(r->test->in[0].dtype), plan.calls[r->test->opcode], number);
	for (uint32_t i = 0; i < r->ctx.num_in; i++)
		run_set_input(r, i, at_end);
	for (uint32_t i = 0; i < r->ctx.num_out; i++)
		run_set_output(r, i, at_end);
	if (torn_random(&choices, 2)) {
		r->ctx.crew = &r->crew;
		r->ctx.slots = SLOTS;
	}
	state = run_load(r);
	r->ctx.state = state;
	scratch = r->op->scratch ? r->op->scratch(&r->ctx) : 0;
	buffer_open(&r->scratch, scratch, SCRATCH_ALIGN, NULL, at_end);
	r->ctx.scratch = r->scratch.data;
	client_begin();
	for (uint32_t n = 0; n < runs; n++) {
		for (uint32_t i = 0; i < r->ctx.num_out; i++)
			if (r->ctx.desc->run_shapes >> i & 1) {
				void *data = r->out[i].data;

				r->out[i] = r->bounds[i];
				r->out[i].data = data;
			}
		run_check(r, r->op->run(&r->ctx));
	}
	client_end();
	if (state && r->op->unload)
		r->op->unload(state);
	for (uint32_t i = 0; i < r->ctx.num_in; i++)
		buffer_close(&r->in_memory[i]);
	for (uint32_t i = 0; i < r->ctx.num_out; i++)
		buffer_close(&r->out_memory[i]);
	buffer_close(&r->scratch);
}

static size_t bytes_of(const struct nnfw_tensor *list, uint32_t n)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += list[i].omitted ? 0 : list[i].size;
	return bytes;
}

void op_torn(const struct op_test *t, const struct nnfw_tensor *out)
{
	const size_t bytes = bytes_of(t->in, t->num_in) + bytes_of(out, t->num_out);
	uint32_t runs;

	if (!plan_is_due(t->opcode))
		return;
	runs = bytes > LARGE_BYTES ? (uint32_t)(plan.runs * (uint64_t)LARGE_BYTES / bytes)
				   : plan.runs;
	watch(true);
	for (uint32_t i = 0; i < plan.sessions; i++) {
		struct torn_run r = {
			.test = t,
			.op = nnfw_op_table[t->opcode],
			.bounds = out,
			.in_progress = { .tick = run_tick },
			.crew = { .split = run_split },
		};

		r.ctx = (struct nnfw_op_ctx){
			.desc = nnprog_op_find(t->opcode),
			.attrs = t->attrs,
			.in = r.in,
			.num_in = t->num_in,
			.out = r.out,
			.num_out = t->num_out,
			.progress = &r.in_progress,
		};
		session(&r, i, runs ? runs : 1);
	}
	watch(false);
}
