// SPDX-License-Identifier: Apache-2.0
/* Descriptions of test devices. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "testdev.h"

static const char *const method_names[TESTDEV_METHODS] = {
	"capabilities", "extensions", "cache_files", "supported", "prepare",  "cache",
	"execute",	"fenced",     "burst",	     "reusable",  "allocate", "memory",
};

static const struct {
	const char *name;
	enum nnhal_status status;
} statuses[] = {
	{ "NONE", NNHAL_NONE },
	{ "DEVICE_UNAVAILABLE", NNHAL_DEVICE_UNAVAILABLE },
	{ "GENERAL_FAILURE", NNHAL_GENERAL_FAILURE },
	{ "OUTPUT_INSUFFICIENT_SIZE", NNHAL_OUTPUT_INSUFFICIENT_SIZE },
	{ "INVALID_ARGUMENT", NNHAL_INVALID_ARGUMENT },
	{ "MISSED_DEADLINE_TRANSIENT", NNHAL_MISSED_DEADLINE_TRANSIENT },
	{ "MISSED_DEADLINE_PERSISTENT", NNHAL_MISSED_DEADLINE_PERSISTENT },
	{ "RESOURCE_EXHAUSTED_TRANSIENT", NNHAL_RESOURCE_EXHAUSTED_TRANSIENT },
	{ "RESOURCE_EXHAUSTED_PERSISTENT", NNHAL_RESOURCE_EXHAUSTED_PERSISTENT },
	{ "DEAD_OBJECT", NNHAL_DEAD_OBJECT },
};

static bool parse_number(const char *text, uint32_t *value)
{
	unsigned long n;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	n = strtoul(text, &end, 10);
	*value = (uint32_t)n;
	return !*end && n <= UINT32_MAX;
}

static bool parse_version(struct testdev_config *config, const char *value)
{
	FILE *file;

	config->version = value;
	if (value[0] != '@')
		return true;
	file = fopen(value + 1, "re");
	if (!file)
		return false;
	if (fgets(config->version_text, sizeof(config->version_text), file))
		config->version = config->version_text;
	fclose(file);
	return true;
}

static bool parse_type(struct testdev_config *config, const char *value)
{
	static const char *const names[] = { "unknown", "other", "cpu", "gpu", "accelerator" };
	char *end;

	for (int i = 0; i < 5; i++)
		if (!strcmp(value, names[i])) {
			config->type = i;
			return true;
		}
	config->type = (int)strtol(value, &end, 10);
	return end != value && !*end;
}

/* Sets @operations of the names. */
static bool parse_operations(bool *operations, char *list)
{
	char *name, *save = NULL;

	for (name = strtok_r(list, "+", &save); name; name = strtok_r(NULL, "+", &save)) {
		uint32_t i = 0;

		while (i < NNMODEL_OPCODE_COUNT && strcmp(name, nnmodel_operation_name(i)))
			i++;
		if (i == NNMODEL_OPCODE_COUNT)
			return false;
		operations[i] = true;
	}
	return true;
}

static bool parse_wrong(struct testdev_config *config, const char *name)
{
	config->wrong = 0;
	while (config->wrong < NNMODEL_OPCODE_COUNT &&
	       strcmp(name, nnmodel_operation_name(config->wrong)))
		config->wrong++;
	return testdev_wrong_operation(config->wrong) != UINT32_MAX;
}

static void set_performance(struct nnhal_performance *p, bool power, float value)
{
	if (power)
		p->power_usage = value;
	else
		p->exec_time = value;
}

/* @which: what follows the dot, NULL: everything. */
static bool parse_performance(struct nnhal_capabilities *caps, bool power, const char *which,
			      const char *value)
{
	static const char *const names[] = { "RELAXED_SCALAR", "RELAXED_TENSOR", "IF", "WHILE" };
	struct nnhal_performance *const others[] = { &caps->relaxed_scalar, &caps->relaxed_tensor,
						     &caps->if_performance,
						     &caps->while_performance };
	float number;
	char *end;
	bool found = false;

	number = strtof(value, &end);
	if (end == value || *end)
		return false;
	for (uint32_t i = 0; i < 4; i++)
		if (!which || !strcmp(which, names[i])) {
			set_performance(others[i], power, number);
			found = true;
		}
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		if (!which || !strcmp(which, nnmodel_type_name(i))) {
			set_performance(&caps->operand[i], power, number);
			found = true;
		}
	return found;
}

