// SPDX-License-Identifier: Apache-2.0
/*
 * A board maker's test of the vendor HAL: build, prepare and run a model with the installed nnhal.h
 * and nnmodel.h. Every function of nnmodel.h must link. The argument is the device; none: cpu.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nnhal.h>

#define N 4u

static struct nnhal_prepared_model *prepared;

/* Referred to, so that the linker has to find them. */
static void *const functions[] = {
	(void *)nnmodel_add_bool,
	(void *)nnmodel_add_float32,
	(void *)nnmodel_add_int32,
	(void *)nnmodel_add_operand,
	(void *)nnmodel_add_operation,
	(void *)nnmodel_add_pool,
	(void *)nnmodel_clone,
	(void *)nnmodel_constant,
	(void *)nnmodel_elements,
	(void *)nnmodel_free,
	(void *)nnmodel_map_pools,
	(void *)nnmodel_new,
	(void *)nnmodel_op_find,
	(void *)nnmodel_operand_bytes,
	(void *)nnmodel_operation_name,
	(void *)nnmodel_parse,
	(void *)nnmodel_parse_signature,
	(void *)nnmodel_serialize,
	(void *)nnmodel_serialize_places,
	(void *)nnmodel_serialize_signature,
	(void *)nnmodel_set_channel_quant,
	(void *)nnmodel_set_io,
	(void *)nnmodel_set_value,
	(void *)nnmodel_set_value_from_pool,
	(void *)nnmodel_type_is_scalar,
	(void *)nnmodel_type_name,
	(void *)nnmodel_type_size,
	(void *)nnmodel_unmap_pools,
	(void *)nnmodel_validate,
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "installed_client: %s: %s\n", what, why ? why : "failed");
	exit(1);
}

/* out = in * 3 + in */
static struct nnmodel *model(void)
{
	const uint32_t dims[] = { N }, one[] = { 1 };
	const float three = 3;
	struct nnmodel *m = nnmodel_new();
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	int in, factor, product, out, act;

	if (!m)
		fail("model", NULL);
	in = nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, dims, 1, 0, 0);
	factor = nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_TEMPORARY_VARIABLE, one, 1,
				     0, 0);
	product = nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_TEMPORARY_VARIABLE, dims,
				      1, 0, 0);
	out = nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, dims, 1, 0,
				  0);
	act = nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	if (nnmodel_set_value(m, (uint32_t)factor, &three, sizeof(three)) ||
	    nnmodel_add_operation(m, NNMODEL_MUL,
				  (const uint32_t[]){ (uint32_t)in, (uint32_t)factor,
						      (uint32_t)act },
				  3, (const uint32_t[]){ (uint32_t)product }, 1) < 0 ||
	    nnmodel_add_operation(m, NNMODEL_ADD,
				  (const uint32_t[]){ (uint32_t)product, (uint32_t)in,
						      (uint32_t)act },
				  3, (const uint32_t[]){ (uint32_t)out }, 1) < 0 ||
	    nnmodel_set_io(m, (const uint32_t[]){ (uint32_t)in }, 1,
			   (const uint32_t[]){ (uint32_t)out }, 1))
		fail("model", NULL);
	if (nnmodel_validate(m, NULL, &err))
		fail("model", err.text);
	return m;
}

int main(int argc, char **argv)
{
	const struct nnhal_prepare_config config = { .size = sizeof(config),
						     .preference = NNHAL_FAST_SINGLE_ANSWER,
						     .priority = NNHAL_PRIORITY_MEDIUM,
						     .deadline_ns = NNHAL_NO_TIME };
	const struct nnhal_execution_config run = NNHAL_EXECUTION_CONFIG_INIT;
	const struct nnhal_request_argument in = { .length = N * sizeof(float) };
	const struct nnhal_request_argument out = { .offset = N * sizeof(float),
						    .length = N * sizeof(float) };
	const int fd = memfd_create("client", MFD_CLOEXEC);
	const size_t size = 2 * N * sizeof(float);
	struct nnhal_request_pool pool = {
		.memory = { .fd = fd, .prot = PROT_READ | PROT_WRITE, .size = size }
	};
	const struct nnhal_request request = { .size = sizeof(request),
					       .inputs = &in,
					       .outputs = &out,
					       .num_inputs = 1,
					       .num_outputs = 1,
					       .pools = &pool,
					       .num_pools = 1 };
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_device *dev;
	struct nnmodel *m = model();
	enum nnhal_status status;
	char message[256];
	float *values;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!functions[i])
			fail("nnmodel.h", "a function is missing");
	if (fd < 0 || ftruncate(fd, (off_t)size))
		fail("memfd", NULL);
	values = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (values == MAP_FAILED)
		fail("mmap", NULL);
	for (uint32_t i = 0; i < N; i++)
		values[i] = (float)i + 1;
	if (nnhal_open(argc > 1 ? argv[1] : "cpu", &dev, message, sizeof(message)))
		fail("open", message);
	if (nnhal_prepare_model(dev, m, &config, &prepared, message, sizeof(message)))
		fail("prepare", message);
	nnmodel_free(m);
	status = prepared->ops->execute_synchronously(prepared, &request, &run, NNHAL_NO_TIME,
						      &result);
	if (status)
		fail(nnhal_status_name(status), result.message);
	nnhal_execution_result_clear(&result);
	for (uint32_t i = 0; i < N; i++)
		if (values[N + i] != 4 * values[i])
			fail("result", "is another");
	prepared->ops->destroy(prepared);
	dev->ops->destroy(dev);
	return 0;
}
