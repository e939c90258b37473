// SPDX-License-Identifier: Apache-2.0
/* IDevice of a test device. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testdev.h"

#define MAX_ROLE_MODELS 64u

struct testdev {
	struct nnhal_device base;
	struct nnhal_device *inner;
	struct testdev_link *link;
};

static struct testdev *dev_of(struct nnhal_device *base)
{
	return (struct testdev *)base;
}

static struct testdev_config *config_of(struct nnhal_device *base)
{
	return dev_of(base)->link->config;
}

static void dev_destroy(struct nnhal_device *base)
{
	struct testdev *dev = dev_of(base);

	testdev_count(config_of(base), "destroy");
	dev->inner->ops->destroy(dev->inner);
	testdev_link_put(dev->link);
	free(dev);
}

static const char *dev_name(struct nnhal_device *base)
{
	return config_of(base)->name;
}

static const char *dev_version(struct nnhal_device *base)
{
	return config_of(base)->version;
}

static enum nnhal_device_type dev_type(struct nnhal_device *base)
{
	return (enum nnhal_device_type)config_of(base)->type;
}

static uint32_t dev_feature_level(struct nnhal_device *base)
{
	return config_of(base)->level;
}

static enum nnhal_status dev_get_capabilities(struct nnhal_device *base,
					      struct nnhal_capabilities *caps)
{
	enum nnhal_status status;

	testdev_count(config_of(base), "get_capabilities");
	if (testdev_lost(dev_of(base)->link))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (testdev_fails(config_of(base), TESTDEV_CAPABILITIES, &status))
		return status;
	*caps = config_of(base)->capabilities;
	return NNHAL_NONE;
}

static enum nnhal_status dev_cache_files(struct nnhal_device *base, uint32_t *num_model,
					 uint32_t *num_data)
{
	struct testdev *dev = dev_of(base);
	enum nnhal_status status;

	testdev_count(config_of(base), "get_number_of_cache_files");
	if (testdev_lost(dev->link))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (testdev_fails(config_of(base), TESTDEV_CACHE_FILES, &status))
		return status;
	if (config_of(base)->inner_cache)
		return dev->inner->ops->get_number_of_cache_files(dev->inner, num_model, num_data);
	*num_model = config_of(base)->num_model_cache;
	*num_data = config_of(base)->num_data_cache;
	return NNHAL_NONE;
}

/* ---- operations ---- */

static bool graph_allowed(const struct testdev_config *config, const struct nnmodel *model,
			  const struct nnmodel_subgraph *graph);

/* Operations of the extensions that it reports, as far as the device underneath has them. */
static bool extension_allowed(const struct testdev_config *config, const struct nnmodel *model,
			      uint32_t type)
{
	for (uint32_t i = 0; i < model->num_extensions; i++) {
		if (model->extensions[i].prefix != type >> 16)
			continue;
		for (uint32_t k = 0; k < config->num_extensions; k++)
			if (!strcmp(config->extensions[k].name, model->extensions[i].name))
				return true;
	}
	return false;
}

/* Control flow is there when all that it runs is. */
static bool operation_allowed(const struct testdev_config *config, const struct nnmodel *model,
			      const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op)
{
	if (op->type > NNMODEL_TYPE_BASE_MAX)
		return extension_allowed(config, model, op->type);
	/* all are all that the device underneath has, DENSIFY among them */
	if (!config->all_operations &&
	    (op->type >= NNMODEL_OPCODE_COUNT || !config->operations[op->type]))
		return false;
	for (uint32_t i = 0; i < op->num_inputs; i++) {
		const struct nnmodel_operand *o = &graph->operands[op->inputs[i]];

		if (o->type == NNMODEL_SUBGRAPH &&
		    !graph_allowed(config, model, &model->referenced[o->location.offset]))
			return false;
	}
	return true;
}

static bool graph_allowed(const struct testdev_config *config, const struct nnmodel *model,
			  const struct nnmodel_subgraph *graph)
{
	for (uint32_t i = 0; i < graph->num_operations; i++)
		if (!operation_allowed(config, model, graph, &graph->operations[i]))
			return false;
	return true;
}

