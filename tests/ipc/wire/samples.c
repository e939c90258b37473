// SPDX-License-Identifier: Apache-2.0
/* Samples of the values of nnhal.h. */
#include "values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int sample_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("sample", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	return fd;
}

static uint32_t number(int ret)
{
	if (ret < 0)
		abort();
	return (uint32_t)ret;
}

struct nnmodel *sample_model(uint32_t sample)
{
	static const uint32_t dims[] = { 2, 2 };
	static const float scales[] = { 0.5f, 0.25f };
	struct nnmodel *m;
	uint32_t io[3], act;

	if (sample == 1)
		return NULL;
	m = nnmodel_new();
	if (!m)
		abort();
	for (int i = 0; i < 3; i++)
		io[i] = number(nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						   NNMODEL_SUBGRAPH_INPUT, dims, 2, 0, 0));
	act = number(nnmodel_add_int32(m, NNMODEL_FUSED_NONE));
	number(nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ io[0], io[1], act }, 3, &io[2],
				     1));
	number(nnmodel_set_io(m, io, 2, &io[2], 1));
	if (sample == 2) {
		/* a pool that has no descriptor */
		number(nnmodel_add_pool(m, dup(sample_fd()), PROT_READ, 0, 64));
		close(m->pools[0].fd);
		m->pools[0].fd = -1;
		return m;
	}
	for (uint64_t i = 0; i < 3; i++)
		number(nnmodel_add_pool(m, dup(sample_fd()), PROT_READ, 4096 * i, 64 + i));
	number(nnmodel_add_operand(m, NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL,
				   NNMODEL_CONSTANT_REFERENCE, dims, 2, 0, 0));
	number(nnmodel_set_channel_quant(m, 4, 1, scales, 2));
	number(nnmodel_set_value_from_pool(m, 4, 1, 8, 4));
	m->relaxed = true;
	m->extensions = calloc(1, sizeof(*m->extensions));
	m->num_extensions = 1;
	m->extensions[0] = (struct nnmodel_extension){ strdup("vendor.name"), 0x7fff };
	return m;
}

struct nnhal_request sample_request(uint32_t sample)
{
	static const uint32_t dims[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, UINT32_MAX };
	static const struct nnhal_request_argument inputs[] = {
		{ .pool = 0, .offset = 1ull << 40, .length = UINT64_MAX, .padding = 7 },
		{ .has_no_value = true },
		{ .pool = UINT32_MAX, .rank = 11, .dims = dims },
	};
	static const struct nnhal_request_argument outputs[] = {
		{ .pool = 2, .length = 4, .rank = 1, .dims = dims },
		{ .pool = 1, .rank = 5 }, /* dimensions
					     that
					     are
					     not
					     there
					   */
	};
	static struct nnhal_request_pool pools[] = {
		{ .memory = { .prot = PROT_READ, .offset = 4096, .size = 1ull << 33 } },
		{ .is_token = true, .token = 77, .memory.fd = -1 },
		{ .memory = { .fd = -1, .prot = -1, .size = 5 } },
	};

	pools[0].memory.fd = sample_fd();
	if (sample == 1)
		return (struct nnhal_request){ .size = sizeof(struct nnhal_request) };
	if (sample == 2)
		/* lists that are not there */
		return (struct nnhal_request){ .size = sizeof(struct nnhal_request),
					       .num_inputs = 2,
					       .outputs = outputs,
					       .num_outputs = 1,
					       .num_pools = UINT32_MAX };
	return (struct nnhal_request){
		sizeof(struct nnhal_request), 3, inputs, outputs, 2, 3, pools
	};
}

static const struct nnhal_token_value hints[] = {
	{ 0x10001, "value", 6 },
	{ 0x10002, NULL, 0 },
	{ 0x10003, "", 0 },
	{ 0x10004, NULL, 4 }, /* a value that is not there */
};
static const struct nnmodel_extension extensions[] = {
	{ (char *)"vendor.name", 1 },
	{ NULL, UINT16_MAX },
	{ (char *)"", 0 },
};

struct nnhal_execution_config sample_execution_config(uint32_t sample)
{
	struct nnhal_execution_config c = NNHAL_EXECUTION_CONFIG_INIT;

	if (sample == 1)
		return c;
	c.measure_timing = true;
	c.loop_timeout_ns = INT64_MIN;
	c.num_hints = 4;
	c.num_extensions = 3;
	if (sample == 2)
		return c;
	c.hints = hints;
	c.extensions = extensions;
	return c;
}

