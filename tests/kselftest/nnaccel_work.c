// SPDX-License-Identifier: Apache-2.0
/* Work of a known length: long operations, endless loops, programs that take long to verify. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <nnprog_attrs.h>
#include <nnprog_builder.h>
#include <nnprog_format.h>
#include <nnprog_opcode.h>

#include "nnaccel_load.h"

/* Matrices of 36 MiB: several clients' matrices fit into memory. */
#define MAX_N		3072u
/* Large enough to measure, small enough to be quick: about 0.1 s. */
#define PROBE_N		512u
#define ROW_BYTES	4096u
#define ROW		(ROW_BYTES / sizeof(float))

static struct nnprog_operand matrix(uint32_t n)
{
	return (struct nnprog_operand){ .dtype = NNPROG_INT32, .shape = { .rank = 2, .dims = { n, n } } };
}

static struct nnprog_operand one(uint32_t dtype)
{
	return (struct nnprog_operand){ .dtype = dtype, .shape = { .rank = 1, .dims = { 1 } } };
}

/* main: in, temporaries, out; each is the product of the previous one and the first. */
static int build_long(struct nnprog_builder *b, uint32_t n, unsigned int ops, struct nnprog_error *err)
{
	static const struct nnprog_attr_batch_matmul attr;
	struct nnprog_operand m = matrix(n);
	uint32_t in[2], out, first, last;
	int ret = nnprog_builder_subgraph(b, "main");

	if (ret < 0)
		return ret;
	ret = nnprog_builder_tensor(b, &m, NNPROG_INPUT, NULL, 0);
	if (ret < 0)
		return ret;
	first = last = ret;
	for (unsigned int i = 0; i < ops; i++) {
		ret = nnprog_builder_tensor(b, &m, i + 1 == ops ? NNPROG_OUTPUT : NNPROG_TEMP, NULL, 0);
		if (ret < 0)
			return ret;
		out = ret;
		in[0] = last;
		in[1] = first;
		ret = nnprog_builder_operation(b, NNPROG_OP_BATCH_MATMUL, &attr, sizeof(attr), in, 2, &out, 1, NULL,
					       err);
		if (ret)
			return ret;
		last = out;
	}
	return nnprog_builder_io(b, &first, 1, &last, 1);
}

static int load(int fd, struct nnprog_builder *b, struct nn_program *program)
{
	struct nnprog_error err;
	void *bytes;
	size_t size;
	int ret = nnprog_builder_finish(b, &bytes, &size, &err);

	if (ret)
		return ret;
	ret = nn_bo_new(fd, size, DRM_NNACCEL_BO_DEVICE_READONLY, &program->bo);
	if (!ret) {
		memcpy(program->bo.map, bytes, size);
		program->size = size;
	}
	free(bytes);
	return ret;
}

int nn_long_open_size(int fd, uint32_t n, unsigned int ops, struct nn_long *work)
{
	uint64_t bytes = (uint64_t)n * n * sizeof(int32_t);
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	int ret;

	memset(work, 0, sizeof(*work));
	if (!b)
		return -ENOMEM;
	work->n = n;
	work->ops = ops;
	ret = build_long(b, n, ops, &err);
	if (!ret)
		ret = load(fd, b, &work->program);
	nnprog_builder_destroy(b);
	if (!ret)
		ret = nn_bo_new(fd, bytes, 0, &work->in);
	if (!ret)
		ret = nn_bo_new(fd, bytes, 0, &work->out);
	if (ret)
		nn_long_close(work);
	return ret;
}

