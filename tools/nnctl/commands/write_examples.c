// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl examples": conformance examples of each operation in each type, with the outputs of the
 * CPU, for "nnctl verify" and "nnctl certify".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "conformance/nnctl_conformance.h"
#include "nncapture.h"
#include "nnhal.h"
#include "nnutil_align.h"
#include "probes/nnctl_probes.h"
#include "session/nnctl_session.h"

/* Of an output whose shape the model leaves open, at most. */
#define OPEN_SIZE 4096u
#define ALIGN 64u
#define REFERENCE "cpu"

struct writer {
	const char *folder, *only; /* only: the operation's name, or NULL */
	struct nnhal_device *dev;
	char origin[160];
	unsigned int written, failed;
};

/* An example: a model, and memory for its inputs, then outputs. */
struct example {
	const struct probe *probe;
	bool constants; /* all inputs but the first are: weights, which many units only load */
	struct nnmodel *model;
	struct nncapture_value *values; /* of inputs, then outputs */
	struct nnhal_request_argument *arguments;
	uint8_t *memory;
	size_t size;
	int fd;
	char name[96];
};

static const struct nnmodel_operand *example_operand(const struct example *e, uint32_t i)
{
	const struct nnmodel_subgraph *main = &e->model->main;

	return &main->operands[i < main->num_inputs ? main->inputs[i]
						    : main->outputs[i - main->num_inputs]];
}

static size_t example_operand_size(const struct nnmodel_operand *operand)
{
	size_t size = nnmodel_type_size(operand->type);

	if (nnmodel_type_is_scalar(operand->type))
		return size;
	if (!operand->rank)
		return OPEN_SIZE;
	for (uint32_t i = 0; i < operand->rank; i++) {
		if (!operand->dims[i])
			return OPEN_SIZE;
		size *= operand->dims[i];
	}
	return size;
}

/* "CONV_2D-Q8S-QPC-I32-Q8S-constants"; an operation with several rows of one list numbers them. */
static void example_name(struct example *e, const char *folder, char *path, size_t path_size)
{
	const struct probe_types *types = &e->probe->types;
	size_t used;

	used = (size_t)snprintf(e->name, sizeof(e->name), "%s",
				nnmodel_operation_name(e->probe->opcode));
	for (uint32_t i = 0; i < types->num && used < sizeof(e->name); i++)
		used += (size_t)snprintf(e->name + used, sizeof(e->name) - used, "-%s",
					 probe_type_name(types->type[i]));
	if (e->constants && used < sizeof(e->name))
		snprintf(e->name + used, sizeof(e->name) - used, "-constants");
	snprintf(path, path_size, "%s/%s.nnt", folder, e->name);
	for (unsigned int k = 2; !access(path, F_OK); k++)
		snprintf(path, path_size, "%s/%s-%u.nnt", folder, e->name, k);
}

/* Give inputs their values in the model. 0 or -errno. */
static int example_make_constants(struct example *e)
{
	struct nnmodel_subgraph *main = &e->model->main;
	uint8_t bytes[OPEN_SIZE];

	for (uint32_t i = 1; i < main->num_inputs; i++) {
		const struct nnmodel_operand *operand = example_operand(e, i);
		const size_t size = example_operand_size(operand);
		int ret = size > sizeof(bytes) ? -E2BIG : 0;

		if (!ret) {
			example_fill(probe_input_values(e->probe, i), operand, i, bytes, size);
			ret = nnmodel_set_value(e->model, main->inputs[i], bytes, size);
		}
		if (ret)
			return ret;
	}
	main->num_inputs = 1;
	return 0;
}

static int example_memory(struct example *e)
{
	const uint32_t num = e->model->main.num_inputs + e->model->main.num_outputs;

	e->arguments = calloc((size_t)num + 1, sizeof(*e->arguments));
	e->values = calloc((size_t)num + 1, sizeof(*e->values));
	if (!e->arguments || !e->values)
		return -ENOMEM;
	for (uint32_t i = 0; i < num; i++) {
		e->arguments[i].offset = e->size;
		e->arguments[i].length = example_operand_size(example_operand(e, i));
		e->size = nnutil_align_up(e->size + e->arguments[i].length, ALIGN);
	}
	e->fd = memfd_create("nnctl examples", MFD_CLOEXEC);
	if (e->fd < 0 || ftruncate(e->fd, (off_t)e->size))
		return -errno;
	e->memory = mmap(NULL, e->size, PROT_READ | PROT_WRITE, MAP_SHARED, e->fd, 0);
	if (e->memory == MAP_FAILED) {
		e->memory = NULL;
		return -errno;
	}
	for (uint32_t i = 0; i < num; i++) {
		e->values[i].data = e->memory + e->arguments[i].offset;
		e->values[i].size = e->arguments[i].length;
		if (i < e->model->main.num_inputs)
			example_fill(probe_input_values(e->probe, i), example_operand(e, i), i,
				     e->memory + e->arguments[i].offset, e->arguments[i].length);
	}
	return 0;
}

/*
 * The shapes that the execution had become those of the model: a reader checks them. 0; -ENODATA:
 * an output is empty, which tests little; -ENOMEM.
 */
