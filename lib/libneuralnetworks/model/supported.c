// SPDX-License-Identifier: Apache-2.0
/* Which operations devices can run. */
#include <errno.h>
#include <string.h>

#include "nntrace.h"

#include "base/nnr_base.h"
#include "model/nnr_model.h"

/* One question to the device: about the operations that are kept, as a model. */
struct question {
	const struct nnmodel *model;
	uint32_t num; /* of operations */
	bool *answers;
	char **reasons; /* or NULL */
	bool failed; /* the device gave no answers */
};

static void set_reason(char **reason, const char *text)
{
	if (*reason)
		return;
	*reason = strdup(text); /* without memory: without a reason */
}

/* Where the device names an operation, it is that one's fault. */
static void explain_failure(const struct question *q, enum nnhal_status status,
			    const struct nnmodel_error *err)
{
	const char *text = err->text[0] ? err->text : nnhal_status_name(status);
	uint32_t i;

	for (i = 0; q->reasons && i < q->num; i++)
		set_reason(&q->reasons[i], text);
}

/* Afterwards all answers are false if the device failed. */
static void supported_ask(struct question *q, ANeuralNetworksDevice *device)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "getSupportedOperations");
	struct nnhal_device *hal = nnr_device_enter(device);
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status status;

	status = hal->ops->get_supported_operations(hal, q->model, q->answers, q->reasons, &err);
	nnr_device_leave(device);
	if (status == NNHAL_NONE)
		return;
	/*
	 * A device that died did not refuse the model. Log it as a warning: otherwise users cannot
	 * see why another device was chosen.
	 */
	nnutil_log(status == NNHAL_DEAD_OBJECT ? NNUTIL_LOG_WARNING : NNUTIL_LOG_INFO,
		   "%s: cannot query supported operations: %s%s", device->name,
		   status == NNHAL_DEAD_OBJECT ? "it died: " : "",
		   err.text[0] ? err.text : nnhal_status_name(status));
	memset(q->answers, 0, q->num * sizeof(*q->answers));
	q->failed = true;
	explain_failure(q, status, &err);
}

/* A slice that is no valid model of the device's level is not offered. */
static bool slice_valid(const struct nnmodel *slice, const ANeuralNetworksDevice *device,
			struct nnmodel_error *err)
{
	uint32_t level;

	return !nnmodel_validate(slice, &level, err) && level <= device->feature_level;
}

static int ask_about(const struct nnmodel *model, uint32_t subgraph, ANeuralNetworksDevice *device,
		     const bool *kept, uint32_t num_kept, struct question *q)
{
	const struct nnmodel_subgraph *g = nnr_subgraph(model, subgraph);
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnmodel *slice;
	int ret;

	if (!subgraph && num_kept == g->num_operations) {
		q->model = model;
		supported_ask(q, device);
		return 0;
	}
	ret = nnr_slice_make(model, subgraph, kept, num_kept, &slice);
	if (ret == -ENOMEM)
		return ret;
	if (ret || !slice_valid(slice, device, &err)) {
		nnutil_log(NNUTIL_LOG_INFO,
			   "%s: the part of the model that it can express is invalid: %s",
			   device->name, err.text[0] ? err.text : strerror(ret ? -ret : EINVAL));
		q->failed = true;
		explain_failure(q, NNHAL_INVALID_ARGUMENT, &err);
	} else {
		q->model = slice;
		supported_ask(q, device);
	}
	nnmodel_free(slice);
	return 0;
}

static void free_reasons(char **reasons, uint32_t num)
{
	uint32_t i;

	for (i = 0; reasons && i < num; i++) {
		free(reasons[i]);
		reasons[i] = NULL;
	}
}

/*
 * One try: answers and reasons for all operations of the subgraph. *@again: it failed, and there is
 * less to ask.
 */
static int try_to_ask(const struct nnmodel *model, uint32_t subgraph, ANeuralNetworksDevice *device,
		      bool unknown_flow, bool *supported, char **reasons, bool *again)
{
	const uint32_t num = nnr_subgraph(model, subgraph)->num_operations;
	struct question q = { .answers = nnr_array(num, sizeof(*q.answers)) };
	bool *kept = nnr_array(num, sizeof(*kept));
	uint32_t i, n = 0, num_unknown_flow = 0;
	int ret = -ENOMEM;

	memset(supported, 0, num * sizeof(*supported));
	if (reasons) {
		memset(reasons, 0, num * sizeof(*reasons));
		q.reasons = nnr_array(num, sizeof(*q.reasons));
	}
	if (q.answers && kept && (!reasons || q.reasons))
		ret = nnr_slice_choose(model, subgraph, device, unknown_flow, kept, &q.num,
				       &num_unknown_flow, reasons);
	if (!ret && q.num)
		ret = ask_about(model, subgraph, device, kept, q.num, &q);
	for (i = 0; !ret && i < num; i++) {
		if (!kept[i])
			continue;
		supported[i] = q.answers[n];
		if (reasons)
			reasons[i] = q.reasons[n];
		n++;
	}
	*again = !ret && q.failed && num_unknown_flow;
	if (ret || *again)
		free_reasons(reasons, num);
	free(q.answers);
	free(q.reasons);
	free(kept);
	return ret;
}

/*
 * A device with the newest interface may accept control flow over unknown sizes. A device that does
 * not may refuse the whole model for it: the query is then repeated without such control flow.
 */
int nnr_supported_operations(const struct nnmodel *model, uint32_t subgraph,
			     ANeuralNetworksDevice *device, bool *supported, char **reasons)
{
	bool native = device->feature_level == NNR_RUNTIME_LEVEL, again;
	int ret = try_to_ask(model, subgraph, device, native, supported, reasons, &again);

	if (!ret && again)
		ret = try_to_ask(model, subgraph, device, false, supported, reasons, &again);
	return ret;
}

int nnr_supported_by_any(const struct nnr_model_data *data,
			 const ANeuralNetworksDevice *const *devices, uint32_t num, bool *supported)
{
	const uint32_t num_ops = data->model->main.num_operations;
	bool *answers = nnr_array(num_ops, sizeof(*answers));
	uint32_t i, k;

	if (!answers)
		return -ENOMEM;
	for (i = 0; i < num; i++) {
		if (nnr_supported_operations(data->model, 0, (ANeuralNetworksDevice *)devices[i],
					     answers, NULL)) {
			free(answers);
			return -ENOMEM;
		}
		for (k = 0; k < data->num_added; k++)
			if (data->added_to_run[k] != NNR_NONE)
				supported[k] |= answers[data->added_to_run[k]];
	}
	free(answers);
	return 0;
}