int nn_speed(int fd, double *speed)
{
	struct drm_nnaccel_status_entry e;
	struct nn_queue queue = { 0 };
	struct nn_long probe;
	struct nn_job job;
	uint32_t done = nn_syncobj(fd);
	int ret = nn_long_open_size(fd, PROBE_N, 1, &probe);

	if (!ret)
		ret = nn_queue_new(fd, DRM_NNACCEL_PRIORITY_HIGH, &queue);
	*speed = 0;
	/* The first run loads the program; the fastest of the others is the speed of the machine. */
	for (int i = 0; i < 3 && !ret; i++) {
		nn_long_job(&probe, &job);
		nn_job_signal(&job, done, 0);
		ret = nn_submit(&queue, &job);
		if (!ret)
			ret = nn_fence_end(fd, done, 0);
		if (!ret)
			ret = nn_queue_status(&queue, job.job.seqno, &e);
		if (!ret && i && e.end_ns > e.start_ns)
			*speed = fmax(*speed, pow(PROBE_N, 3) * NN_NS_PER_S / (e.end_ns - e.start_ns));
	}
	nn_queue_free(&queue);
	nn_long_close(&probe);
	nn_syncobj_free(fd, done);
	return ret ? ret : *speed > 0 ? 0 : -ERANGE;
}

int nn_long_open(int fd, unsigned int ms, unsigned int ops, double speed, struct nn_long *work)
{
	uint32_t n;
	int ret;

	memset(work, 0, sizeof(*work));
	if (speed <= 0) {
		ret = nn_speed(fd, &speed);
		if (ret)
			return ret;
	}
	n = cbrt(speed * ms / 1000);
	n = n < 64 ? 64 : n > MAX_N ? MAX_N : n;
	return nn_long_open_size(fd, n, ops, work);
}

void nn_long_close(struct nn_long *work)
{
	nn_program_free(&work->program);
	nn_bo_free(&work->in);
	nn_bo_free(&work->out);
}

void nn_long_job(const struct nn_long *work, struct nn_job *job)
{
	uint64_t bytes = (uint64_t)work->n * work->n * sizeof(int32_t);

	nn_job_run(job, &work->program.bo, work->program.size);
	/* Programs for different lengths may have the same size and reuse an address: give each a generation. */
	job->job.program_generation = (uint64_t)work->n << 16 | work->ops;
	nn_job_in(job, &work->in, bytes);
	nn_job_out(job, &work->out, bytes);
}

void nn_long_job_bare(const struct nn_long *work, struct nn_job *job)
{
	nn_long_job(work, job);
	job->num_bos = 0;
}

/* WHILE i == i: i = i + 1. The condition is subgraph 1, the body subgraph 2. */
static int build_loop(struct nnprog_builder *b, struct nnprog_error *err)
{
	static const struct nnprog_attr_while loop = { .condition_graph = 1, .body_graph = 2 };
	static const struct nnprog_attr_compare equal = { .kind = NNPROG_COMPARE_EQUAL };
	static const struct nnprog_attr_binary add = { .kind = NNPROG_BINARY_ADD };
	struct nnprog_operand number = one(NNPROG_INT32), truth = one(NNPROG_BOOL8);
	/* In every subgraph the input is tensor 0 and the output tensor 1. */
	const uint32_t zero[2] = { 0, 0 }, out = 1;
	int ret;

	ret = nnprog_builder_subgraph(b, "main");
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &number, NNPROG_INPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &number, NNPROG_OUTPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_operation(b, NNPROG_OP_WHILE, &loop, sizeof(loop), zero, 1, &out, 1, NULL, err);
	if (ret >= 0)
		ret = nnprog_builder_io(b, zero, 1, &out, 1);
	if (ret >= 0)
		ret = nnprog_builder_subgraph(b, "condition");
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &number, NNPROG_INPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &truth, NNPROG_OUTPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_operation(b, NNPROG_OP_COMPARE, &equal, sizeof(equal), zero, 2, &out, 1, NULL,
					       err);
	if (ret >= 0)
		ret = nnprog_builder_io(b, zero, 1, &out, 1);
	if (ret >= 0)
		ret = nnprog_builder_subgraph(b, "body");
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &number, NNPROG_INPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &number, NNPROG_OUTPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_operation(b, NNPROG_OP_BINARY, &add, sizeof(add), zero, 2, &out, 1, NULL, err);
	if (ret >= 0)
		ret = nnprog_builder_io(b, zero, 1, &out, 1);
	return ret < 0 ? ret : 0;
}

