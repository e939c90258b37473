// SPDX-License-Identifier: Apache-2.0
/*
 * Configuration: built-in values, then nnapi.conf, then the environment. A privileged process
 * (setuid, file capabilities) ignores the environment. Malformed settings are logged and ignored.
 * The text of configuration files: whole files, lines, lists.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnr_config.h"
#include "nnutil_file.h"
#include "nnutil_log.h"
#include "nnutil_text.h"

#include "base/nnr_base.h"

int nnr_read_text(const char *path, size_t max, char **text, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0)
		return -errno;
	ret = nnutil_read_to_end(fd, max, text, size);
	close(fd);
	return ret;
}

char *nnr_next_line(char **position, const char *end, bool *zero)
{
	char *line = *position, *stop;

	if (line >= end)
		return NULL;
	stop = memchr(line, '\n', (size_t)(end - line));
	if (stop)
		*stop = '\0';
	else
		stop = line + (end - line);
	*zero = strlen(line) != (size_t)(stop - line);
	*position = stop + 1;
	return line;
}

size_t nnr_list_next(const char **item, size_t previous, const char *separators)
{
	*item += previous;
	*item += strspn(*item, separators);
	return strcspn(*item, separators);
}

#define MAX_FILE (256u * 1024)
#define MAX_WAIT_MS 600000u
#define MAX_CAPTURES 1000u
#define MAX_COMPLAINTS 16u /* about one file */
#define BLANKS " \t"

static struct nnr_settings settings = {
	.config = { .partitioning = NNR_PARTITION_WITH_FALLBACK,
		    .transfer_ns_per_kib = 200,
		    .step_ns = 20000 },
	.devices = "",
	.exclude_devices = "",
	.hal_dirs = "",
	.allowlist = NNR_SYSCONFDIR
	"/nnapi_extensions_app_allowlist:/vendor/etc/nnapi_extensions_app_allowlist",
	.partitions = "/product /vendor /odm /data",
	.amx = true,
	.device_wait_ms = 10000,
	.capture = "",
	.isolation = NNR_ISOLATION_AUTO,
	.feature_level = NNR_RUNTIME_LEVEL,
};
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

/* What the program chose before the settings were read. */
static struct {
	pthread_mutex_t lock;
	bool too_late, has_isolation, has_amx;
	enum nnr_isolation isolation;
	bool amx;
} chosen = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- values ---- */

/* Called only while the settings are read. */
static bool set_text(const char **to, char **owned, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return false;
	free(*owned);
	*to = *owned = copy;
	return true;
}

static bool parse_partition(const char *value, enum nnr_partitioning *to)
{
	static const char *const words[] = { "no", "with-fallback", "without-fallback" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(value, words[i]) || (value[0] == '0' + i && !value[1])) {
			*to = (enum nnr_partitioning)i;
			return true;
		}
	return false;
}

static bool parse_isolation(const char *value, enum nnr_isolation *to)
{
	static const char *const words[] = { "auto", "none", "worker", "service" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(value, words[i])) {
			*to = (enum nnr_isolation)i;
			return true;
		}
	return false;
}

static bool parse_u32(const char *value, uint32_t min, uint32_t max, uint32_t *to)
{
	uint64_t number;

	if (nnutil_parse_u64(value, 10, min, max, &number))
		return false;
	*to = (uint32_t)number;
	return true;
}

static int compile_pattern(const char *pattern, size_t length, regex_t *regex)
{
	char *whole;
	int ret;

	if (length > INT32_MAX || asprintf(&whole, "^(%.*s)$", (int)length, pattern) < 0)
		return -ENOMEM;
	ret = regcomp(regex, whole, REG_EXTENDED | REG_NOSUB);
	free(whole);
	return ret ? -EINVAL : 0;
}

bool nnr_pattern_matches(const char *pattern, size_t length, const char *name)
{
	regex_t regex;
	bool matches;

	if (compile_pattern(pattern, length, &regex))
		return false;
	matches = !regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return matches;
}

static bool check_patterns(const char *value)
{
	const char *item = value;
	regex_t regex;
	size_t length;

	for (length = nnr_list_next(&item, 0, BLANKS); length;
	     length = nnr_list_next(&item, length, BLANKS)) {
		if (compile_pattern(item, length, &regex))
			return false;
		regfree(&regex);
	}
	return true;
}

#define SYSTEM "/system"

bool nnr_partition_permitted(const char *folder, size_t length)
{
	if (length < 2 || folder[0] != '/' || folder[length - 1] == '/')
		return false;
	if (length < strlen(SYSTEM) || memcmp(folder, SYSTEM, strlen(SYSTEM)))
		return true;
	return length > strlen(SYSTEM) && folder[strlen(SYSTEM)] != '/';
}