struct nnhal_prepare_config sample_prepare_config(uint32_t sample)
{
	static const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 1, 2, 3, [31] = 255 };
	static int files[4] = { -1, -1, -1, -1 };
	struct nnhal_prepare_config c = NNHAL_PREPARE_CONFIG_INIT;

	if (sample == 1)
		return c;
	files[1] = files[2] = sample_fd();
	c.preference = 99;
	c.priority = UINT32_MAX;
	c.deadline_ns = 123456789012345;
	c.num_model_cache = 4;
	c.num_data_cache = 2;
	c.num_hints = 4;
	c.num_extensions = 3;
	if (sample == 2)
		return c;
	c.model_cache = files;
	c.data_cache = files + 1;
	c.token = token;
	c.hints = hints;
	c.extensions = extensions;
	return c;
}

struct nnhal_execution_result sample_result(uint32_t sample)
{
	static uint32_t dims[] = { 3, 0, UINT32_MAX };
	static struct nnhal_output_shape shapes[] = { { 3, dims, true },
						      { 0, NULL, false },
						      { 1, dims, false } };
	struct nnhal_execution_result r = NNHAL_EXECUTION_RESULT_INIT;

	if (sample == 1)
		return r;
	r.timing = (struct nnhal_timing){ 5, INT64_MAX };
	memset(r.message, 'm', sizeof(r.message)); /* a text without an end */
	if (sample == 2)
		return r;
	r.shapes = shapes;
	r.num_shapes = 3;
	strcpy(r.message, "an output is too small");
	return r;
}

struct nnhal_capabilities sample_capabilities(uint32_t sample)
{
	struct nnhal_capabilities c = { .size = sizeof(c) };

	if (sample == 1)
		return c;
	c.relaxed_scalar = (struct nnhal_performance){ 1, 2 };
	c.relaxed_tensor = (struct nnhal_performance){ 3, 4 };
	c.if_performance = (struct nnhal_performance){ 5, 6 };
	c.while_performance = (struct nnhal_performance){ 7, sample == 2 ? NAN : 8 };
	for (int i = 0; i < NNMODEL_TYPE_COUNT; i++)
		c.operand[i] = (struct nnhal_performance){ 0.5f + (float)i, FLT_MAX };
	return c;
}

struct nnhal_device_info sample_info(uint32_t sample)
{
	struct nnhal_device_info info = { .size = sizeof(info) };

	if (sample == 1)
		return info;
	info = (struct nnhal_device_info){
		.size = sizeof(info),
		.node = "/dev/accel/accel0",
		.contract_version = 1,
		.fw_version = 2,
		.opset_version = 3,
		.generation = 4,
		.state = (enum nnhal_device_state)99,
		.arena_size = 1ull << 40,
		.program_quota = UINT64_MAX,
		.driver_major = 5,
		.driver_minor = 6,
		.isolation = NNHAL_ISOLATION_SERVICE,
		.worker_pid = 1234,
		.worker_restarts = 7,
		.sandbox = "seccomp landlock",
		.sandbox_missing = "cgroup",
		.isa = "vnni",
		.isa_usable = "scalar avx2 vnni",
		.isa_missing = "amx",
	};
	if (sample == 2)
		memset(info.sandbox, 's', sizeof(info.sandbox));
	return info;
}

struct nnipc_description sample_description(uint32_t sample)
{
	static struct nnhal_extension_type types[] = { { 1, true, 2 }, { UINT16_MAX, false, 0 } };
	static struct nnipc_extension list[] = { { (char *)"vendor.a", types, 2 },
						 { NULL, NULL, 0 } };
	struct nnipc_description d = { .name = (char *)"", .version = (char *)"" };

	d.capabilities.size = sizeof(d.capabilities);
	if (sample == 1)
		return d;
	return (struct nnipc_description){
		.name = (char *)"nnaccel-card0",
		.version = (char *)"1.2",
		.type = 4,
		.feature_level = 8,
		.capabilities_status = NNHAL_NONE,
		.cache_files_status = NNHAL_NONE,
		.extensions_status = sample ? NNHAL_DEVICE_UNAVAILABLE : NNHAL_NONE,
		.capabilities = sample_capabilities(sample),
		.num_model_cache = 1,
		.num_data_cache = 2,
		.extensions = list,
		.num_extensions = 2,
	};
}