int nn_program_loop(int fd, struct nn_program *program)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	int ret;

	memset(program, 0, sizeof(*program));
	if (!b)
		return -ENOMEM;
	ret = build_loop(b, &err);
	if (!ret)
		ret = load(fd, b, program);
	nnprog_builder_destroy(b);
	return ret;
}

void nn_loop_job(const struct nn_program *program, const struct nn_bo *in, const struct nn_bo *out, uint64_t loop_ns,
		 struct nn_job *job)
{
	nn_job_run(job, &program->bo, program->size);
	job->job.program_generation = 2;
	nn_job_in(job, in, sizeof(int32_t));
	nn_job_out(job, out, sizeof(int32_t));
	job->job.loop_ns = loop_ns;
}

/* out [1][ROW] = table [rows][ROW] at index; the table's rows are zeros. */
static int build_table(struct nnprog_builder *b, struct nnprog_error *err)
{
	static const struct nnprog_attr_axis attr;
	static const float row[ROW];
	struct nnprog_operand index = one(NNPROG_INT32);
	struct nnprog_operand table = { .dtype = NNPROG_FLOAT32, .shape = { .rank = 2, .dims = { 1, ROW } } };
	const uint32_t in[2] = { 0, 1 }, arg = 1, out = 2;
	int ret = nnprog_builder_subgraph(b, "main");

	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &table, NNPROG_CONST, row, sizeof(row));
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &index, NNPROG_INPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_tensor(b, &table, NNPROG_OUTPUT, NULL, 0);
	if (ret >= 0)
		ret = nnprog_builder_operation(b, NNPROG_OP_GATHER, &attr, sizeof(attr), in, 2, &out, 1, NULL, err);
	if (ret >= 0)
		ret = nnprog_builder_io(b, &arg, 1, &out, 1);
	return ret < 0 ? ret : 0;
}

/* The checksum of @len zeros, in logarithmic time. */
static unsigned long crc_of_zeros(uint64_t len)
{
	unsigned long crc = crc32(0, NULL, 0), power = crc32(0, (const Bytef *)"", 1);
	uint64_t have = 0;

	for (uint64_t bit = 1; bit <= len; bit <<= 1) {
		if (len & bit) {
			crc = have ? crc32_combine(crc, power, bit) : power;
			have += bit;
		}
		power = crc32_combine(power, power, bit);
	}
	return crc;
}

/* The table grows after the program was built: an emulated processor would take minutes to write it. */
static int grow_table(int fd, const uint8_t *bytes, uint64_t size, uint32_t rows, struct nn_program *program)
{
	uint64_t more = (uint64_t)(rows - 1) * ROW_BYTES;
	struct nnprog_header *header;
	struct nnprog_tensor *table;
	unsigned long crc;
	int ret;

	ret = nn_bo_new(fd, size + more, DRM_NNACCEL_BO_DEVICE_READONLY, &program->bo);
	if (ret)
		return ret;
	memcpy(program->bo.map, bytes, size);
	header = program->bo.map;
	table = (struct nnprog_tensor *)((uint8_t *)program->bo.map + header->sections[NNPROG_TENSORS].offset);
	table->dims[0] = rows;
	table->size += more;
	header->total_size += more;
	header->sections[NNPROG_DATA].count += more;
	crc = crc32(0, (const Bytef *)program->bo.map + header->header_size, size - header->header_size);
	header->crc32 = more ? crc32_combine(crc, crc_of_zeros(more), more) : crc;
	program->size = size + more;
	return 0;
}

int nn_program_big(int fd, uint64_t bytes, struct nn_program *program)
{
	struct nnprog_builder *b = nnprog_builder_create();
	struct nnprog_error err;
	void *small;
	size_t size;
	int ret;

	memset(program, 0, sizeof(*program));
	if (!b)
		return -ENOMEM;
	ret = build_table(b, &err);
	if (!ret)
		ret = nnprog_builder_finish(b, &small, &size, &err);
	nnprog_builder_destroy(b);
	if (ret)
		return ret;
	ret = grow_table(fd, small, size, bytes / ROW_BYTES + 1, program);
	free(small);
	return ret;
}