static bool check_partitions(const char *value)
{
	const char *item = value;
	size_t length;

	for (length = nnr_list_next(&item, 0, BLANKS); length;
	     length = nnr_list_next(&item, length, BLANKS))
		if (!nnr_partition_permitted(item, length))
			return false;
	return true;
}

static bool check_folder(const char *value)
{
	return !*value || *value == '/';
}

/* Separated by ':', all of them absolute. */
static bool check_paths(const char *value)
{
	const char *item = value;
	size_t length;

	for (length = nnr_list_next(&item, 0, ":"); length;
	     length = nnr_list_next(&item, length, ":"))
		if (*item != '/')
			return false;
	return true;
}

enum key {
	DEVICES,
	EXCLUDE_DEVICES,
	CPU_ONLY,
	PARTITION,
	TRANSFER_NS_PER_KIB,
	STEP_NS,
	HAL_DIR,
	ISOLATION,
	AMX,
	EXTENSION_ALLOWLIST,
	EXTENSION_PARTITIONS,
	DEVICE_WAIT_MS,
	CAPTURE,
	CAPTURE_FIRST,
	FEATURE_LEVEL,
	KEYS
};

static const struct {
	const char *key, *environment;
} keys[KEYS] = {
	[DEVICES] = { "devices", "NNAPI_DEVICES" },
	[EXCLUDE_DEVICES] = { "exclude_devices", "NNAPI_EXCLUDE_DEVICES" },
	[CPU_ONLY] = { "cpu_only", "NNAPI_CPU_ONLY" },
	[PARTITION] = { "partition", "NNAPI_PARTITION" },
	[TRANSFER_NS_PER_KIB] = { "transfer_ns_per_kib", "NNAPI_TRANSFER_NS_PER_KIB" },
	[STEP_NS] = { "step_ns", "NNAPI_STEP_NS" },
	[HAL_DIR] = { "hal_dir", "NNAPI_HAL_DIR" },
	[ISOLATION] = { "isolation", "NNAPI_ISOLATION" },
	[AMX] = { "amx", "NNACCEL_AMX" },
	[EXTENSION_ALLOWLIST] = { "extension_allowlist", "NNAPI_EXTENSION_ALLOWLIST" },
	[EXTENSION_PARTITIONS] = { "extension_partitions", "NNAPI_EXTENSION_PARTITIONS" },
	[DEVICE_WAIT_MS] = { "device_wait_ms", "NNAPI_DEVICE_WAIT_MS" },
	[CAPTURE] = { "capture", "NNAPI_CAPTURE" },
	[CAPTURE_FIRST] = { "capture_first", "NNAPI_CAPTURE_FIRST" },
	[FEATURE_LEVEL] = { "feature_level", "NNAPI_FEATURE_LEVEL" },
};

static bool set(enum key key, const char *value)
{
	static char *owned[KEYS];

	switch (key) {
	case DEVICES:
		return check_patterns(value) && set_text(&settings.devices, &owned[key], value);
	case EXCLUDE_DEVICES:
		return check_patterns(value) &&
		       set_text(&settings.exclude_devices, &owned[key], value);
	case CPU_ONLY:
		return !nnutil_parse_bool(value, &settings.config.cpu_only);
	case PARTITION:
		return parse_partition(value, &settings.config.partitioning);
	case TRANSFER_NS_PER_KIB:
		return !nnutil_parse_double(value, 0, DBL_MAX,
					    &settings.config.transfer_ns_per_kib);
	case STEP_NS:
		return !nnutil_parse_double(value, 0, DBL_MAX, &settings.config.step_ns);
	case HAL_DIR:
		return check_paths(value) && set_text(&settings.hal_dirs, &owned[key], value);
	case ISOLATION:
		return parse_isolation(value, &settings.isolation);
	case AMX:
		return !nnutil_parse_bool(value, &settings.amx);
	case EXTENSION_ALLOWLIST:
		return check_paths(value) && set_text(&settings.allowlist, &owned[key], value);
	case EXTENSION_PARTITIONS:
		return check_partitions(value) &&
		       set_text(&settings.partitions, &owned[key], value);
	case DEVICE_WAIT_MS:
		return parse_u32(value, 0, MAX_WAIT_MS, &settings.device_wait_ms);
	case CAPTURE:
		return check_folder(value) && set_text(&settings.capture, &owned[key], value);
	case CAPTURE_FIRST:
		return parse_u32(value, 0, MAX_CAPTURES, &settings.capture_first);
	case FEATURE_LEVEL:
		return parse_u32(value, 1, NNR_RUNTIME_LEVEL, &settings.feature_level);
	default:
		return false;
	}
}

