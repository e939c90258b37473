// SPDX-License-Identifier: Apache-2.0
/*
 * libnnaccel_onnxruntime.so: the entry points that ONNX Runtime looks for in the library of an
 * execution provider. Documentation/onnxruntime.rst.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegate_common.h"
#include "onnx_ep.h"
#include "nnutil_text.h"
#include "onnx_graph.h"

#define EXPORT __attribute__((visibility("default")))
#define EP_NAME "NnaccelExecutionProvider"
/* Options of a provider are session options with this prefix. */
#define OPTION_PREFIX "ep.nnaccelexecutionprovider."
/* Models of a partition with open dimensions that are kept, and the greatest value of the option.
 */
#define DEFAULT_SHAPES 4
#define MAX_SHAPES 64

struct factory {
	struct ort_ep_factory base;
	const struct ort_api *api;
	const struct ort_ep_api *ep_api;
};

struct ep {
	struct ort_ep base;
	const struct factory *factory;
	struct delegate_settings settings;
	uint32_t shapes; /* the option; 0: nodes with open dimensions stay */
	struct delegate_reason failure; /* of require_all; empty: none */
	bool claimed; /* nodes of a graph */
};

/* What ONNX Runtime has of a partition. */
struct computation {
	struct ort_compute_info base;
	const struct ort_api *api;
	struct ep_partition *partition;
};

static struct ort_status *ep_status(const struct ort_api *api, const char *text)
{
	char message[512];

	snprintf(message, sizeof(message), "nnaccel: %s", text);
	return api->create_status(ORT_CODE_EP_FAIL, message);
}

/* ---- partitions ---- */

static struct ort_status *computation_create_state(struct ort_compute_info *info, void *context,
						   void **state)
{
	(void)context;
	*state = info;
	return NULL;
}

static struct ort_status *computation_compute(struct ort_compute_info *info, void *state,
					      struct ort_kernel_context *context)
{
	const struct computation *c = (const struct computation *)info;
	struct delegate_reason reason;

	(void)state;
	return ep_partition_compute(c->partition, c->api, context, &reason)
		       ? ep_status(c->api, reason.text)
		       : NULL;
}

static void computation_release_state(struct ort_compute_info *info, void *state)
{
	(void)info;
	(void)state;
}

/* ---- the provider ---- */

static const char *ep_get_name(const struct ort_ep *ep)
{
	(void)ep;
	return EP_NAME;
}

/* The nodes of each partition, in the order of the graph. */
static struct ort_status *ep_claim(const struct ep *e, const struct ep_choice *c,
				   struct ort_graph_support *support)
{
	const struct ort_fusion_options options = { .version = ORT_VERSION,
						    .drop_constants = true };
	const struct ort_node **list = calloc((size_t)c->graph->num_nodes + 1, sizeof(*list));
	struct ort_status *status = NULL;

	if (!list)
		return ep_status(e->factory->api, "out of memory");
	for (int group = 0; group < c->num_groups && !status; group++) {
		size_t count = 0;

		for (uint32_t i = 0; i < c->graph->num_nodes; i++)
			if (!c->left[i] && c->groups[i] == group)
				list[count++] = c->graph->nodes[i].handle;
		if (count)
			status = e->factory->ep_api->add_nodes_to_fuse(support, list, count,
								       &options);
	}
	free(list);
	return status;
}

/*
 * With require_all, the first node that stays is an error. ONNX Runtime only logs errors here, and
 * goes on without the provider: so this claims the node, and compiling it fails.
 */
static void ep_require_all(struct ep *e, struct ep_choice *c)
{
	for (uint32_t i = 0; e->settings.require_all && i < c->graph->num_nodes; i++) {
		const struct onnx_node *n = &c->graph->nodes[i];

		if (!c->left[i] || n->taken)
			continue;
		DELEGATE_REFUSE(
			&e->failure, 0,
			"require_all is 1, and node %u %.64s (%.64s) cannot be delegated: %.160s",
			i, n->name, n->op, c->reasons[i].text);
		memset(c->left, true, c->graph->num_nodes);
		c->left[i] = false;
		c->groups[i] = 0;
		c->num_groups = 1;
		return;
	}
}

static struct ort_status *ep_get_capability(struct ort_ep *base, const struct ort_graph *source,
					    struct ort_graph_support *support)
{
	struct ep *e = (struct ep *)base;
	const struct ort_api *api = e->factory->api;
	struct delegate_reason reason = { "out of memory" };
	struct onnx_graph graph;
	struct ep_choice choice = { 0 };
	struct ort_status *status = NULL;
	int ret = onnx_graph_read(api, source, NULL, &graph, &reason);
	/* ONNX Runtime gives partitions of two graphs of a session one name, and refuses the second
	 */
	bool skip = !ret && (graph.inner || e->claimed);

