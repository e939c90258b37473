// SPDX-License-Identifier: Apache-2.0
/* Small programs, made by libnnprog. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nnprog_attrs.h>
#include <nnprog_builder.h>
#include <nnprog_format.h>
#include <nnprog_opcode.h>

#include "nnaccel_util.h"

static struct nnprog_operand vector(uint32_t dtype, uint32_t n)
{
	return (struct nnprog_operand){ .dtype = dtype, .shape = { .rank = 1, .dims = { n } } };
}

static int build_binary(struct nnprog_builder *b, uint32_t kind, uint32_t n, struct nnprog_error *err)
{
	struct nnprog_operand x = vector(NNPROG_FLOAT32, n);
	struct nnprog_attr_binary attr = { .kind = kind };
	uint32_t in[2], out;
	int first, second, third, ret;

	ret = nnprog_builder_subgraph(b, "main");
	if (ret < 0)
		return ret;
	first = nnprog_builder_tensor(b, &x, NNPROG_INPUT, NULL, 0);
	second = nnprog_builder_tensor(b, &x, NNPROG_INPUT, NULL, 0);
	third = nnprog_builder_tensor(b, &x, NNPROG_OUTPUT, NULL, 0);
	if (first < 0 || second < 0 || third < 0)
		return -ENOMEM;
	in[0] = first;
	in[1] = second;
	out = third;
	ret = nnprog_builder_operation(b, NNPROG_OP_BINARY, &attr, sizeof(attr), in, 2, &out, 1, NULL, err);
	return ret ? ret : nnprog_builder_io(b, in, 2, &out, 1);
}

static int build_reshape(struct nnprog_builder *b, uint32_t n, struct nnprog_error *err)
{
	struct nnprog_operand x = vector(NNPROG_FLOAT32, n), shape = vector(NNPROG_INT32, 2);
	struct nnprog_operand y = { .dtype = NNPROG_FLOAT32, .shape = { .rank = 2, .dims = { 2, n / 2 } } };
	int32_t dims[2] = { 2, -1 };
	uint32_t in[2], out;
	int first, second, third, ret;

	ret = nnprog_builder_subgraph(b, "main");
	if (ret < 0)
		return ret;
	first = nnprog_builder_tensor(b, &x, NNPROG_INPUT, NULL, 0);
	second = nnprog_builder_tensor(b, &shape, NNPROG_CONST, dims, sizeof(dims));
	third = nnprog_builder_tensor(b, &y, NNPROG_OUTPUT, NULL, 0);
	if (first < 0 || second < 0 || third < 0)
		return -ENOMEM;
	in[0] = first;
	in[1] = second;
	out = third;
	ret = nnprog_builder_operation(b, NNPROG_OP_RESHAPE, NULL, 0, in, 2, &out, 1, NULL, err);
	return ret ? ret : nnprog_builder_io(b, in, 1, &out, 1);
}

static int load(int fd, const void *bytes, size_t size, struct nn_program *program)
{
	int ret = nn_bo_new(fd, size, DRM_NNACCEL_BO_DEVICE_READONLY, &program->bo);

	if (ret)
		return ret;
	memcpy(program->bo.map, bytes, size);
	program->size = size;
	return 0;
}

int nn_program_bytes(uint32_t kind, uint32_t n, void **bytes, size_t *size)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	int ret;

	if (!b)
		return -ENOMEM;
	ret = build_binary(b, kind, n, &err);
	if (!ret)
		ret = nnprog_builder_finish(b, bytes, size, &err);
	nnprog_builder_destroy(b);
	return ret;
}

int nn_program_binary(int fd, uint32_t kind, uint32_t n, struct nn_program *program)
{
	void *bytes;
	size_t size;
	int ret;

	memset(program, 0, sizeof(*program));
	ret = nn_program_bytes(kind, n, &bytes, &size);
	if (ret)
		return ret;
	ret = load(fd, bytes, size, program);
	free(bytes);
	return ret;
}

int nn_program_reshape(int fd, uint32_t n, struct nn_program *program)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	void *bytes;
	size_t size;
	int ret;

	memset(program, 0, sizeof(*program));
	if (!b)
		return -ENOMEM;
	ret = build_reshape(b, n, &err);
	if (!ret)
		ret = nnprog_builder_finish(b, &bytes, &size, &err);
	nnprog_builder_destroy(b);
	if (ret)
		return ret;
	ret = load(fd, bytes, size, program);
	free(bytes);
	return ret;
}

void nn_program_free(struct nn_program *program)
{
	nn_bo_free(&program->bo);
	program->size = 0;
}

int nn_rig_open(struct nn_rig *rig)
{
	int fd = nn_open();

	memset(rig, 0, sizeof(*rig));
	return fd < 0 ? fd : nn_rig_setup(rig, fd);
}

int nn_rig_setup(struct nn_rig *rig, int fd)
{
	int ret = nn_card_heal(fd);

	memset(rig, 0, sizeof(*rig));
	if (ret) {
		close(fd);
		return ret;
	}
	return nn_rig_setup_as_is(rig, fd);
}

int nn_rig_setup_as_is(struct nn_rig *rig, int fd)
{
	int ret;

	memset(rig, 0, sizeof(*rig));
	rig->fd = fd;
	ret = nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue);
	if (!ret)
		ret = nn_program_binary(rig->fd, NNPROG_BINARY_ADD, NN_VECTOR, &rig->add);
	if (!ret)
		ret = nn_bo_new(rig->fd, NN_BYTES, 0, &rig->a);
	if (!ret)
		ret = nn_bo_new(rig->fd, NN_BYTES, 0, &rig->b);
	if (!ret)
		ret = nn_bo_new(rig->fd, NN_BYTES, 0, &rig->out);
	if (!ret)
		ret = nn_bo_new(rig->fd, NN_PAGE, 0, &rig->result);
	if (!ret) {
		rig->done = nn_syncobj(rig->fd);
		ret = rig->done ? 0 : -ENOMEM;
	}
	if (ret) {
		nn_rig_close(rig);
		return ret;
	}
	for (uint32_t i = 0; i < NN_VECTOR; i++) {
		((float *)rig->a.map)[i] = i;
		((float *)rig->b.map)[i] = 1;
	}
	return 0;
}

void nn_rig_close(struct nn_rig *rig)
{
	if (rig->fd <= 0)
		return;
	nn_queue_free(&rig->queue);
	nn_program_free(&rig->add);
	nn_bo_free(&rig->a);
	nn_bo_free(&rig->b);
	nn_bo_free(&rig->out);
	nn_bo_free(&rig->result);
	nn_syncobj_free(rig->fd, rig->done);
	close(rig->fd);
	memset(rig, 0, sizeof(*rig));
}

void nn_rig_job(struct nn_rig *rig, struct nn_job *job)
{
	nn_job_run(job, &rig->add.bo, rig->add.size);
	nn_job_in(job, &rig->a, NN_BYTES);
	nn_job_in(job, &rig->b, NN_BYTES);
	nn_job_out(job, &rig->out, NN_BYTES);
	nn_job_result(job, &rig->result);
	nn_job_signal(job, rig->done, 0);
}

int nn_rig_run(struct nn_rig *rig)
{
	struct nn_job job;
	int ret;

	nn_rig_job(rig, &job);
	ret = nn_submit(&rig->queue, &job);
	return ret ? ret : nn_fence_end(rig->fd, rig->done, 0);
}

bool nn_rig_right(const struct nn_rig *rig)
{
	const float *a = rig->a.map, *b = rig->b.map, *out = rig->out.map;

	for (uint32_t i = 0; i < NN_VECTOR; i++)
		if (out[i] != a[i] + b[i])
			return false;
	return true;
}