static void count_model(struct testdev_config *config, const char *method,
			const struct nnmodel *model, const char *rest)
{
	char ops[2048] = "";
	size_t n = 0;

	for (uint32_t i = 0; model && i < model->main.num_operations && n < sizeof(ops) - 64; i++)
		n += (size_t)snprintf(ops + n, sizeof(ops) - n, "%s%s", i ? "+" : "",
				      nnmodel_operation_name(model->main.operations[i].type));
	testdev_count(config, "%s ops=%s inputs=%u outputs=%u extensions=%u%s", method, ops,
		      model ? model->main.num_inputs : 0, model ? model->main.num_outputs : 0,
		      model ? model->num_extensions : 0, rest);
}

static enum nnhal_status dev_supported(struct nnhal_device *base, const struct nnmodel *model,
				       bool *supported, char **reasons, struct nnmodel_error *err)
{
	struct testdev_config *config = config_of(base);
	struct testdev *dev = dev_of(base);
	enum nnhal_status status;

	count_model(config, "get_supported_operations", model, "");
	if (testdev_lost(dev->link))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (testdev_fails(config, TESTDEV_SUPPORTED, &status))
		return status;
	status = dev->inner->ops->get_supported_operations(dev->inner, model, supported, reasons,
							   err);
	if (status != NNHAL_NONE)
		return status;
	for (uint32_t i = 0; i < model->main.num_operations; i++) {
		if (operation_allowed(config, model, &model->main, &model->main.operations[i])) {
			if (config->claims && !supported[i]) {
				supported[i] = true;
				free(reasons ? reasons[i] : NULL);
				if (reasons)
					reasons[i] = NULL;
			}
			continue;
		}
		supported[i] = false;
		if (reasons && !reasons[i] &&
		    asprintf(&reasons[i], "%s is configured not to support it", config->name) < 0)
			reasons[i] = NULL;
	}
	return NNHAL_NONE;
}

/* ---- preparation ---- */

struct answer {
	struct testdev_link *link;
	nnhal_prepared_cb callback;
	void *cookie;
	struct nnmodel *changed; /* what the inner device prepares instead; NULL: nothing */
};

static void prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message)
{
	struct nnhal_prepared_model *wrapped = NULL;
	struct answer *a = cookie;

	if (!testdev_meet(a->link->config) && status == NNHAL_NONE) {
		model->ops->destroy(model);
		status = NNHAL_GENERAL_FAILURE;
	}
	if (status == NNHAL_NONE) {
		wrapped = testdev_prepared_create(model, a->link);
		if (!wrapped) {
			model->ops->destroy(model);
			status = NNHAL_GENERAL_FAILURE;
		}
	}
	a->callback(a->cookie, status, wrapped, message);
	testdev_link_put(a->link);
	nnmodel_free(a->changed);
	free(a);
}

static struct answer *answer_new(struct testdev *dev, nnhal_prepared_cb callback, void *cookie)
{
	struct answer *a = malloc(sizeof(*a));

	if (a)
		*a = (struct answer){ testdev_link_get(dev->link), callback, cookie, NULL };
	return a;
}

/* Errors that are returned at once are argument errors; the callback alone reports others. */
static enum nnhal_status refuse(enum nnhal_status status, nnhal_prepared_cb callback, void *cookie)
{
	callback(cookie, status, NULL, "configured to fail");
	return status == NNHAL_INVALID_ARGUMENT ? status : NNHAL_NONE;
}

static int put_bytes(void *cookie, const void *data, size_t size)
{
	const int *fd = cookie;

	return write(*fd, data, size) == (ssize_t)size ? 0 : -EIO;
}