	if (skip && e->settings.log >= DELEGATE_LOG_SUMMARY)
		fprintf(stderr,
			"nnaccel: %u nodes stay with ONNX Runtime: they are in a subgraph, or a second graph of the session\n",
			graph.num_nodes);
	if (!ret && !skip && e->shapes)
		onnx_shapes_choose(&graph);
	if (!ret && !skip)
		ret = ep_choose(&graph, &e->settings, &choice);
	if (ret) {
		fprintf(stderr, "nnaccel: the graph stays with ONNX Runtime: %s\n", reason.text);
		status = ep_status(api, reason.text);
	} else if (!skip) {
		ep_require_all(e, &choice);
		e->claimed = choice.num_groups;
		status = ep_claim(e, &choice, support);
	}
	ep_choice_clear(&choice);
	onnx_graph_clear(&graph);
	return status;
}

static void ep_release_compute_infos(struct ort_ep *base, struct ort_compute_info **infos,
				     size_t count)
{
	(void)base;
	for (size_t i = 0; i < count; i++) {
		struct computation *c = (struct computation *)infos[i];

		if (c)
			ep_partition_close(c->partition);
		free(c);
		infos[i] = NULL;
	}
}

static struct ort_status *ep_compile(struct ort_ep *base, const struct ort_graph **graphs,
				     const struct ort_node **fused, size_t count,
				     struct ort_compute_info **infos,
				     struct ort_node **context_nodes)
{
	struct ep *e = (struct ep *)base;
	const struct ort_api *api = e->factory->api;
	struct delegate_reason reason;

	(void)context_nodes;
	if (*e->failure.text)
		return ep_status(api, e->failure.text);
	for (size_t i = 0; i < count; i++) {
		struct computation *c = calloc(1, sizeof(*c));

		if (!c || ep_partition_open(&c->partition, api, graphs[i], fused[i], &e->settings,
					    e->shapes ? e->shapes : 1, &reason)) {
			ep_release_compute_infos(base, infos, i);
			free(c);
			return ep_status(api, c ? reason.text : "out of memory");
		}
		c->base = (struct ort_compute_info){
			.version = ORT_VERSION,
			.create_state = computation_create_state,
			.compute = computation_compute,
			.release_state = computation_release_state,
		};
		c->api = api;
		infos[i] = &c->base;
	}
	return NULL;
}

/* ---- the factory ---- */

static const char *factory_get_name(const struct ort_ep_factory *factory)
{
	(void)factory;
	return EP_NAME;
}

static const char *factory_get_vendor(const struct ort_ep_factory *factory)
{
	(void)factory;
	return "nnaccel";
}

static uint32_t factory_get_vendor_id(const struct ort_ep_factory *factory)
{
	(void)factory;
	return 0;
}

static const char *factory_get_version(const struct ort_ep_factory *factory)
{
	(void)factory;
	return EP_PROJECT_VERSION;
}

/*
 * One device, for all of the runtime's: the option "device" chooses among these. It stands on the
 * CPU's, which every host has: tensors are in the host's memory.
 */
static struct ort_status *factory_get_supported_devices(struct ort_ep_factory *base,
							const struct ort_hardware *const *hardware,
							size_t num_hardware,
							struct ort_ep_device **devices,
							size_t max_devices, size_t *num_devices)
{
	const struct factory *f = (const struct factory *)base;
	struct ort_status *status;
	size_t i = 0;

	*num_devices = 0;
	while (i < num_hardware && f->api->get_hardware_type(hardware[i]) != ORT_HARDWARE_CPU)
		i++;
	if (i == num_hardware || !max_devices)
		return NULL;
	status = f->ep_api->create_ep_device(base, hardware[i], NULL, NULL, &devices[0]);
	if (!status)
		*num_devices = 1;
	return status;
}

/* The option that only this provider has. False: the reason. */
static bool take_shapes(struct ep *e, const char *value, char *message, size_t size)
{
	uint64_t number;

	if (nnutil_parse_u64(value, 10, 0, MAX_SHAPES, &number)) {
		snprintf(message, size,
			 "nnaccel: option \"shapes\" is \"%.64s\", must be a number up to %d",
			 value, MAX_SHAPES);
		return false;
	}
	e->shapes = (uint32_t)number;
	return true;
}

/* The provider's options among those of the session. False: the reason. */
static bool factory_read_options(const struct factory *f, const struct ort_session_options *options,
				 struct ep *e, char *message, size_t size)
{
	const char *const *keys, *const *values, **names, **texts;
	struct ort_key_values *pairs = NULL;
	struct ort_status *status = f->api->get_session_options(options, &pairs);
	const size_t prefix = strlen(OPTION_PREFIX);
	size_t count = 0, ours = 0;
	bool valid = false, shapes = true;

