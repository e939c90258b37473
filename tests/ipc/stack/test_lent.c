// SPDX-License-Identifier: Apache-2.0
/*
 * A worker that does to the client's memory what its descriptors allow (hostile_worker.c,
 * "lent/harm"): writes to it, cuts it to nothing, moves its place and sets its flags. What was only
 * lent for reading stays as it is, what can be sealed loses nothing, and the client's own
 * descriptors of files keep their place and flags.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack_test.h"

#define SIZE 8192
#define PLACE 24

static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;

/* Memory of the client, as an application has it: mapped, and read and written by its descriptor.
 */
struct memory {
	int fd, flags;
	uint8_t *map;
};

static struct memory take(int fd)
{
	struct memory m = { .fd = fd };

	MUST(fd >= 0 && !ftruncate(fd, SIZE));
	m.map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MUST(m.map != MAP_FAILED);
	for (size_t i = 0; i < SIZE; i++)
		m.map[i] = (uint8_t)(i % 251);
	MUST(lseek(fd, PLACE, SEEK_SET) == PLACE);
	m.flags = fcntl(fd, F_GETFL);
	return m;
}

static struct memory file(void)
{
	FILE *f = tmpfile();

	MUST(f);
	return take(fcntl(fileno(f), F_DUPFD_CLOEXEC, 0));
}

static struct memory memfd(unsigned int flags)
{
	return take(memfd_create("lent", MFD_CLOEXEC | flags));
}

static void check_length(const struct memory *m)
{
	struct stat st;

	MUST(!fstat(m->fd, &st));
	MUST_SAY(st.st_size >= SIZE, "%lld bytes are left", (long long)st.st_size);
	/* SIGBUS else */
	MUST(m->map[SIZE - 1] == (SIZE - 1) % 251);
}

static void check_contents(const struct memory *m)
{
	check_length(m);
	for (size_t i = 0; i < SIZE; i++)
		MUST_SAY(m->map[i] == i % 251, "byte %zu was written", i);
}

static void check_description(const struct memory *m)
{
	MUST_SAY(lseek(m->fd, 0, SEEK_CUR) == PLACE, "the place moved");
	MUST_SAY(fcntl(m->fd, F_GETFL) == m->flags, "flags were set");
}

static void drop(struct memory *m)
{
	munmap(m->map, SIZE);
	close(m->fd);
}

static struct nnhal_device *open_hostile(void)
{
	setenv("NNACCEL_WORKER_FAULT", "lent/harm", 1);
	return stack_open();
}

static struct nnmodel *with_weights(const struct memory *m)
{
	struct nnmodel *model = stack_model(1, 4);

	MUST(nnmodel_add_pool(model, fcntl(m->fd, F_DUPFD_CLOEXEC, 0), PROT_READ, 0, SIZE) == 0);
	return model;
}

/* Weights, lent twice: to ask which operations are supported, and to prepare. */
static void lend_weights(struct memory m)
{
	struct nnhal_device *dev = open_hostile();
	struct nnmodel *model = with_weights(&m);
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnhal_prepared_model *pm;
	bool supported[1];

	MUST(dev->ops->get_supported_operations(dev, model, supported, NULL, &err) == NNHAL_NONE);
	MUST(stack_prepare(dev, model, &pm) == NNHAL_NONE);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	check_contents(&m);
	check_description(&m);
	drop(&m);
}

static void weights_in_file(const struct stack_case *c)
{
	(void)c;
	lend_weights(file());
}

static void weights_in_memfd(const struct stack_case *c)
{
	(void)c;
	lend_weights(memfd(0));
	lend_weights(memfd(MFD_ALLOW_SEALING));
}

static void run_all(struct nnhal_prepared_model *pm, const struct nnhal_request *request)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_fenced_callback *cb = NULL;
	struct nnhal_execution *e = NULL;
	struct stack_answer *a = stack_answer();
	int fence = -1;

	MUST(pm->ops->execute_synchronously(pm, request, &config, NNHAL_NO_TIME, &result) ==
	     NNHAL_NONE);
	MUST(pm->ops->execute(pm, request, &config, NNHAL_NO_TIME, stack_executed, a) ==
	     NNHAL_NONE);
	MUST(stack_answer_wait(a) == NNHAL_NONE);
	MUST(pm->ops->execute_fenced(pm, request, NULL, 0, &config, NNHAL_NO_TIME, NNHAL_NO_TIME,
				     &fence, &cb) == NNHAL_NONE);
	cb->ops->destroy(cb);
	MUST(pm->ops->create_reusable_execution(pm, request, &config, &e) == NNHAL_NONE);
	e->ops->destroy(e);
	nnhal_execution_result_clear(&result);
}