/* ---- the file ---- */

static char *settings_trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* False: the line is malformed (logged). */
static bool take_line(const char *file, unsigned int number, char *line)
{
	char *key = settings_trim(line), *value = strchr(key, '=');
	unsigned int i;

	if (!*key || *key == '#')
		return true;
	if (!value) {
		nnutil_log(NNUTIL_LOG_ERROR, "%s:%u: line ignored: it is not \"key = value\"", file,
			   number);
		return false;
	}
	*value++ = '\0';
	key = settings_trim(key);
	value = settings_trim(value);
	for (i = 0; i < KEYS && strcmp(key, keys[i].key); i++)
		;
	if (i < KEYS && set((enum key)i, value)) {
		nnutil_log(NNUTIL_LOG_DEBUG, "%s:%u: %s is \"%.64s\"", file, number, key, value);
		return true;
	}
	if (i == KEYS)
		nnutil_log(NNUTIL_LOG_ERROR, "%s:%u: line ignored: unknown key \"%.64s\"", file,
			   number, key);
	else
		nnutil_log(NNUTIL_LOG_ERROR, "%s:%u: line ignored: invalid value \"%.64s\" for %s",
			   file, number, value, key);
	return false;
}

void nnr_settings_parse(const char *path, char *text, size_t size)
{
	unsigned int number = 0, complaints = 0;
	char *position = text, *line;
	bool zero, good;

	while (complaints < MAX_COMPLAINTS &&
	       (line = nnr_next_line(&position, text + size, &zero)) != NULL) {
		number++;
		good = !zero && take_line(path, number, line);
		if (zero)
			nnutil_log(NNUTIL_LOG_ERROR, "%s:%u: line ignored: it has a zero byte",
				   path, number);
		complaints += !good;
	}
	if (complaints == MAX_COMPLAINTS)
		nnutil_log(NNUTIL_LOG_ERROR, "%s: too many errors: the rest of the file is ignored",
			   path);
}

static void read_file(const char *path, bool wanted)
{
	char *text;
	size_t size;
	int ret = nnr_read_text(path, MAX_FILE, &text, &size);

	if (!ret) {
		nnr_settings_parse(path, text, size);
		free(text);
	} else if (wanted || (ret != -ENOENT && ret != -ENOTDIR)) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot read the configuration %s: %s", path,
			   strerror(-ret));
	}
}

static void settings_init(void)
{
	const char *path = secure_getenv("NNAPI_CONFIG");

	read_file(path && *path ? path : NNR_SYSCONFDIR "/nnapi.conf", path && *path);
	for (unsigned int i = 0; i < KEYS; i++) {
		const char *value = secure_getenv(keys[i].environment);

		if (value && set((enum key)i, value))
			nnutil_log(NNUTIL_LOG_DEBUG, "%s: %s is \"%.64s\"", keys[i].environment,
				   keys[i].key, value);
		else if (value)
			nnutil_log(NNUTIL_LOG_ERROR, "invalid value \"%.64s\" for %s ignored",
				   value, keys[i].environment);
	}
	pthread_mutex_lock(&chosen.lock);
	if (chosen.has_isolation)
		settings.isolation = chosen.isolation;
	if (chosen.has_amx)
		settings.amx = chosen.amx;
	chosen.too_late = true;
	pthread_mutex_unlock(&chosen.lock);
}

int nnr_settings_set_isolation(const char *value)
{
	enum nnr_isolation isolation;
	int ret = 0;

	if (!parse_isolation(value, &isolation))
		return -EINVAL;
	pthread_mutex_lock(&chosen.lock);
	if (chosen.too_late) {
		ret = settings.isolation == isolation ? 0 : -EBUSY;
	} else {
		chosen.has_isolation = true;
		chosen.isolation = isolation;
	}
	pthread_mutex_unlock(&chosen.lock);
	return ret;
}

int nnr_settings_set_amx(bool use)
{
	int ret = 0;

	pthread_mutex_lock(&chosen.lock);
	if (chosen.too_late) {
		ret = settings.amx == use ? 0 : -EBUSY;
	} else {
		chosen.has_amx = true;
		chosen.amx = use;
	}
	pthread_mutex_unlock(&chosen.lock);
	return ret;
}

const struct nnr_settings *nnr_settings(void)
{
	pthread_once(&settings_once, settings_init);
	return &settings;
}

const struct nnr_config *nnr_config(void)
{
	return &nnr_settings()->config;
}