static bool parse_cache(struct testdev_config *config, char *value)
{
	char *colon = strchr(value, ':');

	if (!strcmp(value, "inner")) {
		config->inner_cache = true;
		return true;
	}
	if (!colon)
		return false;
	*colon = '\0';
	return parse_number(value, &config->num_model_cache) &&
	       parse_number(colon + 1, &config->num_data_cache);
}

/* "CODE:t4" */
static bool parse_extension_type(char *text, struct nnhal_extension_type *type)
{
	char *colon = strchr(text, ':');
	uint32_t number;

	if (!colon)
		return false;
	*colon = '\0';
	if (!parse_number(text, &number) || number > UINT16_MAX ||
	    (colon[1] != 't' && colon[1] != 's'))
		return false;
	type->type = (uint16_t)number;
	type->is_tensor = colon[1] == 't';
	return parse_number(colon + 2, &type->byte_size);
}

static bool parse_extensions(struct testdev_config *config, char *list)
{
	char *item, *save = NULL;

	for (item = strtok_r(list, "+", &save); item; item = strtok_r(NULL, "+", &save)) {
		struct nnhal_extension_type *types = config->types[config->num_extensions];
		struct nnhal_extension *ext = &config->extensions[config->num_extensions];
		char *part, *save_part = NULL;

		if (config->num_extensions == TESTDEV_MAX_EXTENSIONS)
			return false;
		ext->size = sizeof(*ext);
		ext->name = strtok_r(item, "/", &save_part);
		if (!ext->name)
			return false;
		ext->types = types;
		while ((part = strtok_r(NULL, "/", &save_part)) != NULL)
			if (ext->num_types == TESTDEV_MAX_TYPES ||
			    !parse_extension_type(part, &types[ext->num_types++]))
				return false;
		config->num_extensions++;
	}
	return true;
}

static bool parse_fail(struct testdev_config *config, char *value)
{
	char *save = NULL, *method = strtok_r(value, ":", &save),
	     *status = strtok_r(NULL, ":", &save);
	char *times = strtok_r(NULL, ":", &save);
	uint32_t m = 0, n = 0, s = 0;

	if (!method || !status || config->num_fails == TESTDEV_MAX_FAILS)
		return false;
	while (m < TESTDEV_METHODS && strcmp(method, method_names[m]))
		m++;
	while (s < sizeof(statuses) / sizeof(statuses[0]) && strcmp(status, statuses[s].name))
		s++;
	if (m == TESTDEV_METHODS || s == sizeof(statuses) / sizeof(statuses[0]))
		return false;
	if (times && (!parse_number(times, &n) || n > INT32_MAX))
		return false;
	config->fails[config->num_fails].method = (enum testdev_method)m;
	config->fails[config->num_fails].status = statuses[s].status;
	atomic_init(&config->fails[config->num_fails].left, times ? (int)n : -1);
	config->num_fails++;
	return true;
}

static bool parse_pair(struct testdev_config *config, char *pair)
{
	char *value = strchr(pair, '='), *dot;
	const char *key = pair;

	if (!value)
		return false;
	*value++ = '\0';
	dot = strchr(pair, '.');
	if (dot)
		*dot++ = '\0';
	if (!strcmp(key, "exec") || !strcmp(key, "power"))
		return parse_performance(&config->capabilities, key[0] == 'p', dot, value);
	if (dot)
		return false;
	if (!strcmp(key, "name"))
		return config->name = value, true;
	if (!strcmp(key, "inner"))
		return config->inner = value, true;
	if (!strcmp(key, "version"))
		return parse_version(config, value);
	if (!strcmp(key, "node"))
		return config->node = value,
		       strlen(value) < sizeof(((struct nnhal_device_info *)0)->node);
	if (!strcmp(key, "count"))
		return config->count_file = value, true;
	if (!strcmp(key, "gone"))
		return config->gone_file = value, true;
	if (!strcmp(key, "type"))
		return parse_type(config, value);
	if (!strcmp(key, "level"))
		return parse_number(value, &config->level) && config->level >= 1 &&
		       config->level <= 99;
	if (!strcmp(key, "ops"))
		return config->all_operations = false, parse_operations(config->operations, value);
	if (!strcmp(key, "apart"))
		return config->has_apart = true, parse_operations(config->apart, value);
	if (!strcmp(key, "wrong"))
		return parse_wrong(config, value);
	if (!strcmp(key, "cache"))
		return parse_cache(config, value);
	if (!strcmp(key, "ext"))
		return parse_extensions(config, value);
	if (!strcmp(key, "fail"))
		return parse_fail(config, value);
	if (!strcmp(key, "fence"))
		return parse_number(value, &config->fence);
	if (!strcmp(key, "kernel_fences"))
		return parse_number(value, &config->kernel_fences);
	if (!strcmp(key, "claims"))
		return parse_number(value, &config->claims);
	if (!strcmp(key, "delay_ms"))
		return parse_number(value, &config->delay_ms);
	if (!strcmp(key, "prepare_meet"))
		return parse_number(value, &config->prepare_meet);
	return false;
}