static struct nnhal_request_pool pool(const struct memory *m, int prot)
{
	return (struct nnhal_request_pool){ .memory = { .fd = m->fd, .prot = prot, .size = SIZE } };
}

/* @in for reading, @out for writing, by each call that lends a request's memory. */
static void lend_request(struct memory in, struct memory out)
{
	struct nnhal_device *dev = open_hostile();
	struct nnhal_prepared_model *pm;
	struct stack_call call;
	struct nnhal_request_pool own[2];

	MUST(stack_prepare(dev, stack_model(1, 4), &pm) == NNHAL_NONE);
	stack_call_init(&call, 4);
	memcpy(own, call.pools, sizeof(own));
	call.pools[0] = pool(&in, PROT_READ);
	call.pools[1] = pool(&out, PROT_READ | PROT_WRITE);
	run_all(pm, &call.request);
	memcpy(call.pools, own, sizeof(own));
	stack_call_fini(&call);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	check_contents(&in);
	check_length(&out);
	drop(&in);
	drop(&out);
}

static void request_in_memfds(const struct stack_case *c)
{
	(void)c;
	lend_request(memfd(0), memfd(MFD_ALLOW_SEALING));
	lend_request(memfd(MFD_ALLOW_SEALING), memfd(MFD_ALLOW_SEALING));
}

static void request_in_file(const struct stack_case *c)
{
	(void)c;
	lend_request(file(), memfd(MFD_ALLOW_SEALING));
}

/* A buffer's contents are copied from memory for reading, and to memory for writing. */
static void copies(const struct stack_case *c)
{
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	const struct nnhal_buffer_role role = { .probability = 1 };
	struct memory from = memfd(0), to = memfd(MFD_ALLOW_SEALING);
	struct nnhal_device *dev = open_hostile();
	struct nnhal_request_pool pools[2] = { pool(&from, PROT_READ),
					       pool(&to, PROT_READ | PROT_WRITE) };
	struct nnhal_prepared_model *pm;
	struct nnhal_buffer *buffer;
	uint32_t token;

	(void)c;
	MUST(stack_prepare(dev, stack_model(1, 4), &pm) == NNHAL_NONE);
	MUST(dev->ops->allocate(dev, &desc, &pm, 1, &role, 1, NULL, 0, &buffer, &token) ==
	     NNHAL_NONE);
	MUST(buffer->ops->copy_from(buffer, &pools[0].memory, 0, NULL) == NNHAL_NONE);
	MUST(buffer->ops->copy_to(buffer, &pools[1].memory) == NNHAL_NONE);
	buffer->ops->destroy(buffer);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	check_contents(&from);
	check_length(&to);
	drop(&from);
	drop(&to);
}

/* A file that may be written can be cut; its description is the client's all the same. */
static void output_in_file(const struct stack_case *c)
{
	struct memory in = memfd(0), out = file();
	struct nnhal_device *dev = open_hostile();
	struct nnhal_prepared_model *pm;
	struct stack_call call;
	struct nnhal_request_pool own[2];

	(void)c;
	MUST(stack_prepare(dev, stack_model(1, 4), &pm) == NNHAL_NONE);
	stack_call_init(&call, 4);
	memcpy(own, call.pools, sizeof(own));
	call.pools[0] = pool(&in, PROT_READ);
	call.pools[1] = pool(&out, PROT_READ | PROT_WRITE);
	MUST(stack_run(pm, &call) == NNHAL_NONE);
	memcpy(call.pools, own, sizeof(own));
	stack_call_fini(&call);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	check_description(&out);
	drop(&in);
	drop(&out);
}

int main(int argc, char **argv)
{
	static const struct stack_case cases[] = {
		{ .name = "weights-in-file", .body = weights_in_file },
		{ .name = "weights-in-memfd", .body = weights_in_memfd },
		{ .name = "request-in-memfds", .body = request_in_memfds },
		{ .name = "request-in-file", .body = request_in_file },
		{ .name = "copies", .body = copies },
		{ .name = "output-in-file", .body = output_in_file },
	};

	return stack_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
