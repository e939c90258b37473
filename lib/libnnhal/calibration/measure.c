// SPDX-License-Identifier: Apache-2.0
/*
 * Measuring: synchronous executions as a client makes them, memory in place, the least of several
 * times. Other load only adds to a time, so the least is the device's.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calibration/nnhal_calibration.h"
#include "nntrace.h"
#include "nnutil_align.h"
#include "nnutil_clock.h"

#define ALIGN 64u
#define WARM_UP 2
#define MIN_RUNS 5
#define MAX_RUNS 300
#define ENOUGH_NS 10000000ll /* of one program, once it has run MIN_RUNS times */

/* ---- running ---- */

/* Least time of an execution, or 0. */
static int64_t time_runs(struct nnhal_prepared_model *pm, const struct nnhal_request *request)
{
	const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	int64_t begin = nnutil_monotonic_ns(), start, ns, least = 0;
	enum nnhal_status status;

	for (int i = 0; i < WARM_UP + MAX_RUNS; i++) {
		start = nnutil_monotonic_ns();
		status = pm->ops->execute_synchronously(pm, request, &config, NNHAL_NO_TIME,
							&result);
		ns = nnutil_monotonic_ns() - start;
		nnhal_execution_result_clear(&result);
		if (status)
			return 0;
		if (i >= WARM_UP && (!least || ns < least))
			least = ns > 0 ? ns : 1;
		if (i >= WARM_UP + MIN_RUNS && nnutil_monotonic_ns() - begin > ENOUGH_NS)
			break;
	}
	return least;
}

static int64_t run_model(struct nnhal_device *dev, const struct nnmodel *model)
{
	const struct nnmodel_operand *in = &model->main.operands[model->main.inputs[0]];
	const struct nnmodel_operand *out = &model->main.operands[model->main.outputs[0]];
	struct nnhal_request_argument args[2] = { { .pool = 0 }, { .pool = 0 } };
	struct nnhal_request_pool pool = { .memory = { .prot = PROT_READ | PROT_WRITE } };
	const struct nnhal_request request = {
		.size = sizeof(request),
		.inputs = &args[0],
		.num_inputs = 1,
		.outputs = &args[1],
		.num_outputs = 1,
		.pools = &pool,
		.num_pools = 1,
	};
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	struct nnhal_prepared_model *pm;
	int64_t ns = 0;

	prepare.priority = NNHAL_PRIORITY_HIGH;
	if (nnmodel_operand_bytes(in, &args[0].length) ||
	    nnmodel_operand_bytes(out, &args[1].length))
		return 0;
	args[1].offset = nnutil_align_up(args[0].length, ALIGN);
	pool.memory.size = args[1].offset + args[1].length;
	if (dev->ops->create_memory(dev, pool.memory.size, &pool.memory.fd))
		return 0;
	if (!nnhal_prepare_model(dev, model, &prepare, &pm, NULL, 0)) {
		ns = time_runs(pm, &request);
		pm->ops->destroy(pm);
	}
	close(pool.memory.fd);
	return ns;
}

int nnhal_calibration_measure(struct nnhal_device *device, struct nnhal_device *reference,
			      struct nnhal_calibration *cal)
{
	int ret = 0;

	/* no client started these executions */
	nntrace_mute();
	memset(cal, 0, sizeof(*cal));
	for (int i = 0; i < NNHAL_CAL_PROGRAMS; i++) {
		struct nnmodel *model = nnhal_calibration_model(i);

		if (!model) {
			ret = -ENOMEM;
			break;
		}
		cal->device_ns[i] = run_model(device, model);
		cal->reference_ns[i] = cal->device_ns[i] ? run_model(reference, model) : 0;
		if (!cal->reference_ns[i])
			cal->device_ns[i] = 0;
		nnmodel_free(model);
	}
	/* without this sample the device runs none of them */
	if (!ret && !cal->device_ns[NNHAL_CAL_FLOAT_ADD])
		ret = -EIO;
	nntrace_unmute();
	return ret;
}
