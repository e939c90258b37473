// SPDX-License-Identifier: Apache-2.0
/*
 * Bytes copied per execution, from the device's counters: for a request in ordinary shared memory,
 * as for plain pointers, and for one in device memory. Prints one line of JSON each.
 *
 *   bench_copies [DEVICE]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnhal.h"

#define ELEMENTS (256u * 1024)
#define BYTES (ELEMENTS * sizeof(float))
#define RUNS 16

static struct nnhal_prepared_model *prepared;

/* z = x + x */
static struct nnmodel *make_model(void)
{
	const uint32_t dims[] = { ELEMENTS };
	struct nnmodel *m = nnmodel_new();
	uint32_t x, act, z;

	if (!m)
		return NULL;
	x = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 1, 0, 0);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	z = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, 0, dims, 1, 0, 0);
	if (nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ x, x, act }, 3, &z, 1) < 0 ||
	    nnmodel_set_io(m, &x, 1, &z, 1) < 0) {
		nnmodel_free(m);
		return NULL;
	}
	return m;
}

static int measure(struct nnhal_device *dev, const char *kind, int fd)
{
	struct nnhal_request_argument in = { .length = BYTES },
				      out = { .offset = BYTES, .length = BYTES };
	struct nnhal_request_pool pool = {
		.memory = { .fd = fd, .prot = PROT_READ | PROT_WRITE, .size = 2 * BYTES },
	};
	struct nnhal_request request = { .size = sizeof(request),
					 .inputs = &in,
					 .outputs = &out,
					 .num_inputs = 1,
					 .num_outputs = 1,
					 .pools = &pool,
					 .num_pools = 1 };
	struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_counters a = { .size = sizeof(a) }, b = { .size = sizeof(b) };
	enum nnhal_status status;
	float *p = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	for (unsigned int i = 0; i < ELEMENTS; i++)
		p[i] = (float)i;
	nnhal_device_get_counters(dev, &a);
	for (unsigned int i = 0; i < RUNS; i++) {
		result = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
		status = prepared->ops->execute_synchronously(prepared, &request, &config,
							      NNHAL_NO_TIME, &result);
		if (status != NNHAL_NONE || p[ELEMENTS + 3] != 6.0f) {
			fprintf(stderr, "%s: %s %s\n", kind, nnhal_status_name(status),
				result.message);
			return -EIO;
		}
		nnhal_execution_result_clear(&result);
	}
	nnhal_device_get_counters(dev, &b);
	munmap(p, 2 * BYTES);
	printf("{\"bench\": \"copies\", \"device\": \"%s\", \"memory\": \"%s\", \"bytes_in\": %zu, "
	       "\"bytes_out\": %zu, \"copied_in\": %llu, \"copied_out\": %llu, \"bounced\": %llu, "
	       "\"in_place\": %llu}\n",
	       dev->ops->name(dev), kind, BYTES, BYTES,
	       (unsigned long long)(b.bytes_staged_in - a.bytes_staged_in) / RUNS,
	       (unsigned long long)(b.bytes_staged_out - a.bytes_staged_out) / RUNS,
	       (unsigned long long)(b.bytes_bounced - a.bytes_bounced) / RUNS,
	       (unsigned long long)(b.bytes_in_place - a.bytes_in_place) / RUNS);
	return 0;
}

int main(int argc, char **argv)
{
	struct nnmodel *model = make_model();
	int plain, device, ret = 1;
	struct nnhal_device *dev;
	char message[256] = "";

	if (!model || nnhal_open(argc > 1 ? argv[1] : NULL, &dev, message, sizeof(message))) {
		fprintf(stderr, "%s\n", model ? message : "out of memory");
		return 1;
	}
	nnhal_prepare_model(dev, model, NULL, &prepared, NULL, 0);
	plain = memfd_create("plain", MFD_CLOEXEC);
	if (prepared && plain >= 0 && !ftruncate(plain, 2 * BYTES) &&
	    !nnhal_memory_create(dev, 2 * BYTES, &device)) {
		ret = measure(dev, "plain", plain) || measure(dev, "device", device);
		close(device);
	}
	if (plain >= 0)
		close(plain);
	if (prepared)
		prepared->ops->destroy(prepared);
	dev->ops->destroy(dev);
	nnmodel_free(model);
	return ret;
}