struct testdev_config *testdev_config_parse(const char *text)
{
	struct testdev_config *config = calloc(1, sizeof(*config));
	char *pair, *save = NULL;

	if (!config)
		return NULL;
	atomic_init(&config->refs, 1);
	config->text = strdup(text);
	config->name = "testdev";
	config->version = "1";
	config->type = NNHAL_DEVICE_ACCELERATOR;
	config->level = 8;
	config->all_operations = true;
	config->wrong = UINT32_MAX;
	config->capabilities.size = sizeof(config->capabilities);
	parse_performance(&config->capabilities, false, NULL, "1");
	parse_performance(&config->capabilities, true, NULL, "1");
	if (!config->text)
		goto fail;
	for (pair = strtok_r(config->text, ",", &save); pair; pair = strtok_r(NULL, ",", &save))
		if (!parse_pair(config, pair)) {
			fprintf(stderr, "testdev: \"%s\" is malformed near \"%s\"\n", text, pair);
			goto fail;
		}
	return config;
fail:
	testdev_config_put(config);
	return NULL;
}

struct testdev_config *testdev_config_get(struct testdev_config *config)
{
	atomic_fetch_add(&config->refs, 1);
	return config;
}

void testdev_config_put(struct testdev_config *config)
{
	if (!config || atomic_fetch_sub(&config->refs, 1) != 1)
		return;
	if (atomic_load(&config->count_fd) > 0)
		close(atomic_load(&config->count_fd));
	free(config->text);
	free(config);
}

bool testdev_fails(struct testdev_config *config, enum testdev_method method,
		   enum nnhal_status *status)
{
	for (uint32_t i = 0; i < config->num_fails; i++) {
		int left = atomic_load(&config->fails[i].left);

		if (config->fails[i].method != method)
			continue;
		while (left > 0 &&
		       !atomic_compare_exchange_weak(&config->fails[i].left, &left, left - 1))
			;
		if (left == 0)
			continue;
		*status = config->fails[i].status;
		return true;
	}
	return false;
}

bool testdev_gone(const struct testdev_config *config)
{
	return config->gone_file && !access(config->gone_file, F_OK);
}

static int count_fd(struct testdev_config *config)
{
	int fd = atomic_load(&config->count_fd), other = 0;

	if (fd)
		return fd;
	fd = open(config->count_file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd > 0 && !atomic_compare_exchange_strong(&config->count_fd, &other, fd)) {
		close(fd);
		return other;
	}
	return fd;
}

void testdev_count(struct testdev_config *config, const char *fmt, ...)
{
	char line[4096];
	va_list args;
	int n, fd;

	if (!config->count_file)
		return;
	n = snprintf(line, sizeof(line), "%s ", config->name);
	va_start(args, fmt);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, args);
	va_end(args);
	if ((size_t)n > sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	fd = count_fd(config);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		perror(config->count_file);
}

void testdev_sleep(uint32_t ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (ms && nanosleep(&t, &t))
		;
}

/* That the devices of the file of count= have begun. */
static uint32_t preparations(struct testdev_config *config)
{
	const char *at;
	char text[8192];
	uint32_t n = 0;
	ssize_t size = pread(count_fd(config), text, sizeof(text) - 1, 0);

	text[size < 0 ? 0 : size] = '\0';
	for (at = text; (at = strstr(at, " prepare_model ")) != NULL; at++)
		n++;
	return n;
}

bool testdev_meet(struct testdev_config *config)
{
	for (int i = 0; config->prepare_meet && preparations(config) < config->prepare_meet; i++) {
		if (i == 20000) {
			testdev_count(config, "prepare_alone");
			return false;
		}
		testdev_sleep(1);
	}
	return true;
}

struct testdev_link *testdev_link_get(struct testdev_link *link)
{
	atomic_fetch_add(&link->refs, 1);
	return link;
}

void testdev_link_put(struct testdev_link *link)
{
	if (atomic_fetch_sub(&link->refs, 1) != 1)
		return;
	if (link->below)
		link->below->ops->destroy(link->below);
	testdev_config_put(link->config);
	free(link);
}

bool testdev_lost(struct testdev_link *link)
{
	if (!atomic_load(&link->lost) && testdev_gone(link->config))
		atomic_store(&link->lost, true);
	return atomic_load(&link->lost);
}