/* The model goes to the first of all files, the token to the others; each is overwritten. */
static void write_caches(const struct nnmodel *model, const struct nnhal_prepare_config *c)
{
	bool first = true;

	for (uint32_t i = 0; i < c->num_model_cache + c->num_data_cache; i++) {
		int fd = i < c->num_model_cache ? c->model_cache[i]
						: c->data_cache[i - c->num_model_cache];

		if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
			continue;
		put_bytes(&fd, c->token, NNHAL_CACHE_TOKEN_SIZE);
		if (first)
			nnmodel_serialize(model, put_bytes, &fd);
		first = false;
	}
}

/* With the same operands and options. */
uint32_t testdev_wrong_operation(uint32_t operation)
{
	static const uint32_t pairs[][2] = {
		{ NNMODEL_ADD, NNMODEL_SUB },
		{ NNMODEL_MAX_POOL_2D, NNMODEL_AVERAGE_POOL_2D },
		{ NNMODEL_AVERAGE_POOL_2D, NNMODEL_MAX_POOL_2D },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i][0] == operation)
			return pairs[i][1];
	return UINT32_MAX;
}

static struct nnmodel *model_with(const struct nnmodel *model, uint32_t wrong)
{
	struct nnmodel *changed = nnmodel_clone(model);

	for (uint32_t i = 0; changed && i < changed->main.num_operations; i++)
		if (changed->main.operations[i].type == wrong)
			changed->main.operations[i].type = testdev_wrong_operation(wrong);
	return changed;
}

/* It has all operations of apart=. */
static bool has_apart(const struct testdev_config *config, const struct nnmodel *model)
{
	bool found[NNMODEL_OPCODE_COUNT] = { false };

	for (uint32_t i = 0; i < model->main.num_operations; i++)
		if (model->main.operations[i].type < NNMODEL_OPCODE_COUNT)
			found[model->main.operations[i].type] = true;
	for (uint32_t i = 0; i < NNMODEL_OPCODE_COUNT; i++)
		if (config->apart[i] && !found[i])
			return false;
	return config->has_apart;
}

static enum nnhal_status dev_prepare(struct nnhal_device *base, const struct nnmodel *model,
				     const struct nnhal_prepare_config *config,
				     nnhal_prepared_cb callback, void *cookie)
{
	struct nnhal_prepare_config without = *config;
	struct testdev *dev = dev_of(base);
	enum nnhal_status status;
	struct answer *a;
	char rest[256];

	snprintf(rest, sizeof(rest),
		 " preference=%u priority=%u deadline=%d model_cache=%u data_cache=%u token=%d "
		 "hints=%u hint_extensions=%u",
		 config->preference, config->priority, config->deadline_ns != NNHAL_NO_TIME,
		 config->num_model_cache, config->num_data_cache, config->token != NULL,
		 config->num_hints, config->num_extensions);
	count_model(config_of(base), "prepare_model", model, rest);
	if (testdev_lost(dev->link))
		return refuse(NNHAL_DEVICE_UNAVAILABLE, callback, cookie);
	if (testdev_fails(config_of(base), TESTDEV_PREPARE, &status))
		return refuse(status, callback, cookie);
	if (has_apart(config_of(base), model))
		return refuse(NNHAL_GENERAL_FAILURE, callback, cookie);
	if (!config_of(base)->inner_cache) {
		if (config->num_model_cache + config->num_data_cache)
			write_caches(model, config);
		without.num_model_cache = without.num_data_cache = 0;
		without.model_cache = without.data_cache = NULL;
		without.token = NULL;
	}
	a = answer_new(dev, callback, cookie);
	if (!a)
		return refuse(NNHAL_GENERAL_FAILURE, callback, cookie);
	if (config_of(base)->wrong != UINT32_MAX) {
		a->changed = model_with(model, config_of(base)->wrong);
		if (!a->changed) {
			testdev_link_put(a->link);
			free(a);
			return refuse(NNHAL_GENERAL_FAILURE, callback, cookie);
		}
		model = a->changed;
	}
	return dev->inner->ops->prepare_model(dev->inner, model, &without, prepared, a);
}

