// SPDX-License-Identifier: Apache-2.0
#include "session/nnctl_session.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "nnutil_text.h"

enum {
	OPT_DEVICE = 256,
	OPT_INPUT,
	OPT_LABELS,
	OPT_OUTPUT,
	OPT_FILTER,
	OPT_MEAN,
	OPT_STD,
	OPT_TOP,
	OPT_REPEAT,
	OPT_RUNS,
	OPT_JOBS,
	OPT_EVERY,
	OPT_KEEP,
	OPT_OP,
	OPT_BY_OP,
	OPT_JSON,
	OPT_DEVICES,
	OPT_RUNTIME,
	OPT_SCALAR_INPUTS,
	OPT_SHOW,
	OPT_DRY_RUN,
	OPT_OPS,
	OPT_ONCE,
	OPT_CSV,
	OPT_INTERVAL,
	OPT_ROOT,
	OPT_STEPS,
	OPT_TOLERANCE,
	OPT_RANDOM_WEIGHTS,
	OPT_REPORT,
	OPT_SUPPORTED_ONLY,
	OPT_TESTS,
	OPT_VECTORS,
	OPT_MODELS,
	OPT_SKIP,
	OPT_LIMIT,
	OPT_SIGNED_OFF_BY
};

static const struct option long_options[] = {
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "input", required_argument, NULL, OPT_INPUT },
	{ "labels", required_argument, NULL, OPT_LABELS },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "mean", required_argument, NULL, OPT_MEAN },
	{ "std", required_argument, NULL, OPT_STD },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "runs", required_argument, NULL, OPT_RUNS },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "every", required_argument, NULL, OPT_EVERY },
	{ "keep", required_argument, NULL, OPT_KEEP },
	{ "op", required_argument, NULL, OPT_OP },
	{ "by-op", no_argument, NULL, OPT_BY_OP },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "devices", required_argument, NULL, OPT_DEVICES },
	{ "runtime", no_argument, NULL, OPT_RUNTIME },
	{ "scalar-inputs", no_argument, NULL, OPT_SCALAR_INPUTS },
	{ "show", no_argument, NULL, OPT_SHOW },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "ops", no_argument, NULL, OPT_OPS },
	{ "once", no_argument, NULL, OPT_ONCE },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "steps", required_argument, NULL, OPT_STEPS },
	{ "tolerance", required_argument, NULL, OPT_TOLERANCE },
	{ "report", required_argument, NULL, OPT_REPORT },
	{ "supported-only", no_argument, NULL, OPT_SUPPORTED_ONLY },
	{ "tests", required_argument, NULL, OPT_TESTS },
	{ "vectors", required_argument, NULL, OPT_VECTORS },
	{ "models", required_argument, NULL, OPT_MODELS },
	{ "skip", required_argument, NULL, OPT_SKIP },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "signed-off-by", required_argument, NULL, OPT_SIGNED_OFF_BY },
	{ "random-weights", no_argument, NULL, OPT_RANDOM_WEIGHTS },
	{ 0 },
};

static int set_number(const char *name, int64_t min, int64_t max, int64_t *value)
{
	if (!nnutil_parse_i64(optarg, 0, min, max, value))
		return 0;
	return usage("--%s %s: not a number from %" PRId64 " to %" PRId64, name, optarg, min, max);
}

static int set_real(const char *name, double *value)
{
	if (!nnutil_parse_double(optarg, -DBL_MAX, DBL_MAX, value))
		return 0;
	return usage("--%s %s: not a number", name, optarg);
}

static int set_interval(double *value)
{
	if (!nnutil_parse_double(optarg, 0.05, 3600, value))
		return 0;
	return usage("--interval %s: not a number of seconds from 0.05 to 3600", optarg);
}

