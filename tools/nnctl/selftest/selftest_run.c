// SPDX-License-Identifier: Apache-2.0
#include "selftest/selftest_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnutil_align.h"
#include "nnutil_clock.h"
#include "session/nnctl_session.h"

#define ALIGN 64u

/* Input and output in one memory, which the device uses without copies if it can. */
struct arena {
	int fd;
	uint8_t *bytes;
	struct nnhal_request_argument args[2];
	struct nnhal_request_pool pool;
	struct nnhal_request request;
};

static int make_memory(struct nnhal_device *dev, uint64_t size, int *fd)
{
	int ret = nnhal_memory_create(dev, size, fd);

	if (ret != -EOPNOTSUPP)
		return ret;
	*fd = memfd_create("nnctl validate", MFD_CLOEXEC);
	return *fd < 0 || ftruncate(*fd, (off_t)size) ? -errno : 0;
}

static int arena_open(struct arena *a, struct nnhal_device *dev, enum selftest_model which)
{
	int ret;

	memset(a, 0, sizeof(*a));
	a->fd = -1;
	a->args[0].length = selftest_input_size(which);
	a->args[1].offset = nnutil_align_up(a->args[0].length, ALIGN);
	a->args[1].length = selftest_output_size(which);
	a->pool.memory.prot = PROT_READ | PROT_WRITE;
	a->pool.memory.size = a->args[1].offset + a->args[1].length;
	ret = make_memory(dev, a->pool.memory.size, &a->fd);
	if (ret)
		return ret;
	a->bytes = mmap(NULL, a->pool.memory.size, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
	if (a->bytes == MAP_FAILED) {
		a->bytes = NULL;
		return -errno;
	}
	a->pool.memory.fd = a->fd;
	a->request = (struct nnhal_request){
		.size = sizeof(a->request),
		.inputs = &a->args[0],
		.num_inputs = 1,
		.outputs = &a->args[1],
		.num_outputs = 1,
		.pools = &a->pool,
		.num_pools = 1,
	};
	return 0;
}

static void arena_close(struct arena *a)
{
	if (a->bytes)
		munmap(a->bytes, a->pool.memory.size);
	if (a->fd >= 0)
		close(a->fd);
}

static bool execute_once(struct nnhal_prepared_model *pm, struct arena *a,
			 enum selftest_model which, uint32_t number, int64_t *ns,
			 struct selftest_result *result)
{
	const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result done = NNHAL_EXECUTION_RESULT_INIT;
	void *output = a->bytes + a->args[1].offset;
	enum nnhal_status status;
	int64_t start;

	selftest_fill_input(which, number, a->bytes);
	/* an output that is not written at all must not look like the one before */
	memset(output, 0x55, a->args[1].length);
	start = nnutil_monotonic_ns();
	status = pm->ops->execute_synchronously(pm, &a->request, &config, NNHAL_NO_TIME, &done);
	*ns = nnutil_monotonic_ns() - start;
	if (status != NNHAL_NONE)
		snprintf(result->message, sizeof(result->message), "execution failed: %s%s%s",
			 nnhal_status_name(status), done.message[0] ? ": " : "", done.message);
	nnhal_execution_result_clear(&done);
	return status == NNHAL_NONE &&
	       selftest_judge(which, number, output, result->message, sizeof(result->message));
}

static int compare_ns(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void execute_all(struct nnhal_prepared_model *pm, struct arena *a, enum selftest_model which,
			struct selftest_result *result)
{
	int64_t ns[SELFTEST_RUNS];

	for (uint32_t i = 0; i < SELFTEST_RUNS; i++)
		if (!execute_once(pm, a, which, i % SELFTEST_INPUTS, &ns[i], result))
			return;
	qsort(ns, SELFTEST_RUNS, sizeof(ns[0]), compare_ns);
	result->median_ns = ns[SELFTEST_RUNS / 2];
	result->passed = true;
}

static struct nnhal_prepared_model *selftest_run_prepare(struct nnhal_device *dev,
							 enum selftest_model which,
							 struct selftest_result *result)
{
	const int64_t start = nnutil_monotonic_ns();
	struct nnmodel *model = selftest_model(which);
	struct nnhal_prepared_model *pm = NULL;
	enum nnhal_status status;
	char message[256];

	if (!model) {
		snprintf(result->message, sizeof(result->message), "out of memory");
		return NULL;
	}
	status = prepare_and_wait(dev, model, true, &pm, message, sizeof(message));
	nnmodel_free(model);
	if (status == NNHAL_NONE)
		result->prepare_ns = nnutil_monotonic_ns() - start;
	else
		snprintf(result->message, sizeof(result->message), "preparation failed: %s%s%s",
			 nnhal_status_name(status), message[0] ? ": " : "", message);
	return status == NNHAL_NONE ? pm : NULL;
}

void selftest_run(struct nnhal_device *dev, enum selftest_model which,
		  struct selftest_result *result)
{
	struct nnhal_prepared_model *pm;
	struct arena arena;
	int ret;

	memset(result, 0, sizeof(*result));
	pm = selftest_run_prepare(dev, which, result);
	if (!pm)
		return;
	ret = arena_open(&arena, dev, which);
	if (!ret)
		execute_all(pm, &arena, which, result);
	else
		snprintf(result->message, sizeof(result->message),
			 "cannot allocate memory of the device: %s", strerror(-ret));
	arena_close(&arena);
	pm->ops->destroy(pm);
}