static int example_close_shapes(struct example *e, const struct nnhal_execution_result *result)
{
	const struct nnmodel_subgraph *main = &e->model->main;

	for (uint32_t i = 0; i < result->num_shapes && i < main->num_outputs; i++) {
		struct nnmodel_operand *operand = &main->operands[main->outputs[i]];
		const struct nnhal_output_shape *shape = &result->shapes[i];
		uint32_t *dims = realloc(operand->dims, (shape->rank + 1) * sizeof(*dims));

		if (!dims)
			return -ENOMEM;
		memcpy(dims, shape->dims, shape->rank * sizeof(*dims));
		operand->dims = dims;
		operand->rank = shape->rank;
		for (uint32_t k = 0; k < shape->rank; k++)
			if (!dims[k])
				return -ENODATA;
		e->values[main->num_inputs + i].size = example_operand_size(operand);
	}
	return 0;
}

/* 0, or -1 with the reason. */
static int example_execute(struct writer *w, struct example *e, char *why, size_t size)
{
	const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_prepared_model *prepared = NULL;
	const uint32_t num_in = e->model->main.num_inputs;
	const struct nnhal_request_pool pool = {
		.memory = { .fd = e->fd, .size = e->size, .prot = PROT_READ | PROT_WRITE },
	};
	const struct nnhal_request request = {
		.size = sizeof(request),
		.inputs = e->arguments,
		.outputs = e->arguments + num_in,
		.num_inputs = num_in,
		.num_outputs = e->model->main.num_outputs,
		.pools = &pool,
		.num_pools = 1,
	};
	enum nnhal_status status;
	int ret;

	status = prepare_and_wait(w->dev, e->model, false, &prepared, why, size);
	if (status != NNHAL_NONE)
		return -1;
	status = prepared->ops->execute_synchronously(prepared, &request, &config, NNHAL_NO_TIME,
						      &result);
	ret = status == NNHAL_NONE ? example_close_shapes(e, &result) : 0;
	if (status != NNHAL_NONE)
		snprintf(why, size, "%s: %s", nnhal_status_name(status), result.message);
	else if (ret)
		snprintf(why, size, "%s", ret == -ENODATA ? "an output is empty" : strerror(-ret));
	nnhal_execution_result_clear(&result);
	prepared->ops->destroy(prepared);
	return status == NNHAL_NONE && !ret ? 0 : -1;
}

static int example_write(struct writer *w, struct example *e, char *why, size_t size)
{
	struct nncapture_error error;
	char path[512];
	int ret = example_memory(e);

	if (ret) {
		snprintf(why, size, "%s", strerror(-ret));
		return -1;
	}
	if (example_execute(w, e, why, size))
		return -1;
	example_name(e, w->folder, path, sizeof(path));
	if (!nncapture_write(
		    &(struct nncapture){
			    .name = e->name,
			    .origin = w->origin,
			    .model = e->model,
			    .inputs = e->values,
			    .outputs = e->values + e->model->main.num_inputs,
		    },
		    path, &error))
		return 0;
	snprintf(why, size, "%s", error.text);
	return -1;
}

static void example_free(struct example *e)
{
	if (e->memory)
		munmap(e->memory, e->size);
	if (e->fd >= 0)
		close(e->fd);
	free(e->arguments);
	free(e->values);
	nnmodel_free(e->model);
}

/* Whether there is a second example, whose other inputs are constants. */
static bool write_one(struct writer *w, const struct probe *probe, bool constants)
{
	struct example e = { .probe = probe, .constants = constants, .fd = -1 };
	char why[400] = "";
	bool more;
	int ret = 0;

	e.model = probe_model(probe, why, sizeof(why));
	more = e.model && !constants && e.model->main.num_inputs > 1;
	if (e.model && constants)
		ret = example_make_constants(&e);
	if (ret)
		snprintf(why, sizeof(why), "%s", strerror(-ret));
	if (e.model && !ret && !example_write(w, &e, why, sizeof(why))) {
		w->written++;
	} else {
		complain("%s in %s%s: no example: %s", nnmodel_operation_name(probe->opcode),
			 probe_type_name(probe->types.type[0]), constants ? ", constants" : "",
			 why);
		w->failed++;
	}
	example_free(&e);
	return more;
}

static int write_probe(void *cookie, const struct probe *probe)
{
	struct writer *w = cookie;

	if (w->only && strcasecmp(w->only, nnmodel_operation_name(probe->opcode)))
		return 0;
	if (!probe_is_random(probe) && write_one(w, probe, false))
		write_one(w, probe, true);
	return 0;
}

int cmd_examples(int argc, char **argv)
{
	struct writer w = { 0 };
	char message[256] = "";
	struct options o;
	int ret = options_parse(&o, argc, argv, "ARGUMENT op");

	if (ret)
		return ret;
	w.folder = o.model;
	w.only = o.op;
	if (mkdir(w.folder, 0777) && errno != EEXIST) {
		complain("%s: %s", w.folder, strerror(errno));
		return 1;
	}
	ret = nnhal_open(REFERENCE, &w.dev, message, sizeof(message));
	if (ret) {
		complain("%s: %s", REFERENCE, message[0] ? message : strerror(-ret));
		return 1;
	}
	snprintf(w.origin, sizeof(w.origin), "nnctl examples " NNACCEL_VERSION ", %s",
		 w.dev->ops->name(w.dev));
	ret = probes_each(write_probe, &w);
	w.dev->ops->destroy(w.dev);
	printf("%u examples in %s\n", w.written, w.folder);
	if (!w.written && !ret && !w.failed)
		complain("NNAPI has no operation %s", o.op ? o.op : "");
	return ret || w.failed || !w.written ? 1 : 0;
}