static int set_option(void *cookie, const struct option *option)
{
	struct options *o = cookie;
	const char *name = option->name;

	switch (option->val) {
	case OPT_DEVICE:
		o->device = optarg;
		break;
	case OPT_DEVICES:
		o->devices = optarg;
		o->runtime = true;
		break;
	case OPT_INPUT:
		if (o->num_inputs == MAX_INPUTS)
			return usage("--input is given more than %d times", MAX_INPUTS);
		o->inputs[o->num_inputs++] = optarg;
		break;
	case OPT_LABELS:
		o->labels = optarg;
		break;
	case OPT_OUTPUT:
		o->output = optarg;
		break;
	case OPT_FILTER:
		o->filter = optarg;
		break;
	case OPT_KEEP:
		o->keep = optarg;
		break;
	case OPT_OP:
		o->op = optarg;
		break;
	case OPT_MEAN:
		return set_real(name, &o->pictures.mean);
	case OPT_STD:
		if (set_real(name, &o->pictures.std))
			return USAGE_ERROR;
		return o->pictures.std == 0 ? usage("--std 0: pixels are divided by it") : 0;
	case OPT_TOP:
		return set_number(name, 0, 1000000, &o->top);
	case OPT_REPEAT:
		return set_number(name, 1, 100000000, &o->repeat);
	case OPT_RUNS:
		return set_number(name, 1, 100000000, &o->runs);
	case OPT_JOBS:
		return set_number(name, 1, 256, &o->jobs);
	case OPT_EVERY:
		return set_number(name, 1, 1000000, &o->every);
	case OPT_BY_OP:
		o->by_op = true;
		break;
	case OPT_RUNTIME:
		o->runtime = true;
		break;
	case OPT_SCALAR_INPUTS:
		o->scalar_inputs = true;
		o->runtime = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_SHOW:
		o->show = true;
		break;
	case OPT_OPS:
		o->ops = true;
		break;
	case OPT_REPORT:
		o->report = optarg;
		break;
	case OPT_RANDOM_WEIGHTS:
		o->random_weights = true;
		break;
	case OPT_SUPPORTED_ONLY:
		o->supported_only = true;
		break;
	case OPT_TESTS:
		o->tests = optarg;
		break;
	case OPT_VECTORS:
		o->vectors = optarg;
		break;
	case OPT_MODELS:
		o->models = optarg;
		break;
	case OPT_SKIP:
		o->skip = optarg;
		break;
	case OPT_SIGNED_OFF_BY:
		o->signed_off_by = optarg;
		break;
	case OPT_LIMIT:
		return set_number(name, 1, 86400, &o->limit);
	case OPT_DRY_RUN:
		o->dry_run = true;
		break;
	case OPT_ONCE:
		o->once = true;
		break;
	case OPT_CSV:
		o->csv = true;
		break;
	case OPT_INTERVAL:
		return set_interval(&o->interval);
	case OPT_ROOT:
		o->root = optarg;
		break;
	case OPT_STEPS:
		return set_number(name, 0, 65535, &o->steps);
	case OPT_TOLERANCE:
		if (!nnutil_parse_double(optarg, 0, 1, &o->tolerance))
			break;
		return usage("--tolerance %s: not a number from 0 to 1", optarg);
	}
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, const char *allowed)
{
	int ret;

	*o = (struct options){
		.pictures = { .mean = 0, .std = 255 },
		.top = 5,
		.repeat = 1,
		.jobs = 1,
		.every = 1,
		.root = "",
		.interval = 1,
		.tolerance = 1e-4,
		.limit = 600,
	};
	ret = take_long_options(argc, argv, long_options, allowed, set_option, o);
	if (ret)
		return ret;
	if (optind < argc && !is_allowed(allowed, "ARGUMENT"))
		return usage("unexpected argument %s", argv[optind]);
	if (optind < argc)
		o->model = argv[optind++];
	if (optind < argc)
		return usage("unexpected argument %s", argv[optind]);
	if (!o->model && is_allowed(allowed, "ARGUMENT"))
		return usage("the model, folder or device is missing");
	if (o->runtime && o->device)
		return usage(
			"--device names a device used without the runtime; use --devices with --runtime");
	return 0;
}

int options_open(const struct options *o, struct session *s)
{
	return o->runtime ? session_open_runtime(s, o->devices) : session_open(s, o->device);
}

int options_load_inputs(const struct options *o, struct session *s)
{
	if (!o->num_inputs && session_is_capture(s))
		return 0;
	if (o->num_inputs != s->num_inputs) {
		complain(
			"the model has %u inputs, but --input is given %u times; give one for each of:",
			s->num_inputs, o->num_inputs);
		for (uint32_t i = 0; i < s->num_inputs; i++)
			complain("  input %u: %s, %s, %zu bytes", i, s->inputs[i].info.name,
				 nnimport_type_name(s->inputs[i].info.type),
				 s->inputs[i].info.size);
		return -1;
	}
	for (uint32_t i = 0; i < s->num_inputs; i++)
		if (input_load(&s->inputs[i], o->inputs[i], &o->pictures))
			return -1;
	return 0;
}

/* The same for both, and in every run. */
static void input_fill(struct session_tensor *t, uint32_t number)
{
	const size_t width = nnimport_type_size(t->info.type), n = session_elements(t);
	uint64_t state = 0x9e3779b97f4a7c15u + number;

	for (size_t i = 0; i < n; i++) {
		char *at = (char *)t->data + i * width;
		float real;
		_Float16 half;

		state = state * 6364136223846793005u + 1442695040888963407u;
		real = (float)((double)(state >> 40) / (1 << 23) - 1);
		half = (_Float16)real;
		switch (t->info.type) {
		case NNIMPORT_FLOAT32:
			memcpy(at, &real, width);
			break;
		case NNIMPORT_FLOAT16:
			memcpy(at, &half, width);
			break;
		case NNIMPORT_INT32:
		case NNIMPORT_INT64:
		case NNIMPORT_BOOL:
			/* indices, counts: any other number may be invalid */
			memset(at, 0, width);
			*at = (char)(state >> 63);
			break;
		default:
			state ^= state >> 33;
			memcpy(at, &state, width);
		}
	}
}

int options_fill_inputs(const struct options *o, struct session *s)
{
	if (o->num_inputs || session_is_capture(s))
		return options_load_inputs(o, s);
	for (uint32_t i = 0; i < s->num_inputs; i++)
		input_fill(&s->inputs[i], i);
	return 0;
}