	e->shapes = DEFAULT_SHAPES;
	if (status) {
		snprintf(message, size, "nnaccel: no options: %s",
			 f->api->get_error_message(status));
		f->api->release_status(status);
		return false;
	}
	f->api->get_key_values(pairs, &keys, &values, &count);
	names = calloc(count + 1, sizeof(*names));
	texts = calloc(count + 1, sizeof(*texts));
	for (size_t i = 0; names && texts && i < count; i++)
		if (!strcmp(keys[i], OPTION_PREFIX "shapes")) {
			shapes &= take_shapes(e, values[i], message, size);
		} else if (!strncmp(keys[i], OPTION_PREFIX, prefix)) {
			names[ours] = keys[i] + prefix;
			texts[ours++] = values[i];
		}
	if (names && texts && shapes)
		valid = delegate_settings_read(&e->settings, names, texts, ours, message, size);
	free(names);
	free(texts);
	f->api->release_key_values(pairs);
	return valid;
}

static struct ort_status *factory_create_ep(struct ort_ep_factory *base,
					    const struct ort_hardware *const *hardware,
					    const struct ort_key_values *const *metadata,
					    size_t count, const struct ort_session_options *options,
					    const struct ort_logger *logger, struct ort_ep **ep)
{
	const struct factory *f = (const struct factory *)base;
	struct ep *e = calloc(1, sizeof(*e));
	char message[256] = "nnaccel: out of memory";

	(void)hardware;
	(void)metadata;
	(void)count;
	(void)logger;
	*ep = NULL;
	if (!e || !factory_read_options(f, options, e, message, sizeof(message)) ||
	    !delegate_settings_apply(&e->settings, message, sizeof(message))) {
		if (e)
			delegate_settings_clear(&e->settings);
		free(e);
		return f->api->create_status(ORT_CODE_INVALID_ARGUMENT, message);
	}
	e->factory = f;
	e->base = (struct ort_ep){
		.version = ORT_VERSION,
		.get_name = ep_get_name,
		.get_capability = ep_get_capability,
		.compile = ep_compile,
		.release_compute_infos = ep_release_compute_infos,
	};
	*ep = &e->base;
	return NULL;
}

static void factory_release_ep(struct ort_ep_factory *base, struct ort_ep *ep)
{
	struct ep *e = (struct ep *)ep;

	(void)base;
	if (e)
		delegate_settings_clear(&e->settings);
	free(e);
}

/* Tensors are in the host's memory: no allocator, no copies, no streams. */
static struct ort_status *factory_create_allocator(struct ort_ep_factory *base, const void *memory,
						   const struct ort_key_values *options,
						   void **allocator)
{
	(void)base;
	(void)memory;
	(void)options;
	*allocator = NULL;
	return NULL;
}

static void factory_release_allocator(struct ort_ep_factory *base, void *allocator)
{
	(void)base;
	(void)allocator;
}

static struct ort_status *factory_create_data_transfer(struct ort_ep_factory *base, void **transfer)
{
	(void)base;
	*transfer = NULL;
	return NULL;
}

static bool factory_is_stream_aware(const struct ort_ep_factory *base)
{
	(void)base;
	return false;
}

static struct ort_status *factory_create_sync_stream(struct ort_ep_factory *base,
						     const void *memory,
						     const struct ort_key_values *options,
						     void **stream)
{
	(void)base;
	(void)memory;
	(void)options;
	*stream = NULL;
	return NULL;
}

EXPORT struct ort_status *CreateEpFactories(const char *name, const struct ort_api_base *base,
					    const struct ort_logger *logger,
					    struct ort_ep_factory **factories, size_t max_factories,
					    size_t *num_factories)
{
	const struct ort_api *api = base->get_api(ORT_VERSION);
	struct factory *f = api && max_factories ? calloc(1, sizeof(*f)) : NULL;
	char message[160];

	(void)name;
	(void)logger;
	*num_factories = 0;
	if (!f) {
		if (api)
			return ep_status(api, max_factories ? "out of memory"
							    : "the host takes no factory");
		/* the first function is the same in all versions */
		snprintf(message, sizeof(message),
			 "nnaccel: ONNX Runtime is %s; the provider needs 1.%d or later",
			 base->get_version(), ORT_VERSION);
		return base->get_api(1)->create_status(ORT_CODE_FAIL, message);
	}
	*f = (struct factory){
		.base = {
			.version = ORT_VERSION,
			.get_name = factory_get_name,
			.get_vendor = factory_get_vendor,
			.get_supported_devices = factory_get_supported_devices,
			.create_ep = factory_create_ep,
			.release_ep = factory_release_ep,
			.get_vendor_id = factory_get_vendor_id,
			.get_version = factory_get_version,
			.create_allocator = factory_create_allocator,
			.release_allocator = factory_release_allocator,
			.create_data_transfer = factory_create_data_transfer,
			.is_stream_aware = factory_is_stream_aware,
			.create_sync_stream = factory_create_sync_stream,
		},
		.api = api,
		.ep_api = api->get_ep_api(),
	};
	factories[0] = &f->base;
	*num_factories = 1;
	return NULL;
}

EXPORT struct ort_status *ReleaseEpFactory(struct ort_ep_factory *factory)
{
	free((struct factory *)factory);
	return NULL;
}