static bool has_token(int fd, const uint8_t *token, off_t size)
{
	uint8_t found[NNHAL_CACHE_TOKEN_SIZE];
	struct stat st;

	return !fstat(fd, &st) && (size < 0 || st.st_size == size) &&
	       pread(fd, found, sizeof(found), 0) == (ssize_t)sizeof(found) &&
	       !memcmp(found, token, sizeof(found));
}

/* NULL: the files are not those that write_caches() made for this token. */
static struct nnmodel *read_caches(const int *model_cache, uint32_t num_model,
				   const int *data_cache, uint32_t num_data, const uint8_t *token)
{
	struct nnmodel *model = NULL;
	struct stat st;
	uint8_t *bytes;
	int first = num_model ? model_cache[0] : data_cache[0];
	ssize_t n;

	for (uint32_t i = 0; i < num_model + num_data; i++)
		if (!has_token(i < num_model ? model_cache[i] : data_cache[i - num_model], token,
			       i ? NNHAL_CACHE_TOKEN_SIZE : -1))
			return NULL;
	if (fstat(first, &st) || st.st_size <= NNHAL_CACHE_TOKEN_SIZE)
		return NULL;
	n = (ssize_t)st.st_size - NNHAL_CACHE_TOKEN_SIZE;
	bytes = malloc((size_t)n);
	if (bytes && pread(first, bytes, (size_t)n, NNHAL_CACHE_TOKEN_SIZE) == n &&
	    nnmodel_parse(bytes, (size_t)n, NULL, 0, &model))
		model = NULL;
	free(bytes);
	return model;
}

static enum nnhal_status dev_from_cache(struct nnhal_device *base, int64_t deadline_ns,
					const int *model_cache, uint32_t num_model,
					const int *data_cache, uint32_t num_data,
					const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
					nnhal_prepared_cb callback, void *cookie)
{
	struct nnhal_prepare_config config = { .size = sizeof(config),
					       .preference = NNHAL_FAST_SINGLE_ANSWER,
					       .priority = NNHAL_PRIORITY_MEDIUM,
					       .deadline_ns = deadline_ns };
	struct testdev *dev = dev_of(base);
	enum nnhal_status status;
	struct nnmodel *model;
	struct answer *a;

	testdev_count(config_of(base),
		      "prepare_model_from_cache deadline=%d model_cache=%u data_cache=%u",
		      deadline_ns != NNHAL_NO_TIME, num_model, num_data);
	if (testdev_lost(dev->link))
		return refuse(NNHAL_DEVICE_UNAVAILABLE, callback, cookie);
	if (testdev_fails(config_of(base), TESTDEV_CACHE, &status))
		return refuse(status, callback, cookie);
	if (!token || num_model + num_data == 0)
		return refuse(NNHAL_INVALID_ARGUMENT, callback, cookie);
	a = answer_new(dev, callback, cookie);
	if (!a)
		return refuse(NNHAL_GENERAL_FAILURE, callback, cookie);
	if (config_of(base)->inner_cache)
		return dev->inner->ops->prepare_model_from_cache(dev->inner, deadline_ns,
								 model_cache, num_model, data_cache,
								 num_data, token, prepared, a);
	model = read_caches(model_cache, num_model, data_cache, num_data, token);
	if (!model) {
		testdev_link_put(a->link);
		free(a);
		return refuse(NNHAL_GENERAL_FAILURE, callback, cookie);
	}
	status = dev->inner->ops->prepare_model(dev->inner, model, &config, prepared, a);
	nnmodel_free(model);
	return status;
}

/* ---- the rest ---- */

static enum nnhal_device_status dev_get_status(struct nnhal_device *base)
{
	struct testdev *dev = dev_of(base);

	return testdev_lost(dev->link) ? NNHAL_OFFLINE : dev->inner->ops->get_status(dev->inner);
}

static enum nnhal_status
dev_extensions(struct nnhal_device *base,
	       int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie)
{
	struct testdev_config *config = config_of(base);
	enum nnhal_status status;

	testdev_count(config, "get_supported_extensions");
	if (testdev_lost(dev_of(base)->link))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (testdev_fails(config, TESTDEV_EXTENSIONS, &status))
		return status;
	for (uint32_t i = 0; i < config->num_extensions; i++)
		if (found(cookie, &config->extensions[i]))
			break;
	return NNHAL_NONE;
}

static enum nnhal_status dev_allocate(struct nnhal_device *base,
				      const struct nnhal_buffer_desc *desc,
				      struct nnhal_prepared_model *const *models,
				      uint32_t num_models, const struct nnhal_buffer_role *inputs,
				      uint32_t num_inputs, const struct nnhal_buffer_role *outputs,
				      uint32_t num_outputs, struct nnhal_buffer **buffer,
				      uint32_t *token)
{
	struct nnhal_prepared_model *inner[MAX_ROLE_MODELS];
	struct testdev *dev = dev_of(base);
	enum nnhal_status status;

	*buffer = NULL;
	*token = 0;
	testdev_count(config_of(base), "allocate models=%u input_roles=%u output_roles=%u rank=%u",
		      num_models, num_inputs, num_outputs, desc ? desc->rank : 0);
	if (testdev_lost(dev->link))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (testdev_fails(config_of(base), TESTDEV_ALLOCATE, &status))
		return status;
	if (num_models > MAX_ROLE_MODELS)
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < num_models; i++) {
		inner[i] = models[i] ? testdev_prepared_inner(models[i]) : NULL;
		if (models[i] && !inner[i])
			return NNHAL_INVALID_ARGUMENT;
	}
	return dev->inner->ops->allocate(dev->inner, desc, inner, num_models, inputs, num_inputs,
					 outputs, num_outputs, buffer, token);
}

static int dev_create_memory(struct nnhal_device *base, uint64_t size, int *fd)
{
	struct testdev *dev = dev_of(base);
	enum nnhal_status status;

	testdev_count(config_of(base), "create_memory size=%llu", (unsigned long long)size);
	*fd = -1;
	if (testdev_lost(dev->link))
		return -ENODEV;
	if (testdev_fails(config_of(base), TESTDEV_MEMORY, &status))
		return -EOPNOTSUPP;
	return nnhal_memory_create(dev->inner, size, fd);
}

static int dev_get_info(struct nnhal_device *base, struct nnhal_device_info *info)
{
	int ret = nnhal_device_get_info(dev_of(base)->inner, info);

	if (!ret && config_of(base)->node)
		strcpy(info->node, config_of(base)->node);
	return ret;
}

static int dev_get_counters(struct nnhal_device *base, struct nnhal_counters *counters)
{
	return nnhal_device_get_counters(dev_of(base)->inner, counters);
}

static const struct nnhal_device_ops ops = {
	.size = sizeof(ops),
	.destroy = dev_destroy,
	.name = dev_name,
	.version = dev_version,
	.type = dev_type,
	.feature_level = dev_feature_level,
	.get_capabilities = dev_get_capabilities,
	.get_number_of_cache_files = dev_cache_files,
	.get_supported_operations = dev_supported,
	.prepare_model = dev_prepare,
	.get_status = dev_get_status,
	.get_supported_extensions = dev_extensions,
	.prepare_model_from_cache = dev_from_cache,
	.allocate = dev_allocate,
	.create_memory = dev_create_memory,
	.get_info = dev_get_info,
	.get_counters = dev_get_counters,
};

int testdev_create(struct nnhal_device *inner, struct nnhal_device *below,
		   struct testdev_config *config, struct nnhal_device **out)
{
	struct testdev *dev = calloc(1, sizeof(*dev));

	*out = NULL;
	if (!dev)
		return -ENOMEM;
	dev->link = calloc(1, sizeof(*dev->link));
	if (!dev->link) {
		free(dev);
		return -ENOMEM;
	}
	atomic_init(&dev->link->refs, 1);
	dev->link->config = config;
	dev->link->below = below;
	dev->base.ops = &ops;
	dev->inner = inner;
	testdev_count(config, "open");
	*out = &dev->base;
	return 0;
}
